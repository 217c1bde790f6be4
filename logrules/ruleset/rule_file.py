"""A rule file: before anybody has looked into it, and with what it says."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from logrules.model.position import NodePath, Problem
from logrules.model.record import record

if TYPE_CHECKING:
    from logrules.ruleset.framework_models import FrameworkFile
    from logrules.ruleset.models import FixesFile, RuleFile
    from logrules.ruleset.tables import Tables
    from logrules.ruleset.translation import Translation
    from logrules.ruleset.yaml_reader import Document

    AnyFile: TypeAlias = RuleFile | FrameworkFile | FixesFile | Tables | Translation

# What messages call the folder of the shipped rules.
SHIPPED = "rules"


@record
class RuleText:
    """A rule file as bytes, under the name that messages use; the pack that it came with, and where it is."""

    shown: str
    raw: bytes
    origin: str = ""
    path: Path = Path()

    @property
    def id(self) -> str:
        """What a rule in it is called that does not say: the path below the pack's folder, of two parts at least."""
        parts = PurePath(self.shown).with_suffix("").parts
        below = self.path.relative_to(self.origin) if self.origin and self.path.is_relative_to(self.origin) else None
        if below is not None and len(below.parts) > 1:
            return "/".join(below.with_suffix("").parts)
        return "/".join(parts[1:] if parts[0] == SHIPPED else parts[-2:])


@record
class RuleSource:
    """A document, the checked file that it says, and the pack that it came with ("" for the shipped one)."""

    document: "Document"
    file: "AnyFile"
    origin: str = ""

    def problem(
        self,
        at: Sequence[str | int],
        message: str,
        hint: str | None = None,
        *,
        code: str,
        removes: NodePath | None = None,
    ) -> Problem:
        """A fault at this path of the document."""
        return Problem(self.document.place(at), message, hint, code, removes)


def placed_records(part: Any, at: NodePath = ()) -> Iterator[tuple[NodePath, Any]]:
    """The records that a part of a file is made of, each with its place: itself first, then what is below it."""
    below: Iterable[tuple[str | int, Any]]
    if isinstance(part, tuple):
        below = enumerate(part)
    elif isinstance(part, Mapping):
        below = part.items()
    else:
        names = getattr(part, "__match_args__", ())
        below = [(name.removesuffix("_"), getattr(part, name)) for name in names]
        if names:
            yield at, part
    for key, said in below:
        # Most is not said.
        if said and not isinstance(said, str):
            yield from placed_records(said, (*at, key))
