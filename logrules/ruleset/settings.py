"""A project's own word on its rules: `logrules.toml`, or `[tool.logrules]` in `pyproject.toml`.

Only what is needed to find packs is looked at here, on every start; the rest is checked when they are compiled.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.model.record import record
from logrules.ruleset.bounded_read import decoded, read_named

CONFIG_NAME = "logrules.toml"
PROJECT_NAME = "pyproject.toml"
MAX_CONFIG_BYTES = 1_000_000
_MARK = b"tool.logrules"
_TOO_LONG = "has a number of too many digits"


@record
class Settings:
    """What a configuration says: its table as JSON, and the text that it was read from, for messages.

    ``packs`` are folders of rules, later ones before earlier ones where both define the same; ``installed`` says
    whether packs that were installed as Python packages count.
    """

    path: str = ""
    text: str = ""
    table: str = "{}"
    packs: tuple[Path, ...] = ()
    installed: bool = True


def find_settings(start: Path) -> Settings:
    """The nearest configuration at or above ``start``, up to the root of its repository; the defaults without one.

    Raises PackError where it cannot be read.
    """
    for folder in (start, *start.parents):
        for path in (folder / CONFIG_NAME, folder / PROJECT_NAME):
            if path.is_file() and (found := _settings_in(path)) is not None:
                return found
        if (folder / ".git").exists():
            break
    return Settings()


def read_settings(path: Path) -> Settings:
    """The configuration in this file. Raises PackError where there is none."""
    found = _settings_in(path)
    if found is None:
        raise PackError([Problem(Position(str(path), 0), "has no table [tool.logrules]")])
    return found


def _settings_in(path: Path) -> Settings | None:
    raw = read_named(path, MAX_CONFIG_BYTES)
    project = path.name == PROJECT_NAME
    if project and _MARK not in raw:
        return None
    text = decoded(raw, str(path))
    data = _parsed(text, str(path))
    table = data.get("tool", {}).get("logrules") if project else data
    if not isinstance(table, dict):
        return None
    import json

    try:
        plain = json.dumps(table, sort_keys=True, default=str, ensure_ascii=False)
    except (RecursionError, ValueError) as fault:
        said = "is nested too deep" if isinstance(fault, RecursionError) else _TOO_LONG
        raise PackError([Problem(Position(str(path), 0), said)]) from None
    return Settings(
        str(path),
        text,
        plain,
        tuple(path.parent / name for name in _texts(table, "packs", path)),
        table.get("installed") is not False,
    )


def _texts(table: Mapping[str, Any], key: str, path: Path) -> Iterator[str]:
    names = table.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise PackError([Problem(Position(str(path)), f"`{key}` must be a list of folders")])
    if any("\0" in name for name in names):
        raise PackError([Problem(Position(str(path)), f"`{key}` names a folder that there cannot be")])
    yield from names


def _parsed(text: str, shown: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as fault:
        if type(fault) is ValueError:  # Python's own, of a number
            raise PackError([Problem(Position(shown, 0), _TOO_LONG)]) from None
        at = re.search(r" \(at line (\d+), column (\d+)\)", str(fault))
        place = Position(shown, int(at[1]), int(at[2])) if at else Position(shown, max(len(text.splitlines()), 1))
        reason = re.sub(r" \(at .*\)", "", str(fault))
        raise PackError([Problem(place, f"is not valid TOML: {reason}")]) from None
