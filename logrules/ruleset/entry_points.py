"""What installed packages bring to logrules: entry points of the groups `logrules.*`, found without running their code.

Looking through all packages takes long, so what was found is remembered until a folder of packages changes. A package
that brings rules names their folder in itself:

[project.entry-points."logrules.packs"]
acme = "acme_rules:rules"       # the folder `rules` of the package `acme_rules`
"""

import marshal
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from logrules.model.errors import LogrulesError, PackError
from logrules.model.position import Position, Problem
from logrules.ruleset.cache_files import SPOILT, keep_for, kept_for

PACKS = "logrules.packs"
FORMS = "logrules.forms"
_PREFIX = "logrules."
# How what tells of a package is named; an egg holds it in a folder of this name.
_TELLING = (".dist-info", ".egg-info", ".egg", "egg-info")


def entry_points(group: str) -> tuple[tuple[str, str], ...]:
    """(name, value) of each entry point of a group, by name; of two with one name the first on the path counts."""
    found: dict[str, str] = {}
    for its_group, name, value in _all(sys.path):
        if its_group == group:
            found.setdefault(name, value)
    return tuple(sorted(found.items()))


def loaded(name: str, value: str) -> Any:
    """What an entry point names: a module, or what stands in it behind a colon. Raises LogrulesError."""
    module, _, member = value.partition(":")
    try:
        found = import_module(module)
        return getattr(found, member) if member else found
    except LogrulesError:
        raise
    except (Exception, SystemExit) as fault:  # whatever its code does
        raise LogrulesError(f"`{name}` of an installed package cannot be loaded ({fault})") from fault


def installed_packs() -> tuple[tuple[str, Path], ...]:
    """(name, folder) of each pack that installed packages bring. Raises PackError where one names no folder."""
    return tuple((name, _folder(name, value)) for name, value in entry_points(PACKS))


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


def _all(path: Sequence[str]) -> list[tuple[str, str, str]]:
    # A folder in which a job writes its logs changes all the time: one without packages does not count.
    seen = ((folder, _changed(folder)) for folder in path)
    state = repr([one for one in seen if _has_packages(*one)]).encode() + b"\n"
    body = kept_for("installed", state)
    if body is not None:
        with suppress(*SPOILT):
            return [(str(group), str(name), str(value)) for group, name, value in marshal.loads(body)]  # noqa: S302 (our own)
    found = list(_look(path))
    keep_for("installed", state, marshal.dumps(found))
    return found


@lru_cache(maxsize=64)
def _has_packages(folder: str, _changed: int) -> bool:
    """Whether a folder (or the archive that it is) as it is since then may tell of an installed package."""
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208 (a Path of each costs more than the look)
    except NotADirectoryError:
        return True
    except OSError:
        return False
    return any(name.lower().endswith(_TELLING) for name in names)


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
