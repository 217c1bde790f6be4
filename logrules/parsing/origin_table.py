"""The table of origins, ready to be asked: rows by package folder, by logger and by source file."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain

from logrules.model.failure import Origin
from logrules.model.record import record
from logrules.ruleset.tables import Component, Place

# How deep a path a header may print for a source file that is named by its last folders.
_SOURCE_PARTS = 4
STANDARD_LIBRARY = "python"


@record
class OriginRow:
    """A row of the table for a file or a folder (``path`` in parts): all that is given must hold."""

    path: tuple[str, ...]
    is_file: bool
    files: frozenset[str]
    functions: frozenset[str]
    origin: Origin

    @property
    def rank(self) -> tuple[bool, int, bool]:
        """What goes first: a row that names the function, then the longest path."""
        return bool(self.functions), len(self.path), bool(self.files)

    @property
    def names_part(self) -> bool:
        """Whether it names more than a package: a folder in it, or a function in one of its files."""
        if self.is_file or self.files:
            return bool(self.functions) or len(self.path) > 1 + self.is_file
        return len(self.path) > 1

    def holds(self, parts: Sequence[str], names: Iterable[str]) -> bool:
        """Whether a file, by the parts of its path from the package on, and a function's names are of this row."""
        size = len(self.path)
        if tuple(parts[:size]) != self.path or (len(parts) > size) == self.is_file:
            return False
        if self.files and parts[-1] not in self.files:
            return False
        return not self.functions or not self.functions.isdisjoint(names)


class OriginTable:
    """Looks up rows of the table of origins; rows of packages that no log names are never made."""

    def __init__(self, components: Sequence[Component]) -> None:
        self._places: dict[str, list[tuple[Component, Place]]] = {}
        self._rows_of = cache(self._made_rows_of)
        self._loggers: dict[str, Origin] = {}
        self._sources: dict[str, Origin] = {}
        for component in components:
            whole = Origin(component.id, component.group, component.phase)
            self._loggers |= dict.fromkeys(component.loggers, whole)
            self._sources |= dict.fromkeys(component.sources, whole)
            # Of two rows of one path the first is asked first: a place says more than that the path is the component's.
            for place in (*component.places, *(Place(path=path, phase=component.phase) for path in component.paths)):
                if place.path.strip("/"):
                    self._places.setdefault(place.path.strip("/").partition("/")[0], []).append((component, place))
                if place.logger:
                    self._loggers[place.logger] = _origin_of(place, component)
                if place.source:
                    self._sources[place.source] = _origin_of(place, component)
        known = (Origin(one.id, one.group, one.phase) for one in components if one.id == STANDARD_LIBRARY)
        self.standard_library = next(known, Origin())

    @cached_property
    def pairs(self) -> Mapping[tuple[str, str], frozenset[Origin]]:
        """What the table says of a file name and a function, whatever the folders."""
        found: dict[tuple[str, str], frozenset[Origin]] = {}
        for component, place in chain.from_iterable(self._places.values()):
            origin = frozenset((_origin_of(place, component),))
            for file in place.files or (place.path.rpartition("/")[2],):
                for function in place.functions if file else ():
                    key = (file, function.rpartition(".")[2])
                    found[key] = found.get(key, origin) | origin
        return found

    def has_package(self, folder: str) -> bool:
        """Whether rows begin with a folder (or a single file) of this name."""
        return folder in self._places

    def row_of(self, parts: Sequence[str], names: Sequence[str]) -> OriginRow | None:
        """The first row of a file, by the parts of its path from the package on, and of a function's names."""
        rows = self._rows_of(parts[0]) if parts and self.has_package(parts[0]) else ()
        return next((row for row in rows if row.holds(parts, names)), None)

    def _made_rows_of(self, package: str) -> tuple[OriginRow, ...]:
        rows = (_row(component, place) for component, place in self._places[package])
        return tuple(sorted(rows, key=lambda row: row.rank, reverse=True))

    def of_logger(self, logger: str) -> Origin | None:
        """The origin of the longest row whose name is the logger's or a prefix of it up to a dot."""
        while logger:
            if logger in self._loggers:
                return self._loggers[logger]
            logger = logger.rpartition(".")[0]
        return None

    def of_source(self, parts: Sequence[str]) -> Origin | None:
        """The origin of a source file, by as many of its last folders as a row names."""
        for index in range(max(0, len(parts) - _SOURCE_PARTS), len(parts)):
            found = self._sources.get("/".join(parts[index:]))
            if found is not None:
                return found
        return None


def _row(component: Component, place: Place) -> OriginRow:
    parts = tuple(part for part in place.path.split("/") if part)
    files, functions = frozenset(place.files), frozenset(place.functions)
    return OriginRow(parts, not place.path.endswith("/"), files, functions, _origin_of(place, component))


def _origin_of(place: Place, component: Component) -> Origin:
    return Origin(place.component or component.id, place.group or component.group, place.phase)
