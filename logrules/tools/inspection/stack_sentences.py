"""What sampled stacks show: to people, where processes stand, who stands apart, which group those share; to rules."""

from collections.abc import Iterator, Sequence

from logrules.tools.inspection.process_groups import ProcessGroup, group_apart, shared_group
from logrules.tools.inspection.stack_dump import ProcessStack, dump_of
from logrules.tools.inspection.stack_groups import (
    StackGroup,
    at_rest,
    grouped,
    is_rank,
    names_in_words,
    odd_ones,
    ranks_in,
    standing_apart,
)

_MAX_MOVING = 8


def hang_sentences(rounds: Sequence[Sequence[ProcessStack]], groups: Sequence[ProcessGroup]) -> list[str]:
    """Of a job that hangs: where each group of processes stands, what of it moves, and what the odd ones share."""
    still, moving = _halves(rounds)
    told = [summary(still)] if still else []
    told += [f"{names_in_words(group.names)} moving, in {group.stack.place}" for group in moving[:_MAX_MOVING]]
    return [*(["; ".join(told)] if told else []), *_shared(apart(rounds), groups)]


def apart(rounds: Sequence[Sequence[ProcessStack]]) -> list[int]:
    """The ranks of a job that hangs which stand elsewhere than nearly all others, or still move while most stand."""
    still, moving = _halves(rounds)
    standing = sum(is_rank(name) for group in still for name in group.names)
    busy = ranks_in(name for group in moving for name in group.names)
    odd = ranks_in(name for group in odd_ones(still) for name in group.names)
    return sorted({*odd, *(busy if 2 * len(busy) < standing else ())})


def _halves(rounds: Sequence[Sequence[ProcessStack]]) -> tuple[tuple[StackGroup, ...], tuple[StackGroup, ...]]:
    """(groups of what stands still, groups of processes that move) by the last sample."""
    resting = at_rest(rounds)
    names = {stack.name for stack in resting}
    last = rounds[-1] if rounds else ()
    return grouped(resting), grouped(one for one in last if one.is_main and one.name not in names)


def slowness_sentences(rounds: Sequence[Sequence[ProcessStack]], groups: Sequence[ProcessGroup]) -> list[str]:
    """Of a job that moves but slowly: who stood apart in most samples, and the group in which most of them were."""
    count = len(rounds)
    told = [
        f"{names_in_words(one.names)} stood apart in {one.rounds} of {count} samples, last in {one.stack.place}"
        for one in standing_apart(rounds)
    ]
    odd = [ranks_in(name for group in odd_ones(grouped(stacks)) for name in group.names) for stacks in rounds]
    if (found := group_apart(odd, groups)) is not None:
        group, times = found
        told.append(f"most of those who stood apart were of {_named(group)}, in {times} of {count} samples")
    return told or ([f"nobody stood apart in most of {count} samples"] if any(rounds) else [])


def summary(groups: Sequence[StackGroup]) -> str:
    """Where the processes stand, in one line of English: "63 ranks are in train.py:90 step → all_reduce; …".

    Who stands apart comes right behind the many, who waits for another process last; of those that are no ranks and
    run nothing of the user's, as launchers and helpers, only how many there are.
    """
    odd = {name for group in odd_ones(groups) for name in group.names}
    ordered = sorted(groups, key=lambda group: (-len(group.names), group.stack.awaits_process))
    if odd:
        ordered[1:] = sorted(ordered[1:], key=lambda group: odd.isdisjoint(group.names))
    shown = [group for group in ordered if _is_of_user(group)] or ordered
    others = sum(len(group.names) for group in ordered if group not in shown)
    told = [f"{_who(group.names)} in {group.stack.place}" for group in shown]
    if others:
        told.append(f"{others} more {'process is' if others == 1 else 'processes are'} in no code of yours")
    return "; ".join(told)


def _is_of_user(group: StackGroup) -> bool:
    """Whether it is at the user's work: a rank, or a process that runs code of the user's."""
    return group.stack.own is not None or any(map(is_rank, group.names))


def _shared(odd: Sequence[int], groups: Sequence[ProcessGroup]) -> list[str]:
    if len(odd) < 2 or not groups:  # noqa: PLR2004 (two share something)
        return []
    who = names_in_words([f"rank {rank}" for rank in odd])
    group = shared_group(odd, groups)
    if group is None:
        return [f"{who} stand apart, and no process group holds all of them"]
    return [f"{who} stand apart, all of {_named(group)}: look for the fault in that group"]


def _named(group: ProcessGroup) -> str:
    return f"{group.name} ({names_in_words([f'rank {rank}' for rank in group.ranks])})"


def _who(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{names[0]} is"
    kind = "ranks" if all(map(is_rank, names)) else "processes"
    return f"{len(names)} {kind} are"


def stacks_for_rules(rounds: Sequence[Sequence[ProcessStack]]) -> Iterator[tuple[str, str]]:
    """(whose, text) of each group of what stands still.

    Of processes that stand in one place but for a few, the few are what the others wait for: rules read theirs alone,
    below a line that says so. Else they read those that run code of the user's and wait for no other process, where
    there are any. The other threads of a process are read where its main thread may wait for one of them.
    """
    resting = at_rest(rounds)
    still = grouped(stack for stack in resting if stack.is_main)
    odd = odd_ones(still)
    at_work = [group for group in still if _is_of_user(group) and not group.stack.awaits_process]
    shown = odd or at_work or still
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
