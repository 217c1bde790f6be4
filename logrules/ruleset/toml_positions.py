"""Where the keys of a TOML file stand: the standard parser says what a file means, but not where."""

import re
from collections.abc import Iterator, Sequence

Path = tuple[str | int, ...]
# Its line and column.
Place = tuple[int, int]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?")
_KEY = re.compile(r"""^(\s*)((?:"[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"\n]*"|'[^'\n]*'|[\w-]+))*)\s*=""")
_PART = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*(?:\.|$)""")


def places_of_keys(text: str, under: Sequence[str] = ()) -> dict[Path, Place]:
    """Where every table and key stands, by its path below the table ``under``; entries of arrays count from 0."""
    places: dict[Path, Place] = {}
    prefix = tuple(under)
    for path, place in _keys(text):
        if path[: len(prefix)] == prefix:
            places.setdefault(path[len(prefix) :], place)
    return places


def _keys(text: str) -> Iterator[tuple[Path, Place]]:
    table: Path = ()
    entries: dict[Path, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _resolved(_parts(header[2]), entries, entry=header[1] == "[[")
            yield table, (number, header.start(1) + 1)
        elif key := _KEY.match(line):
            yield (*table, *_parts(key[2])), (number, len(key[1]) + 1)


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(next(part for part in found.groups() if part is not None) for found in _PART.finditer(dotted))


def _resolved(parts: tuple[str, ...], entries: dict[Path, int], *, entry: bool) -> Path:
    """A header's path, with the number of the entry that it opens or that its parents stand in."""
    path: Path = ()
    for number, part in enumerate(parts):
        path = (*path, part)
        if entry and number == len(parts) - 1:
            entries[path] = entries.get(path, -1) + 1
        if path in entries:
            path = (*path, entries[path])
    return path
