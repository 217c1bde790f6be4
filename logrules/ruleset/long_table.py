"""The long tables of a pack, of which a diagnosis needs a few rows: each row is built when somebody asks for it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar, overload

Row = TypeVar("Row")
Summary = TypeVar("Summary")


class LongTable(Sequence[Row], Generic[Row, Summary]):
    """Frozen rows in order, and their ``summary``: what is asked of all of them, which is kept with them.

    To build the thousands of rows of a kept pack takes longer than to read a log of a hundred lines.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._rows: list[Row | bytes] = list(rows)
        self._built: Callable[[bytes], Row] | None = None
        self._summary: Summary | None = None

    @classmethod
    def from_kept(cls, rows: list[bytes], built: Callable[[bytes], Row], summary: Summary) -> "LongTable[Row, Summary]":
        """A table of rows as they were kept, each of which ``built`` makes from its bytes."""
        found = cls()
        found._rows, found._built, found._summary = [*rows], built, summary
        return found

    @staticmethod
    def summarized(rows: Sequence[Row]) -> Summary:
        """What is asked of all rows together."""
        raise NotImplementedError

    @property
    def summary(self) -> Summary:
        """What is asked of all rows together; reckoned once, and for a kept table not at all."""
        if self._summary is None:
            self._summary = self.summarized(self)
        return self._summary

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...

    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(place, slice):
            return tuple(map(self._row, range(*place.indices(len(self._rows)))))
        row = self._rows[place]
        return self._row(place) if isinstance(row, bytes) else row

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, range(len(self._rows)))

    def _row(self, place: int) -> Row:
        row = self._rows[place]
        if isinstance(row, bytes) and self._built is not None:
            row = self._rows[place] = self._built(row)
        return row  # type: ignore[return-value]  # bytes only in a table that can build them

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, LongTable) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as of other mutable values: rows are put in on demand
