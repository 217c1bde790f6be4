"""Lines that have the words of a signal and that it refuses: what speaks against them."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from logrules.model.event import Event, Stance
from logrules.model.record import replace
from logrules.model.test_result import RejectReason
from logrules.parsing.log_ends import RawLine
from logrules.parsing.reader import Reader
from logrules.ruleset.pack import Pack, Signal
from logrules.ruleset.pattern import found_in_time

_LIMIT_S = 1.0
_AGAINST: Mapping[str, str] = {
    RejectReason.PATTERN: "not its pattern",
    RejectReason.VETO: "but its `except` forbids it",
}

# The number of a line, and what speaks against it.
Refusal: TypeAlias = tuple[int, str]


def refusals(reader: Reader, pack: Pack, signals: Iterable[int], log: str) -> dict[int, Refusal]:
    """Of the signals whose words stand in the log, the first line that has them, and what speaks against it."""
    lines = list(enumerate(log.splitlines(), start=1))
    first = {
        signal: next((row for row in lines if any(word in row[1] for word in pack.signals[signal].literals)), None)
        for signal in signals
    }
    return {
        signal: (row[0], against(why_refused(pack.signals[signal], line_read(reader, *row))))
        for signal, row in first.items()
        if row is not None
    }


def line_read(reader: Reader, number: int, line: str) -> Event:
    """A line by itself, with its stance."""
    event = reader.head_event("", RawLine(number, 0, line.encode(errors="backslashreplace")))
    return replace(event, stance=reader.stance_of(event))


def why_refused(signal: Signal, event: Event) -> RejectReason | Stance:
    """What makes a signal refuse a line that has its words."""
    if signal.unless is not None and found_in_time(signal.unless, event.text, _LIMIT_S):
        return RejectReason.VETO
    texts = (event.message, event.text)
    if signal.pattern is not None and not any(found_in_time(signal.pattern, text, _LIMIT_S) for text in texts):
        return RejectReason.PATTERN
    return event.stance


def against(why: RejectReason | Stance) -> str:
    """What speaks against a line, as the end of a sentence that names its words."""
    return _AGAINST.get(why, f"but is read as {why}: name that in its `stance`")
