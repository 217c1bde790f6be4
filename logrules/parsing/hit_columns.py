"""The hits of a scan, of which a line full of literals has as many as bytes."""

from array import array
from collections.abc import Iterator, Sequence
from typing import overload


class HitColumns(Sequence[tuple[int, int]]):
    """Pairs of (offset behind the literal, its number) in two columns: of as many tuples a full line took 30 MB."""

    def __init__(self) -> None:
        self.ends, self.numbers = array("q"), array("l")

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.ends, self.numbers, strict=True)

    @overload
    def __getitem__(self, place: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[tuple[int, int]]: ...
    def __getitem__(self, place: int | slice) -> tuple[int, int] | Sequence[tuple[int, int]]:
        if isinstance(place, slice):
            return list(zip(self.ends[place], self.numbers[place], strict=True))
        return self.ends[place], self.numbers[place]
