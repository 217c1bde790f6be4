"""The stacks of a job's processes, merged: groups of equal stacks, who stands elsewhere, and all as one tree.

Pure functions.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from logrules.model.record import field, mutable_record, record
from logrules.output.numbers import spans
from logrules.tools.inspection.stack_dump import ProcessStack, StackFrame

MAX_PROCESSES = 4_096
# With fewer processes than these in the largest group, nobody can be called the odd one out.
_MANY = 2
MAX_LINES = 40
_MAX_NAMES = 4
# An actor at work as Ray titles its process, on another node behind the name of that.
_ACTOR = re.compile(r"(?:\S+ )?(?P<class>\w+)\.\S+ \(pid \d+\)")


@record
class StackGroup:
    """Processes whose stacks are equal; ``stack`` is that of the first."""

    names: tuple[str, ...]
    stack: ProcessStack


def grouped(stacks: Iterable[ProcessStack]) -> tuple[StackGroup, ...]:
    """The stacks in groups of equal ones, the largest first."""
    found: dict[object, list[ProcessStack]] = {}
    for stack in list(stacks)[:MAX_PROCESSES]:
        found.setdefault(stack.key, []).append(stack)
    groups = [StackGroup(tuple(one.name for one in same), same[0]) for same in found.values()]
    return tuple(sorted(groups, key=lambda group: -len(group.names)))


def at_rest(rounds: Sequence[Sequence[ProcessStack]]) -> tuple[ProcessStack, ...]:
    """The processes whose stack was the same in all samples, to the line: what moves is not stuck."""
    resting = tuple(rounds[-1]) if rounds else ()
    for earlier in rounds[:-1]:
        before = {stack.name: stack.frames for stack in earlier}
        resting = tuple(stack for stack in resting if before.get(stack.name) == stack.frames)
    return resting


def odd_ones(groups: Sequence[StackGroup]) -> tuple[StackGroup, ...]:
    """The groups that stand elsewhere than nearly all who do the same work: none where no group is the rule.

    Where most stand in no one place (the stages of a pipeline wait in different calls), those of half the size of the
    largest group and less. Beside ranks, or workers of Ray, a launcher, a driver and helpers are not compared, nor
    is who waits for the end of others, or a further thread of a process.
    """
    peers = [group for group in groups if group.stack.is_main and not group.stack.awaits_process]
    return tuple(odd for alike in _by_work(peers) for odd in _odd_among(alike))


def _by_work(groups: Sequence[StackGroup]) -> list[list[StackGroup]]:
    """The groups of those who do the same work, the largest first; all in one where of nobody it is known."""
    found: dict[str | None, list[StackGroup]] = {}
    for group in groups:
        for work in dict.fromkeys(map(_work_of, group.names)):
            names = tuple(name for name in group.names if _work_of(name) == work)
            found.setdefault(work, []).append(StackGroup(names, group.stack))
    found.pop(None, None)
    known = [alike for alike in found.values() if sum(len(group.names) for group in alike) >= _MANY]
    return [sorted(alike, key=lambda group: -len(group.names)) for alike in known or [list(groups)]]


def _work_of(name: str) -> str | None:
    """What a process shares with its peers: to be a rank, or the class of an actor of Ray."""
    if is_rank(name):
        return "rank"
    actor = _ACTOR.fullmatch(name)
    return actor["class"] if actor else None


def _odd_among(alike: Sequence[StackGroup]) -> Sequence[StackGroup]:
    if not alike:
        return ()
    largest = len(alike[0].names)
    count = sum(len(group.names) for group in alike)
    few = [group for group in alike[1:] if 2 * largest > count or 2 * len(group.names) <= largest]
    apart = sum(len(group.names) for group in few)
    return few if largest >= _MANY and 2 * apart < count else ()


def is_rank(name: str) -> bool:
    """Whether a process is known by its rank."""
    return name.startswith("rank ") and name[5:].isdecimal()


def ranks_in(names: Iterable[str]) -> list[int]:
    """The ranks among these processes."""
    return sorted({int(name[5:]) for name in names if is_rank(name)})


@record
class Apart:
    """Processes that stood elsewhere than most in so many ``rounds``; ``stack`` is where one of them stood last."""

    names: tuple[str, ...]
    rounds: int
    stack: ProcessStack


def standing_apart(rounds: Sequence[Sequence[ProcessStack]]) -> tuple[Apart, ...]:
    """Who stood apart in more than half of the samples, those who did most often first."""
    counts: dict[str, int] = {}
    last: dict[str, ProcessStack] = {}
    for stacks in rounds:
        for group in odd_ones(grouped(stacks)):
            for name in group.names:
                counts[name] = counts.get(name, 0) + 1
                last[name] = group.stack
    often: dict[int, list[str]] = {}
    for name, count in counts.items():
        if 2 * count > len(rounds):
            often.setdefault(count, []).append(name)
    return tuple(Apart(tuple(names), count, last[names[0]]) for count, names in sorted(often.items(), reverse=True))


@mutable_record
class _Node:
    names: list[str] = field(default_factory=list)
    below: dict[tuple[str, str, int], tuple[StackFrame, "_Node"]] = field(default_factory=dict)


def tree_lines(stacks: Sequence[ProcessStack]) -> list[str]:
    """The tree from the outermost frame in, a line a fork: its frames, and whose they are. At most `MAX_LINES`."""
    root = _Node()
    for stack in stacks:
        node = root
        node.names.append(stack.name)
        for frame in reversed(stack.frames):
            _, node = node.below.setdefault((frame.function, frame.file, frame.line), (frame, _Node()))
            node.names.append(stack.name)
    lines = list(_lines(root, 0))
    if len(lines) > MAX_LINES:
        return [*lines[:MAX_LINES], f"… and {len(lines) - MAX_LINES} more"]
    return lines


def names_in_words(names: Sequence[str]) -> str:
    """Who: "rank 0-2, 5", or processes by their ids, of many only the first."""
    ranks = ranks_in(names)
    others = [name for name in names if not is_rank(name)]
    shown = [f"rank {', '.join(spans(ranks))}"] if ranks else []
    more = len(others) - _MAX_NAMES
    return ", ".join((*shown, *others[:_MAX_NAMES])) + (f" and {more} more" if more > 0 else "")


def _lines(node: _Node, depth: int) -> Iterator[str]:
    """A chain of frames without a fork is one line; its innermost frames say the most."""
    for frame, below in sorted(node.below.values(), key=lambda pair: -len(pair[1].names)):
        chain, inner = [frame], below
        while len(inner.below) == 1 and len(_only(inner)[1].names) == len(inner.names):
            step, inner = _only(inner)
            chain.append(step)
        indent = "  " * min(depth, 12)
        yield f"{indent}[{names_in_words(below.names)}] {_shown(chain)}"
        yield from _lines(inner, depth + 1)


def _only(node: _Node) -> tuple[StackFrame, _Node]:
    return next(iter(node.below.values()))


def _shown(chain: Sequence[StackFrame]) -> str:
    """The frames of the user's code and the innermost: what carries them tells nothing."""
    kept = [frame for n, frame in enumerate(chain) if frame.own or n == len(chain) - 1]
    return " → ".join(frame.place for frame in kept[-6:])
