"""Dumps of flight recorders that lie in a folder or come to lie there while it is followed."""

from collections.abc import Sequence
from pathlib import Path

from logrules.model.report import SourceNote
from logrules.sources.flight_names import MAX_DUMPS
from logrules.sources.source import RecordSource

# When a file was last written, and its size.
_State = tuple[float, int]


class ComingDumps:
    """Reads each dump once it is whole: when it has not grown since the last look; anew, when it was written anew."""

    def __init__(self) -> None:
        self._seen: dict[Path, _State] = {}
        self._read: dict[Path, _State] = {}
        self._told = False

    def look(self, dumps: Sequence[tuple[Path, str]]) -> tuple[list[RecordSource], list[SourceNote]]:
        """What those of the dumps (path, name in the report) hold that are whole now; what is to be said of them."""
        whole: list[tuple[Path, str]] = []
        for path, name in dumps[:MAX_DUMPS]:
            state = _state_of(path)
            if state is None or state == self._read.get(path):
                continue
            if state == self._seen.get(path):
                self._read[path] = state
                whole.append((path, name))
            self._seen[path] = state
        if not whole:
            return [], []
        # Loaded where there are dumps: most folders have none.
        from logrules.sources.flight_dump import passed_over, read_dumps

        read, notes = read_dumps(whole, among=len(dumps))
        if len(dumps) > MAX_DUMPS and not self._told:
            self._told = True
            notes.append(passed_over(dumps[MAX_DUMPS][1]))
        return read, notes


def _state_of(path: Path) -> _State | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime, status.st_size
