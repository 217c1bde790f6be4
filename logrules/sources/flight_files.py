"""Dumps found beside logs, read one by one; what cannot be used is said and left out."""

from collections.abc import Iterable
from pathlib import Path

from logrules.model.errors import reason_of
from logrules.model.report import SourceNote
from logrules.sources.flight_dump import MAX_BYTES, Dump, NoDump, read_dump
from logrules.sources.flight_names import rank_of_name

# As many ranks as one reads at a sitting; the others are said to be left out.
MAX_DUMPS = 4_096


def read_dumps(dumps: Iterable[tuple[Path, str]]) -> tuple[list[Dump], list[SourceNote]]:
    """The dumps (path, name in the report) that can be used; and what a reader must know of the others."""
    read: list[Dump] = []
    notes: list[SourceNote] = []
    for place, (path, name) in enumerate(dumps):
        if place >= MAX_DUMPS:
            notes.append(SourceNote(name, f"was passed over: it is behind the first {MAX_DUMPS} dumps"))
            break
        try:
            read.append(_read(path, name))
        except NoDump as fault:
            notes.append(SourceNote(name, str(fault)))
    return read, notes


def _read(path: Path, name: str) -> Dump:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as fault:
        raise NoDump(f"cannot be read ({reason_of(fault)})") from None
    if len(data) > MAX_BYTES:
        raise NoDump(f"is more than {MAX_BYTES >> 20} MB, too much for a flight-recorder dump, and was passed over")
    return read_dump(name, rank_of_name(path.name) or 0, data)
