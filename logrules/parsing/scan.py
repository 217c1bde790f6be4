"""One pass over a window: which literals of which signals are where."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from copy import copy
from itertools import accumulate, compress, count, pairwise, repeat
from operator import add

from logrules.model.late_pattern import late_pattern
from logrules.model.record import record
from logrules.parsing.exception_line import may_be_by_place
from logrules.parsing.literal_matcher import Hits, Literal, matcher_of
from logrules.ruleset.long_tables import LiteralTable, literals_of
from logrules.ruleset.pack import Signal, TraceForm

# Below a traceback's frame: its source line, from Python 3.11 on a line of marks, and the exception.
LINES_BELOW = 2
_CARETS, _TILDES = b"^^", b"~~"
_MAX_MARK_BYTES = 4_096


@record
class Detail:
    """How much of a log's routine is reported: literals that only sampled signals use, and the ``common`` ones.

    ``routine`` is True for all of it, None for the first hit of each literal in a scan, False for nothing.
    Frequent literals then cost nothing.
    """

    routine: bool | None = True
    common: frozenset[int] = frozenset()


EVERYTHING = Detail()


_COLOUR = late_pattern(rb"(\x1b\[[\d;]*m)")


def found_uncoloured(window: bytes, find: Callable[[bytes], Hits]) -> Hits:
    """What is found in a window without its colours, by the offsets in the window; most have none."""
    if b"\x1b" not in window:
        return find(window)
    pieces = _COLOUR.split(window)
    texts = pieces[::2]
    found = find(b"".join(texts))
    # Behind so many bytes of the text so many of the window were left out.
    cuts = list(accumulate(map(len, texts[:-1])))
    left_out = list(accumulate(map(len, pieces[1::2]), initial=0))
    found.ends = array("q", map(add, found.ends, map(left_out.__getitem__, map(bisect_left, repeat(cuts), found.ends))))
    return found


class Scanner:
    """Finds the literals of signals. One scanner serves one thread at a time.

    With ``cache``, the compiled database is read from, or kept in, the user's cache folder. With a ``trace``, the lines
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
        literals = literals_of(signals)
        self.signals_of = literals.asked_by
        self._frames: frozenset[int] = frozenset()
        if trace is not None and trace.below is not None:
            self._frames = frozenset(entry for entry, asked in enumerate(self.signals_of) if trace.frame in asked)
            # A separate entry after those of the literals, so that lines below frames are not confused with others.
            self.signals_of = (*self.signals_of, (trace.below,))
        self.sampled = frozenset(literals.sampled)
        wanted = _wanted(literals, detail)
        self._matcher = matcher_of(wanted, cache=cache) if wanted else None

    def for_another_thread(self) -> "Scanner":
        """A copy for another thread, without compiling again."""
        twin = copy(self)
        twin._matcher = self._matcher.for_another_thread() if self._matcher is not None else None  # noqa: SLF001 (one of us)
        return twin

    def scan(self, data: bytes) -> Hits:
        """Where the literals of which entries of ``signals_of`` are."""
        found = found_uncoloured(data, self._matcher.find) if data and self._matcher is not None else Hits()
        frames = list(compress(found.ends, map(self._frames.__contains__, found.numbers))) if self._frames else []
        return found.with_more(_lines_below(data, frames), len(self.signals_of) - 1) if frames else found


def _wanted(literals: LiteralTable, detail: Detail) -> list[Literal]:
    if detail.routine is True:
        return list(zip(literals.texts, count(), repeat(False)))
    thinned = {*literals.sampled, *detail.common}
    return [
        (text, entry, entry in thinned)
        for entry, text in enumerate(literals.texts)
        if detail.routine is None or entry not in thinned
    ]


def _lines_below(data: bytes, frames: Sequence[int]) -> list[int]:
    """Offsets of the second bytes of the lines below these offsets (a scan reports hits by the end of the match).

    ``data`` are whole lines, except perhaps the last one.
    """
    found: list[int] = []
    # One byte is searched at memory speed, two a hundred times more slowly.
    marked = any(mark[:1] in data for mark in (_CARETS, _TILDES))
    for at, following in pairwise((*frames, len(data) - 1)):
        end, left = data.find(b"\n", at), LINES_BELOW
        # Lines below the next frame are left to that frame: no line is looked at twice.
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
