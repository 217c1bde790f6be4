"""A signal's optional pattern on a line that its literal was found in, under a time limit."""

from collections.abc import Mapping

import regex

from logrules.ruleset.pack import Signal
from logrules.ruleset.pattern import compiled

# Wall-clock time: on a busy machine a harmless pattern may have to wait for its turn.
TIMEOUT_S = 2.0
MAX_PATTERN_TEXT = 16_384


class Captures:
    """Compiles patterns on their first use and drops for good what runs out of time.

    ``dropped`` names the signals whose pattern took longer than ``TIMEOUT_S`` on one line.
    """

    def __init__(self) -> None:
        self.dropped: dict[str, str] = {}

    def of(self, signal: Signal, message: str, text: str) -> Mapping[str, str] | None:
        """The captures of the signal in this line, or None where the line does not carry it.

        The pattern is searched in the bare message, else in the whole text; ``unless`` in the text.
        """
        if signal.id in self.dropped:
            return None
        try:
            if signal.unless is not None and self._search(signal.unless, text):
                return None
            if signal.pattern is None:
                return {}
            found = self._search(signal.pattern, message) or (
                self._search(signal.pattern, text) if text != message else None
            )
        except TimeoutError:
            self.dropped[signal.id] = f"the pattern of {signal.id} ran out of time and was dropped"
            return None
        if found is None:
            return None
        return {name: value for name, value in found.groupdict().items() if value is not None}

    def _search(self, pattern: str, text: str) -> "regex.Match[str] | None":
        return compiled(pattern).search(text[:MAX_PATTERN_TEXT], timeout=TIMEOUT_S)
