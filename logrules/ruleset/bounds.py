"""Bounds of texts in rule files, said where a diagnosis reads them and must not load what checks them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Len:
    """Between how many characters a text has. Pydantic asks for its parts by the protocol of `annotated_types`."""

    shortest: int
    longest: int

    @property
    def __is_annotated_types_grouped_metadata__(self) -> Literal[True]:
        return True

    def __iter__(self) -> Iterator[Any]:
        """The bounds that make it up."""
        from annotated_types import MaxLen, MinLen

        yield MinLen(self.shortest)
        yield MaxLen(self.longest)
