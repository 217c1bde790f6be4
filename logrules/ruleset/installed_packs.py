"""Packs that came as Python packages: entry points of the group `logrules.packs`, found without running their code.

[project.entry-points."logrules.packs"]
acme = "acme_rules:rules"       # the folder `rules` of the package `acme_rules`
"""

from pathlib import Path

from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.ruleset.entry_points import entry_points

GROUP = "logrules.packs"


def installed_packs() -> tuple[tuple[str, Path], ...]:
    """(name, folder) of each pack that installed packages bring. Raises PackError where one names no folder."""
    return tuple((name, _folder(name, value)) for name, value in entry_points(GROUP))


def _folder(name: str, value: str) -> Path:
    from importlib.util import find_spec

    module, _, below = value.partition(":")
    try:
        found = find_spec(module.strip())
    except (ImportError, ValueError):
        found = None
    folders = [Path(root) / below.strip() for root in (found.submodule_search_locations or ())] if found else []
    folder = next((one for one in folders if one.is_dir()), None)
    if folder is None:
        raise PackError([Problem(Position(value), f"the installed pack `{name}` names no folder of a package")])
    return folder
