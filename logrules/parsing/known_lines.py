"""What was read last, to be had again where the same line comes again: by a tenth of the work."""

from logrules.model.event import Hit
from logrules.model.record import record
from logrules.parsing.header import Header
from logrules.parsing.hit_line import Kind

# So many lines are kept at least, twice as many at most; long ones are rarely written twice.
KEPT_LINES = 4_096
MAX_KEPT_BYTES = 512


@record
class LineReading:
    """What a line says by itself: its text, its prefixes taken apart, the signals that it carries."""

    text: str
    header: Header
    hits: tuple[Hit, ...]


class KnownLines:
    """The readings of the latest lines. What was asked for among the latest ``KEPT_LINES`` different ones is known."""

    def __init__(self) -> None:
        self._latest: dict[tuple[bytes, Kind], LineReading] = {}
        self._earlier: dict[tuple[bytes, Kind], LineReading] = {}

    def get(self, raw: bytes, kind: Kind) -> LineReading | None:
        """The reading of a line in which these entries of the scanner were found, where it is known."""
        key = raw, kind
        found = self._latest.get(key)
        if found is None and (found := self._earlier.get(key)) is not None:
            self._keep(key, found)
        return found

    def keep(self, raw: bytes, kind: Kind, reading: LineReading) -> LineReading:
        """Keep a reading, and give it back."""
        if len(raw) <= MAX_KEPT_BYTES:
            self._keep((raw, kind), reading)
        return reading

    def _keep(self, key: tuple[bytes, Kind], reading: LineReading) -> None:
        if len(self._latest) >= KEPT_LINES:
            self._earlier, self._latest = self._latest, {}
        self._latest[key] = reading
