"""What the user wants followed, looked up again and again: files, patterns, folders with all that is below them."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from logrules.sources.file_patterns import matches
from logrules.sources.flight_names import is_dump, rank_of_name
from logrules.sources.log_names import holds_logs, is_log_name, natural


class WatchedPaths:
    """The logs behind ``paths``, as they are now. What does not exist yet may come."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = tuple(paths)
        self._names: dict[Path, str] = {}
        self._taken: set[str] = set()
        self._dumps: set[Path] = set()

    def files(self) -> tuple[list[tuple[Path, str]], list[tuple[Path, str]]]:
        """The logs and the dumps of flight recorders, each with the name that it has in the report, and keeps."""
        logs: list[tuple[Path, str]] = []
        dumps: list[tuple[Path, str]] = []
        for path, depth in list(self._found()):
            (dumps if self._is_dump(path) else logs).append((path, self._name(path, depth)))
        return logs, dumps

    def missing(self) -> list[str]:
        """Those of the paths behind which there is nothing yet."""
        return [given for given in self._paths if not any(map(os.path.exists, matches(given)))]

    def _found(self) -> Iterator[tuple[Path, int]]:
        met: set[Path] = set()
        for given in self._paths:
            for path in map(Path, matches(given)):
                # Not Path.is_dir: before Python 3.14 it raises PermissionError, and what else stands against looking.
                is_folder = os.path.isdir(path)  # noqa: PTH112
                for file in self._below(path) if is_folder else [path]:
                    if file not in met:
                        met.add(file)
                        yield file, len(file.parts) - len(path.parts) if is_folder else 1

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

    def _below(self, folder: Path) -> Iterator[Path]:
        """Logs and dumps in a steady order. A link out of the tree into it would show a log twice."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: natural(entry.name))
        except OSError:
            return
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    if holds_logs(entry.name):
                        yield from self._below(folder / entry.name)
                elif entry.is_file(follow_symlinks=False):
                    path = folder / entry.name
                    if is_log_name(entry.name) or self._is_dump(path):
                        yield path
            except OSError:
                continue

    def _is_dump(self, path: Path) -> bool:
        """Whether it is one by its name and how it begins, of which nothing may be written yet."""
        if path in self._dumps:
            return True
        # By the name first: a folder of checkpoints holds thousands of files, and is looked through again and again.
        if is_log_name(path.name) or rank_of_name(path.name) is None or not (os.path.isfile(path) and is_dump(path)):  # noqa: PTH113
            return False
        self._dumps.add(path)
        return True
