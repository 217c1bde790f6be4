"""Which component a frame or a line is from and what it was doing, by the table of origins."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from logrules.model.failure import Frame, Origin
from logrules.parsing.package_path import PackagePath, PathKind, package_path
from logrules.ruleset import tables

_MAX_MEMO = 20_000
_MAX_NAME = 200
_UNKNOWN = Origin()
_STANDARD_LIBRARY = "python"
_IMPORT = "<module>"
_CHECKOUT_DEPTH = 2
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_SEPARATORS = re.compile(r"[-_. ]")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the table for a file or a folder: ``path`` in parts, a folder unless ``is_file``."""

    path: tuple[str, ...]
    is_file: bool
    files: frozenset[str]
    functions: frozenset[str]
    origin: Origin

    @property
    def rank(self) -> tuple[bool, int, bool]:
        return bool(self.functions), len(self.path), bool(self.files)

    def holds(self, parts: Sequence[str], names: Iterable[str]) -> bool:
        size = len(self.path)
        if self.is_file:
            if len(parts) != size or tuple(parts) != self.path:
                return False
        elif len(parts) <= size or tuple(parts[:size]) != self.path or (self.files and parts[-1] not in self.files):
            return False
        return not self.functions or not self.functions.isdisjoint(names)


@dataclass(frozen=True, slots=True)
class _Reading:
    """An origin, and what the names say that are the user's own: ``file_phase`` is the word of the file alone."""

    origin: Origin
    file_phase: str | None = None


