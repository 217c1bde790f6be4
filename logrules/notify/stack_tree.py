"""The stacks of a job as one tree: what they have in common is written once, with who stands where."""

from collections.abc import Iterator, Sequence
from dataclasses import field

from logrules.model.record import mutable_record
from logrules.notify.stack_groups import ProcessStack, StackFrame, is_rank
from logrules.output.numbers import spans

MAX_LINES = 40
_MAX_NAMES = 4


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
    ranks = sorted({int(name[5:]) for name in names if is_rank(name)})
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
