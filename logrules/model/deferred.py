"""Values that are made on first use: a live report is made on every change, and only read in part."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar, overload

_Item_co = TypeVar("_Item_co", covariant=True)


class Deferred(Sequence[_Item_co]):
    """The tuple that ``make`` returns. It equals that tuple, and is copied and pickled as it."""

    __slots__ = ("_whole",)

    def __init__(self, make: Callable[[], tuple[_Item_co, ...]]) -> None:
        self._whole = cache(make)

    @overload
    def __getitem__(self, place: int) -> _Item_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[_Item_co, ...]: ...
    def __getitem__(self, place: int | slice) -> _Item_co | tuple[_Item_co, ...]:
        return self._whole()[place]

    def __iter__(self) -> Iterator[_Item_co]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Deferred):
            return self._whole() == other._whole()
        return bool(self._whole() == other) if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._whole())

    def __repr__(self) -> str:
        return repr(self._whole())

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self._whole(),)