class OriginResolver:
    """Answers where frames and headers are from, and which frame tells the phase of a failure."""

    def __init__(
        self,
        components: Sequence[tables.Component],
        own_words: Sequence[tables.OwnWords],
        nesting: Sequence[tables.Nesting] = (),
    ) -> None:
        rows = list(_rows(components))
        self._rows: dict[str, list[_Row]] = {}
        for row in rows:
            self._rows.setdefault(row.path[0], []).append(row)
        for same_root in self._rows.values():
            same_root.sort(key=lambda row: row.rank, reverse=True)
        self._all = rows
        self._loggers, self._sources = _by_logger(components), _by_source(components)
        self._standard = next(
            (Origin(c.id, c.group, c.phase) for c in components if c.id == _STANDARD_LIBRARY), _UNKNOWN
        )
        self._words = _OwnWords(own_words)
        self._nesting = _Nestings(nesting)
        self._memo: dict[tuple[str, str], _Reading] = {}

    @cached_property
    def _copies(self) -> dict[tuple[str, str], Origin]:
        """Made when a frame outside of any package asks: most logs have none."""
        return _copies(self._all)

    def of_frame(self, file: str, function: str) -> Origin:
        """The origin of a frame as a traceback prints it; the user's own code is ``own``."""
        return self._read(file, function).origin

    def of_header(self, logger: str | None, source: str | None, function: str | None) -> Origin | None:
        """The origin of a line by what its header names: a logger, a source file, a function; None if none is known."""
        found = self._of_logger(logger, function) if logger else None
        if found is None and source:
            found = self._of_source(source[-_MAX_NAME:], function or "")
        return found

    def phase_of(self, frames: Sequence[Frame]) -> tuple[str | None, Frame | None]:
        """The phase that the frames of an exception tell, the outermost first, and the frame that tells it.

        Frames go by their file and function. Libraries and the functions of the user's code count first; where they say
        nothing, the file names of the user's code; then, whether an import was running.
        """
        readings = [self._read(frame.file, frame.function) for frame in frames]
        spoken = ((frame, reading.origin) for frame, reading in zip(frames, readings, strict=True))
        phase, teller = self._nesting.fold(spoken)
        if phase is None:
            for frame, reading in zip(reversed(frames), reversed(readings), strict=True):
                if reading.file_phase is not None:
                    return reading.file_phase, frame
            phase, teller = self._words.of_import(frames)
        return phase, teller

    def _read(self, file: str, function: str) -> _Reading:
        key = (file, function)
        known = self._memo.get(key)
        if known is None:
            if len(self._memo) >= _MAX_MEMO:
                self._memo.clear()
            known = self._memo[key] = self._resolve(package_path(file), function[-_MAX_NAME:].strip())
        return known

    def _resolve(self, path: PackagePath, function: str) -> _Reading:
        names = _names(function)
        if path.kind is PathKind.STANDARD_LIBRARY:
            row = self._best((_STANDARD_LIBRARY, *path.parts), names)
            return _Reading(row.origin if row else self._standard)
        if path.kind is PathKind.PACKAGE:
            row = self._best(path.parts, names)
            return _Reading(row.origin if row else _UNKNOWN)
        row = self._checkout(path.parts, names)
        if row is not None:
            return _Reading(row.origin)
        return self._own(path.parts, function, names)

    def _best(self, parts: Sequence[str], names: Sequence[str]) -> _Row | None:
        rows = self._rows.get(parts[0], ()) if parts else ()
        return next((row for row in rows if row.holds(parts, names)), None)

    def _checkout(self, parts: Sequence[str], names: Sequence[str]) -> _Row | None:
        """The row of a package that lies outside of where packages are installed.

        A folder that merely has a package's name is the user's own: it takes a part of the package that the table
        names, or a repository's folder of the same name around it.
        """
        for index in range(len(parts) - 2, -1, -1):
            if parts[index] not in self._rows:
                continue
            row = self._best(parts[index:], names)
            if row is None:
                continue
            above = {_plain(part) for part in parts[max(0, index - _CHECKOUT_DEPTH) : index]}
            named = len(row.path) > 1 and (not row.is_file or bool(row.functions) or len(row.path) > 2)  # noqa: PLR2004
            if named or _plain(parts[index]) in above:
                return row
        return None

    def _own(self, parts: Sequence[str], function: str, names: Sequence[str]) -> _Reading:
        file = parts[-1] if parts else ""
        copied = next((self._copies[file, name] for name in names if (file, name) in self._copies), None)
        if copied is not None:
            return _Reading(copied)
        phase = self._words.of_function(function)
        return _Reading(Origin(phase=phase, own=True), None if phase else self._words.of_file(file))

    def _of_logger(self, logger: str, function: str | None) -> Origin | None:
        name = logger[:_MAX_NAME]
        prefix = name
        while prefix:
            if prefix in self._loggers:
                return self._loggers[prefix]
            prefix = prefix.rpartition(".")[0]
        if "." not in name:
            return None
        parts = name.split(".")
        row = self._best((*parts[:-1], f"{parts[-1]}.py"), _names(function or ""))
        return row.origin if row else None

    def _of_source(self, source: str, function: str) -> Origin | None:
        parts = source.replace("\\", "/").split("/")
        for index in range(max(0, len(parts) - 4), len(parts)):
            found = self._sources.get("/".join(parts[index:]))
            if found is not None:
                return found
        if len(parts) > 1:
            path = package_path(source)
            row = (
                self._checkout(path.parts, _names(function))
                if path.kind is PathKind.ELSEWHERE
                else self._best(path.parts, _names(function))
            )
            if row is not None:
                return row.origin
        copied = self._copies.get((parts[-1], function)) if function else None
        return Origin(copied.component, copied.group, copied.phase) if copied else None


class _OwnWords:
    """The phases that words of the user's own names speak of."""

    def __init__(self, rows: Sequence[tables.OwnWords]) -> None:
        self._functions = _phrases((row.phase, row.functions) for row in rows)
        self._files = _phrases((row.phase, row.files) for row in rows)
        self._import = next((row.phase for row in rows if _IMPORT in row.functions), None)

    def of_function(self, function: str) -> str | None:
        return _spoken(function.rpartition(".")[2], self._functions)

    def of_file(self, file: str) -> str | None:
        return _spoken(file.partition(".")[0], self._files)

    def of_import(self, frames: Sequence[Frame]) -> tuple[str | None, Frame | None]:
        """Module-level code below other module-level code is what an import runs."""
        modules = [frame for frame in frames if frame.function == _IMPORT]
        return (self._import, modules[-1]) if self._import is not None and len(modules) > 1 else (None, None)


