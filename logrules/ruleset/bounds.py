"""Bounds of rule files, and the kinds of texts in them, said without what checks them: a diagnosis reads them too."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from logrules.model.record import record
from logrules.ruleset.duration import FORM

# Of a rule file, and of all of a pack; and how many files a pack may have.
MAX_FILE_BYTES = 1_000_000
MAX_PACK_BYTES = 50_000_000
MAX_PACK_FILES = 10_000
# Of the lists, mappings, texts and numbers of all files that are read together: the shipped ones have 70,000.
MAX_PACK_PARTS = 400_000


class _Bounds:
    """What Pydantic asks for its parts, by the protocol of `annotated_types`."""

    @property
    def __is_annotated_types_grouped_metadata__(self) -> Literal[True]:
        return True


@record
class LooksLike(_Bounds):
    """How a text looks, as a pattern."""

    pattern: str

    def __iter__(self) -> Iterator[Any]:
        """The bounds that make it up."""
        from pydantic import StringConstraints

        yield from StringConstraints(pattern=self.pattern)


@record
class Compiles(_Bounds):
    """A text is a pattern that may be used, with the flags ``before`` it."""

    before: str = ""

    def __iter__(self) -> Iterator[Any]:
        """The check that it stands for."""
        from pydantic import AfterValidator

        from logrules.ruleset.pattern import usable

        yield AfterValidator(lambda pattern: usable(self.before + pattern) and pattern)


@record
class Len(_Bounds):
    """Between how many characters a text has, or entries a list."""

    shortest: int
    longest: int

    def __iter__(self) -> Iterator[Any]:
        """The bounds that make it up."""
        from annotated_types import MaxLen, MinLen

        yield MinLen(self.shortest)
        yield MaxLen(self.longest)


Name = Annotated[str, LooksLike(r"^[a-z][a-z0-9-]*$"), Len(1, 60)]
# A text of one line that the scan looks for: of nothing, it would be found everywhere. The scanner ends it at a NUL.
SearchedText = Annotated[str, LooksLike(r"^[^\r\n\x00]+$"), Len(3, 200)]
Pattern = Annotated[str, Len(1, 2000), Compiles()]
Duration = Annotated[str, LooksLike(FORM)]
