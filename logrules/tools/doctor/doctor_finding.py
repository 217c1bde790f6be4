"""What a check says."""

from dataclasses import dataclass
from enum import StrEnum

from logrules.model.report import Text

NOTHING = Text()


class CheckOutcome(StrEnum):
    """How a check ended; ``unknown`` where it could not look."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """One answer. ``instead`` says what to do about it."""

    outcome: CheckOutcome
    said: Text
    instead: Text = NOTHING


def ok(en: str, zh: str) -> DoctorFinding:
    """All is well."""
    return DoctorFinding(CheckOutcome.OK, Text(en, zh))


def warning(en: str, zh: str, instead: Text = NOTHING) -> DoctorFinding:
    """It may go wrong."""
    return DoctorFinding(CheckOutcome.WARNING, Text(en, zh), instead)


def failed(en: str, zh: str, instead: Text = NOTHING) -> DoctorFinding:
    """It will go wrong."""
    return DoctorFinding(CheckOutcome.FAILED, Text(en, zh), instead)


def unknown(en: str, zh: str) -> DoctorFinding:
    """It could not be checked, and why."""
    return DoctorFinding(CheckOutcome.UNKNOWN, Text(en, zh))
