"""What the entries of a scanner tell of, as far as it matters to which of the lines that carry them are read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from logrules.model.record import record
from logrules.parsing.hit_line import HitLine
from logrules.parsing.line_identity import may_name_exception

# Lines of a traceback that are so far apart still belong together: source text and marks stand between its frames.
TRACE_GAP_LINES = 3

_Line = TypeVar("_Line")


@record
class EntryRoles:
    """Entries by what they tell of.

    Lines with one of ``of_traces`` mean something only together with their neighbours. Those with one of ``exceptions``
    name one; those with one of ``below`` stand below a frame and may do so. Lines with one of ``telling`` tell of a
    failure. By entry, ``askers`` numbers who asks for it: entries of one number mean the same to all rules.
    """

    of_traces: frozenset[int] = frozenset()
    exceptions: frozenset[int] = frozenset()
    below: frozenset[int] = frozenset()
    telling: frozenset[int] = frozenset()
    askers: Sequence[int] = ()

    def asking(self, entries: Iterable[int]) -> set[int]:
        """Who asks for one of these entries."""
        return {self.askers[entry] for entry in entries} if self.askers else set(entries)

    def may_name(self, line: HitLine) -> bool:
        """Whether a line may name an exception."""
        return not self.exceptions.isdisjoint(line.kind) or may_name_exception(line.raw)


def runs(lines: Iterable[_Line], number_of: Callable[[_Line], int]) -> Iterator[list[_Line]]:
    """Lines of tracebacks that stand close together."""
    run: list[_Line] = []
    for line in lines:
        if run and number_of(line) - number_of(run[-1]) > TRACE_GAP_LINES:
            yield run
            run = []
        run.append(line)
    if run:
        yield run
