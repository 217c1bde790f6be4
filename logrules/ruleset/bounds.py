"""Bounds of rule files, and the kinds of texts in them, said without what checks them: a diagnosis reads them too."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Annotated, Any, Literal

from logrules.model.record import record
from logrules.ruleset.duration import FORM

# Of a rule file, and of all of a pack; and how many files a pack may have.
MAX_FILE_BYTES = 1_000_000
MAX_PACK_BYTES = 50_000_000
MAX_PACK_FILES = 10_000
# Of the lists, mappings, texts and numbers of all files that are read together: the shipped ones have 70,000.
MAX_PACK_PARTS = 400_000
# Of a pattern, in characters.
_LONGEST = 2_000


class _Bounds:
    """What Pydantic asks for its parts, by the protocol of `annotated_types`."""

    @property
    def __is_annotated_types_grouped_metadata__(self) -> Literal[True]:
        return True


@record
class LooksLike(_Bounds):
    """How a text looks, as a pattern, and of how many characters it is at most."""

    pattern: str
    longest: int | None = None

    def __iter__(self) -> Iterator[Any]:
        """The bounds that make it up."""
        from pydantic import StringConstraints

        yield from StringConstraints(pattern=self.pattern, max_length=self.longest)


@record
class Reads(_Bounds):
    """What is made of a value as it is written, before it is checked."""

    made: Callable[[object], object]

    def __iter__(self) -> Iterator[Any]:
        """The reading that it stands for."""
        from pydantic import BeforeValidator

        yield BeforeValidator(self.made)


@record
class Compiles(_Bounds):
    """A pattern that may be used, with the flags ``before`` it; a list of texts is one that any of them matches.

    The ends of its lines, and the blanks around them, are no part of it.
    """

    before: str = ""

    def __iter__(self) -> Iterator[Any]:
        """The reading and the check that it stands for."""
        from pydantic import AfterValidator, BeforeValidator

        spelled = Annotated[str, Len(1, _LONGEST)]
        yield BeforeValidator(self._joined, json_schema_input_type=spelled | Annotated[list[spelled], Len(1, _LONGEST)])
        yield AfterValidator(lambda pattern: self._is_usable(pattern) and pattern)

    def _joined(self, said: object) -> object:
        """One pattern of all texts. Raises ValidationError, with the entry of the list, where one is none."""
        if isinstance(said, str):
            return _on_one_line(said)
        if not isinstance(said, list):
            return said
        from logrules.ruleset.pattern_syntax import branches_of

        texts = [_on_one_line(text) if isinstance(text, str) else text for text in said]
        with suppress(TypeError, ValueError):
            pattern = "|".join(texts)
            # Halves of a group are none, though together they are a pattern.
            if all(texts) and self._is_usable(pattern) and len(branches_of(pattern)) >= len(texts):
                return pattern
        # Each by itself tells which one is at fault.
        from pydantic import AfterValidator, TypeAdapter

        TypeAdapter(list[Annotated[str, Len(1, _LONGEST), AfterValidator(self._is_usable)]]).validate_python(texts)
        return "|".join(texts)

    def _is_usable(self, pattern: str) -> bool:
        from logrules.ruleset.pattern import usable

        return usable(self.before + pattern)


def _on_one_line(pattern: str) -> str:
    return "".join(map(str.strip, pattern.split("\n"))) if "\n" in pattern else pattern


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
Pattern = Annotated[str, Len(1, _LONGEST), Compiles()]
# One that is looked for whatever the case of a text.
CASELESS = "(?i)"
AnyCase = Annotated[str, Len(1, _LONGEST), Compiles(CASELESS)]
Duration = Annotated[str, LooksLike(FORM)]
