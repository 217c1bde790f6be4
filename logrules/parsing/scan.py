"""One pass over a window: which literals of which signals are where."""

from collections.abc import Sequence
from copy import copy
from itertools import compress, pairwise

from logrules.model.record import record
from logrules.parsing.exception_line import may_be_by_place
from logrules.parsing.hits import Hits, Literal
from logrules.parsing.literal_matcher import matcher_of
from logrules.parsing.uncoloured import uncoloured
from logrules.ruleset.pack import Signal, TraceForm

# Below a traceback's frame: its source line and the exception. Marks under the source (Python 3.11 on) put it lower.
LINES_BELOW = 2
_CARETS, _TILDES = b"^^", b"~~"
_MAX_MARK_BYTES = 4_096


@record
class Detail:
    """How much of a log's routine is reported: literals that only sampled signals ask for, and the ``common`` ones.

    ``routine`` is True for all of it, None for the first of each literal in a scan, False for nothing.
    What a log is full of then costs nothing, however full it is.
    """

    routine: bool | None = True
    common: frozenset[int] = frozenset()


EVERYTHING = Detail()


class Scanner:
    """Finds the literals of signals. One scanner serves one thread at a time.

    With ``cache`` what is compiled is read back from the user's cache folder, or kept there. With a ``trace`` the lines
    below a frame are found too: an exception may have any name.
    """

    def __init__(
        self,
        signals: Sequence[Signal],
        detail: Detail = EVERYTHING,
        *,
        cache: bool = False,
        trace: TraceForm | None = None,
    ) -> None:
        askers: dict[tuple[bytes, bool], tuple[int, ...]] = {}
        for number, signal in enumerate(signals):
            sampled = signal.sampled
            for literal in signal.literals:
                key = (literal.encode(), sampled)
                known = askers.get(key)
                if known is None:
                    askers[key] = (number,)
                elif number not in known:
                    askers[key] = (*known, number)
        self.signals_of = tuple(askers.values())
        self._frames: frozenset[int] = frozenset()
        if trace is not None and trace.below is not None:
            self._frames = frozenset(entry for entry, asked in enumerate(self.signals_of) if trace.frame in asked)
            # An entry of its own, behind those of the literals: lines below frames are not to be taken for others.
            self.signals_of = (*self.signals_of, (trace.below,))
        self.sampled = frozenset(number for number, (_, sampled) in enumerate(askers) if sampled)
        wanted = _wanted(list(askers), detail)
        self._matcher = matcher_of(wanted, cache=cache) if wanted else None

    def for_another_thread(self) -> "Scanner":
        """The same for another thread, compiled no second time."""
        twin = copy(self)
        twin._matcher = self._matcher.for_another_thread() if self._matcher is not None else None  # noqa: SLF001 (one of us)
        return twin

    def scan(self, data: bytes) -> Hits:
        """Where literals of which entries of ``signals_of`` stand."""
        found = self._found(data) if data else Hits()
        frames = list(compress(found.ends, map(self._frames.__contains__, found.numbers))) if self._frames else []
        return found.with_more(_lines_below(data, frames), len(self.signals_of) - 1) if frames else found

    def _found(self, data: bytes) -> Hits:
        if self._matcher is None:
            return Hits()
        bare = uncoloured(data)
        return self._matcher.find(data) if bare is None else bare.in_window(self._matcher.find(bare.data))


def _wanted(entries: Sequence[tuple[bytes, bool]], detail: Detail) -> list[Literal]:
    if detail.routine is True:
        return [(data, number, False) for number, (data, _) in enumerate(entries)]
    thinned = [sampled or number in detail.common for number, (_, sampled) in enumerate(entries)]
    return [
        (data, number, thinned[number])
        for number, (data, _) in enumerate(entries)
        if detail.routine is None or not thinned[number]
    ]


def _lines_below(data: bytes, frames: Sequence[int]) -> list[int]:
    """Offsets of the second bytes of the lines below these offsets, as a scan reports its hits (behind a match).

    ``data`` are whole lines but for the last one.
    """
    found: list[int] = []
    # One byte is looked for as fast as memory is read, two a hundred times slower.
    marked = any(mark[:1] in data for mark in (_CARETS, _TILDES))
    for at, following in pairwise((*frames, len(data) - 1)):
        end, left = data.find(b"\n", at), LINES_BELOW
        # What is below the line of the frame that follows is left to that frame: no line is looked at twice.
        while left and 0 <= end < following:
            start = end + 1
            end = data.find(b"\n", start)
            stop = end if end >= 0 else len(data)
            line = data[start : min(stop, start + _MAX_MARK_BYTES)]
            if not marked or not (_CARETS in line or _TILDES in line):
                left -= 1
            if stop > start and may_be_by_place(line):
                found.append(start + 1)
    return found