class _Nestings:
    """Which phase stays and which gives way where frames of several phases call each other."""

    def __init__(self, rows: Sequence[tables.Nesting]) -> None:
        self._kept: dict[tuple[str, str], str] = {}
        self._in_group: dict[tuple[str, str], str] = {}
        for row in rows:
            for inner in row.phases:
                self._kept |= {(outer, inner): row.becomes or outer for outer in row.inside}
                self._in_group |= {(group, inner): row.becomes or inner for group in row.groups}

    def fold(self, spoken: Iterable[tuple[Frame, Origin]]) -> tuple[str | None, Frame | None]:
        """The phase that is left when the frames are read from the outermost in."""
        phase: str | None = None
        teller: Frame | None = None
        groups: list[str] = []
        for frame, origin in spoken:
            inner = origin.phase
            if inner is not None:
                inner = next((self._in_group[g, inner] for g in groups if (g, inner) in self._in_group), inner)
                kept = self._kept.get((phase, inner)) if phase is not None else None
                if kept is None:
                    phase, teller = inner, frame
                else:
                    phase = kept
            if origin.group is not None and origin.group not in groups:
                groups.append(origin.group)
        return phase, teller


def _rows(components: Sequence[tables.Component]) -> Iterator[_Row]:
    for component in components:
        whole = Origin(component.id, component.group, component.phase)
        for path in component.paths:
            yield _row(path, (), (), whole)
        for place in component.places:
            if place.path:
                yield _row(place.path, place.files, place.functions, _origin_of(place, component))


def _row(path: str, files: Iterable[str], functions: Iterable[str], origin: Origin) -> _Row:
    parts = tuple(part for part in path.split("/") if part)
    return _Row(parts, not path.endswith("/"), frozenset(files), frozenset(functions), origin)


def _origin_of(place: tables.Place, component: tables.Component) -> Origin:
    return Origin(place.component or component.id, place.group or component.group, place.phase)


def _copies(rows: Iterable[_Row]) -> dict[tuple[str, str], Origin]:
    """What a file name and a function together say outside of any package: copied and vendored code.

    The component is said only where the function's name is of several words and no other component has it.
    """
    found: dict[tuple[str, str], set[Origin]] = {}
    for row in rows:
        for file in (row.path[-1],) if row.is_file else row.files:
            for function in row.functions:
                found.setdefault((file, function.rpartition(".")[2]), set()).add(row.origin)
    copies = {}
    for (file, function), origins in found.items():
        phases = {origin.phase for origin in origins}
        if len(phases) != 1 or function == _IMPORT or function == "__init__":
            continue
        first = next(iter(origins))
        known = len({origin.component for origin in origins}) == 1 and len(_words(function)) > 1
        component, group = (first.component, first.group) if known else (None, None)
        copies[file, function] = Origin(component, group, first.phase, own=True)
    return copies


def _by_logger(components: Sequence[tables.Component]) -> dict[str, Origin]:
    found: dict[str, Origin] = {}
    for component in components:
        whole = Origin(component.id, component.group, component.phase)
        found |= dict.fromkeys(component.loggers, whole)
        found |= {place.logger: _origin_of(place, component) for place in component.places if place.logger}
    return found


def _by_source(components: Sequence[tables.Component]) -> dict[str, Origin]:
    found: dict[str, Origin] = {}
    for component in components:
        whole = Origin(component.id, component.group, component.phase)
        found |= dict.fromkeys(component.sources, whole)
        found |= {place.source: _origin_of(place, component) for place in component.places if place.source}
    return found


def _phrases(rows: Iterable[tuple[str, Iterable[str]]]) -> dict[tuple[str, ...], str]:
    return {tuple(_words(word)): phase for phase, words in rows for word in words if word != _IMPORT}


def _spoken(name: str, phrases: dict[tuple[str, ...], str]) -> str | None:
    """The phase of the longest phrase in a name, of several as long the last: a name's last word is what it is."""
    words = _words(name)
    longest = max((len(phrase) for phrase in phrases), default=0)
    for size in range(min(longest, len(words)), 0, -1):
        for start in range(len(words) - size, -1, -1):
            phase = phrases.get(tuple(words[start : start + size]))
            if phase is not None:
                return phase
    return None


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name[:_MAX_NAME])]


def _names(function: str) -> tuple[str, ...]:
    """The last part of a qualified name, and the last two."""
    parts = function.removesuffix("()").split(".")
    return (parts[-1], ".".join(parts[-2:])) if len(parts) > 1 else (parts[-1],)


def _plain(folder: str) -> str:
    return _SEPARATORS.sub("", folder).lower()
