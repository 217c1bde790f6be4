"""Values that are made when somebody first asks for them: a live report is made with all news, and read in part."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, overload

_Value = TypeVar("_Value")
_Item_co = TypeVar("_Item_co", covariant=True)


class Once(Generic[_Value]):
    """A call whose outcome is kept. ``make`` must give the same whenever it is asked."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], _Value]) -> None:
        self._make = make
        self._made: tuple[_Value, ...] = ()

    def __call__(self) -> _Value:
        """The outcome."""
        if not self._made:
            self._made = (self._make(),)
        return self._made[0]


class Deferred(Sequence[_Item_co]):
    """The tuple that ``make`` gives. It equals that tuple, and is copied and sent to other processes as that."""

    __slots__ = ("_whole",)

    def __init__(self, make: Callable[[], tuple[_Item_co, ...]]) -> None:
        self._whole = Once(make)

    @overload
    def __getitem__(self, place: int) -> _Item_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[_Item_co, ...]: ...
    def __getitem__(self, place: int | slice) -> _Item_co | tuple[_Item_co, ...]:
        return self._whole()[place]

    def __len__(self) -> int:
        return len(self._whole())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Deferred):
            return bool(self._whole() == other._whole())
        return bool(self._whole() == other) if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._whole())

    def __repr__(self) -> str:
        return repr(self._whole())

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self._whole(),)
