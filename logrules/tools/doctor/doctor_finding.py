"""What a check says."""

from dataclasses import dataclass
from enum import StrEnum

from logrules.model.report import Text

NOTHING = Text()


class Outcome(StrEnum):
    """How a check ended; ``unknown`` where it could not look."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """One answer. ``instead`` says what to do about it."""

    outcome: Outcome
    said: Text
    instead: Text = NOTHING


def ok(en: str, zh: str) -> Finding:
    """All is well."""
    return Finding(Outcome.OK, Text(en, zh))


def warning(en: str, zh: str, instead: Text = NOTHING) -> Finding:
    """It may go wrong."""
    return Finding(Outcome.WARNING, Text(en, zh), instead)


def failed(en: str, zh: str, instead: Text = NOTHING) -> Finding:
    """It will go wrong."""
    return Finding(Outcome.FAILED, Text(en, zh), instead)


def unknown(en: str, zh: str) -> Finding:
    """It could not be checked, and why."""
    return Finding(Outcome.UNKNOWN, Text(en, zh))
