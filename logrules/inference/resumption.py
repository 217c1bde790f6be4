"""Whether a loop that a save interrupted went on in words that no marker knows."""

from collections.abc import Container

from logrules.inference.ending import Endings
from logrules.inference.workers import WorkerTracker
from logrules.model.event import Event


def phase_after(
    phase: str | None, event: Event, tracker: WorkerTracker, loops: Container[str], endings: Endings
) -> str | None:
    """The phase that markers say of a line, or the loop before it where that was taken up again; None for no such loop.

    Who writes lines of the kinds that he wrote before he began to save is no longer saving.
    """
    if phase is None or phase in loops or phase not in tracker.interruptions:
        return phase
    before = [span for span in tracker.spans() if span.source == event.source and span.first_line <= event.line]
    own = max((span for span in before if span.phase == phase), key=lambda span: span.first_line, default=None)
    looped = [span for span in before if own is not None and span.first_line < own.first_line and span.phase in loops]
    if own is None or not endings.resumed(event, own.first_line):
        return phase
    return max(looped, key=lambda span: span.first_line).phase if looped else None
