"""Packs that came as Python packages: entry points of the group `logrules.packs`, found without running their code.

[project.entry-points."logrules.packs"]
acme = "acme_rules:rules"       # the folder `rules` of the package `acme_rules`
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.ruleset.cache_files import keep, kept

GROUP = "logrules.packs"


@dataclass(frozen=True, slots=True)
class InstalledPack:
    """A pack by its entry point's name and the folder that it names."""

    name: str
    folder: Path


def installed_packs() -> tuple[InstalledPack, ...]:
    """The packs that installed packages bring, by name. Raises PackError where one names no folder."""
    return tuple(InstalledPack(name, _folder(name, value)) for name, value in sorted(_entry_points(sys.path)))


def _entry_points(path: Sequence[str]) -> list[tuple[str, str]]:
    """(name, value) of each entry point; remembered until a folder of packages changes, since looking takes long."""
    import hashlib

    state = json.dumps([[folder, _changed(folder)] for folder in path])
    name = f"installed-{hashlib.sha256(state.encode()).hexdigest()[:32]}.json"
    body = kept(name)
    if body is not None:
        return [(str(one), str(value)) for one, value in json.loads(body)]
    found = list(_look(path))
    keep("installed", name, json.dumps(found).encode())
    return found


def _changed(folder: str) -> int:
    try:
        return os.stat(folder or ".").st_mtime_ns  # noqa: PTH116 (a Path of each costs more than the look)
    except OSError:
        return 0


def _look(path: Sequence[str]) -> Iterator[tuple[str, str]]:
    from importlib.metadata import distributions

    for distribution in distributions(path=list(path)):
        for point in distribution.entry_points:
            if point.group == GROUP:
                yield point.name, point.value


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
