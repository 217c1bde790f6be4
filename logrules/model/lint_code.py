"""What the faults that `logrules check` finds in rule files mean, by their codes."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files

from logrules.model.record import record
from logrules.model.report import Severity, Text


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
