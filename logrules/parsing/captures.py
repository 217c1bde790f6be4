"""A signal's optional pattern on a line that its literal was found in, within bounds of work.

What a pattern costs grows with the text, so that it sees a bounded part of a long one: the head, and what is round the
literal. What then still takes more of the processor than any sound pattern does is dropped, and the report says so.
"""

from collections.abc import Iterator, Mapping, Sequence

import regex

from logrules.ruleset.pack import Signal
from logrules.ruleset.pattern import bounded

# In characters. The dearest shipped pattern takes a tenth of the limit of time for so many of the worst kind.
MAX_PATTERN_TEXT = 8_192


class Captures:
    """Tries patterns, compiled on their first use, and drops for good what takes too long.

    ``dropped`` names the signals whose pattern took longer on one line than any sound one does.
    """

    def __init__(self) -> None:
        self.dropped: dict[str, str] = {}

    def of(self, signal: Signal, message: str, text: str, carried: Sequence[str] = ()) -> Mapping[str, str] | None:
        """The captures of the signal in this line, or None where the line does not carry it.

        The pattern is searched in the bare message, else in the whole text, else in the line as those got it who passed
        it on (``carried``): what begins there with a name of its writer began so before; ``unless`` as the last of them
        got it, since a collector's words are none of the line.
        """
        if signal.id in self.dropped:
            return None
        try:
            if signal.unless is not None and _found(signal.unless, signal, carried[-1] if carried else text):
                return None
            if signal.pattern is None:
                return {}
            readings = dict.fromkeys((message, text, *carried))
            found = next((found for one in readings if (found := _found(signal.pattern, signal, one))), None)
        except TimeoutError:
            self.dropped[signal.id] = f"the pattern of {signal.id} ran out of time and was dropped"
            return None
        if found is None:
            return None
        return {name: value for name, value in found.groupdict().items() if value is not None}


def _found(pattern: str, signal: Signal, text: str) -> "regex.Match[str] | None":
    known = bounded(pattern)
    if len(text) <= MAX_PATTERN_TEXT:
        return known.search(text)
    tries = (known.search(text, start, end) for start, end in _parts(signal, text))
    return next((found for found in tries if found), None)


def _parts(signal: Signal, text: str) -> Iterator[tuple[int, int]]:
    """Where the parts of a very long text begin and end that a pattern is tried on."""
    yield 0, MAX_PATTERN_TEXT
    places = [place for literal in signal.literals if (place := text.find(literal)) >= 0]
    # Of a whole traceback, which is asked for without a literal, the end says what happened.
    start = min(places) - MAX_PATTERN_TEXT // 2 if places else len(text) - MAX_PATTERN_TEXT
    if start > 0:
        yield start, start + MAX_PATTERN_TEXT
