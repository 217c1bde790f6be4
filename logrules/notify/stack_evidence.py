"""What rules read of sampled stacks: of each group of processes that stands still, as py-spy prints it."""

from collections.abc import Iterator, Sequence

from logrules.notify.stack_dump import ProcessStack, dump_of
from logrules.notify.stack_groups import StackGroup, at_rest, grouped, names_in_words, odd_ones


def stacks_for_rules(rounds: Sequence[Sequence[ProcessStack]]) -> Iterator[tuple[str, str]]:
    """(whose, text) of each group of what stands still.

    Of processes that stand in one place but for a few, the few are what the others wait for: rules read theirs alone,
    below a line that says so. The other threads of a process are read where its main thread may wait for one of them.
    """
    resting = at_rest(rounds)
    still = grouped(stack for stack in resting if stack.is_main)
    odd = odd_ones(still)
    shown = odd or still
    waiting = {name for group in shown if group.stack.waits_within for name in group.names}
    others = [stack for stack in resting if not stack.is_main and stack.process in waiting]
    for group in shown:
        said = f"logrules: {names_in_words(group.names)}: apart from the others: {group.stack.place}\n" if odd else ""
        yield _short(group.names), said + _locked(group, others) + dump_of(group.stack)
    for group in grouped(others):
        yield _short(group.names), dump_of(group.stack)


def _locked(group: StackGroup, others: Sequence[ProcessStack]) -> str:
    """That threads of the process wait for locks, the main one among them: for each other's, or for one left locked."""
    beside = [stack for stack in others if stack.process == group.names[0] and stack.takes_lock]
    if not (group.stack.takes_lock and beside):
        return ""
    places = ", ".join(f"{one.thread} ({one.own.place})" for one in (group.stack, *beside) if one.own is not None)
    return f"logrules: {names_in_words(group.names)}: {len(beside) + 1} threads wait for locks: {places}\n"


def _short(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
