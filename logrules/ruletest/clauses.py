"""A condition taken apart, as plain data that processes hand on."""

from collections.abc import Iterator

from logrules.inference.condition_trace import Part
from logrules.model.test_result import Clause


def clauses_of(part: Part, depth: int = 0) -> Iterator[Clause]:
    """The condition's parts, each under what it is a part of."""
    yield Clause(depth, part.text, part.holds, part.reason)
    for inner in part.parts:
        yield from clauses_of(inner, depth + 1)
