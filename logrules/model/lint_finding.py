"""Something that `logrules check` found in a rule file."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files

from logrules.model.position import Position
from logrules.model.record import record
from logrules.model.report import Severity, Text

# Keys of mappings and indices of lists, from the top of a document.
NodePath = tuple[str | int, ...]


@record
class LintFinding:
    """What is wrong and where; ``code`` is its kind.

    ``removes`` is the part of the document to remove, if that fixes it without changing any diagnosis.
    """

    place: Position
    code: str
    message: str
    removes: NodePath | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.code} {self.message}"


@record
class Code:
    """A kind of finding. ``repaired`` says whether ``--fix`` can fix it."""

    id: str
    name: str
    severity: Severity
    title: Text
    why: Text
    help: Text
    repaired: bool = False


def _codes() -> dict[str, Code]:
    rows = tomllib.loads((files("logrules.model") / "lint_codes.toml").read_text(encoding="utf-8"))
    said = {name: {key: Text(**row[key]) for key in ("title", "why", "help")} for name, row in rows.items()}
    return {
        name: Code(name, row["name"], Severity(row["severity"]), **said[name], repaired=row.get("repaired", False))
        for name, row in rows.items()
    }


CODES: Mapping[str, Code] = _codes()
# The codes of problems for which a pack cannot be compiled.
OF_PROBLEM: Mapping[str, str] = {code.name: code.id for code in CODES.values()}
