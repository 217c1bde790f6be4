"""What installed packages bring to logrules: entry points of the groups `logrules.*`, found without running their code.

Looking through all packages takes long, so what was found is remembered until a folder of packages changes. Packs of
rules are entry points of the group `logrules.packs`:

[project.entry-points."logrules.packs"]
acme = "acme_rules:rules"       # the folder `rules` of the package `acme_rules`
"""

import marshal
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.model.record import record
from logrules.ruleset.cache_files import keep_for, kept_for

_PREFIX = "logrules."


def entry_points(group: str) -> tuple[tuple[str, str], ...]:
    """(name, value) of each entry point of a group, by name; of two with one name the first on the path counts."""
    found: dict[str, str] = {}
    for its_group, name, value in _all(sys.path):
        if its_group == group:
            found.setdefault(name, value)
    return tuple(sorted(found.items()))


def _all(path: Sequence[str]) -> list[tuple[str, str, str]]:
    state = repr([(folder, _changed(folder)) for folder in path]).encode() + b"\n"
    body = kept_for("installed", state)
    if body is not None:
        return [(str(group), str(name), str(value)) for group, name, value in marshal.loads(body)]  # noqa: S302 (our own)
    found = list(_look(path))
    keep_for("installed", state, marshal.dumps(found))
    return found


def _changed(folder: str) -> int:
    try:
        return os.stat(folder or ".").st_mtime_ns  # noqa: PTH116 (a Path of each costs more than the look)
    except OSError:
        return 0


def _look(path: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    from importlib.metadata import distributions

    for distribution in distributions(path=list(path)):
        for point in distribution.entry_points:
            if point.group.startswith(_PREFIX):
                yield point.group, point.name, point.value


GROUP = "logrules.packs"


@record
class InstalledPack:
    """A pack by its entry point's name and the folder that it names."""

    name: str
    folder: Path


def installed_packs() -> tuple[InstalledPack, ...]:
    """The packs that installed packages bring, by name. Raises PackError where one names no folder."""
    return tuple(InstalledPack(name, _folder(name, value)) for name, value in entry_points(GROUP))


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
