"""What the user wants followed, looked up again and again: files, patterns, folders with all logs below them."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from logrules.sources.log_names import holds_logs, is_log_name, matches, natural


class WatchedPaths:
    """The logs behind ``paths``, as they are now. What does not exist yet may come."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = tuple(paths)
        self._names: dict[Path, str] = {}
        self._taken: set[str] = set()

    def logs(self) -> list[tuple[Path, str]]:
        """Every log and the name that it has in the report; a log keeps its name."""
        found = list(self._found())
        return [(path, self._name(path, depth)) for path, depth in found]

    def missing(self) -> list[str]:
        """Those of the paths behind which there is nothing yet."""
        return [given for given in self._paths if not any(map(os.path.exists, matches(given)))]

    def _found(self) -> Iterator[tuple[Path, int]]:
        met: set[Path] = set()
        for given in self._paths:
            for path in map(Path, matches(given)):
                logs = _below(path) if path.is_dir() else [path]
                for log in logs:
                    if log not in met:
                        met.add(log)
                        yield log, len(log.parts) - len(path.parts) if path.is_dir() else 1

    def _name(self, path: Path, depth: int) -> str:
        """The last parts of its path, as many as it takes to tell it from those that have a name."""
        known = self._names.get(path)
        if known is not None:
            return known
        parts = path.absolute().parts
        names = (Path(*parts[-length:]).as_posix() for length in range(depth, len(parts) + 1))
        name = next((name for name in names if name not in self._taken), str(path))
        self._taken.add(name)
        self._names[path] = name.encode(errors="backslashreplace").decode()
        return self._names[path]


def _below(folder: Path) -> Iterator[Path]:
    """Files with log-like names, in a steady order. A link out of the tree into it would show a log twice."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: natural(entry.name))
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                if holds_logs(entry.name):
                    yield from _below(folder / entry.name)
            elif entry.is_file(follow_symlinks=False) and is_log_name(entry.name):
                yield folder / entry.name
        except OSError:
            continue
