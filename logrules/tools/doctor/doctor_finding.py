"""What a check says: how it ended, in the words that *words.toml* has for it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from logrules.model.report import Text


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
    instead: Text


def ok(key: str, /, **facts: object) -> DoctorFinding:
    """All is well."""
    return _finding(CheckOutcome.OK, key, facts)


def warning(key: str, /, **facts: object) -> DoctorFinding:
    """It may go wrong."""
    return _finding(CheckOutcome.WARNING, key, facts)


def failed(key: str, /, **facts: object) -> DoctorFinding:
    """It will go wrong."""
    return _finding(CheckOutcome.FAILED, key, facts)


def unknown(key: str, /, **facts: object) -> DoctorFinding:
    """It could not be checked, and why."""
    return _finding(CheckOutcome.UNKNOWN, key, facts)


@cache
def words() -> Mapping[str, Mapping[str, Any]]:
    """The sentences by their keys."""
    return tomllib.loads((files("logrules.tools.doctor") / "words.toml").read_text(encoding="utf-8"))


def _finding(outcome: CheckOutcome, key: str, facts: Mapping[str, object]) -> DoctorFinding:
    row = words()[key]
    return DoctorFinding(outcome, _text(row, facts), _text(row.get("do", {}), facts))


def _text(row: Mapping[str, str], facts: Mapping[str, object]) -> Text:
    return Text(*(row.get(language, "").format_map(facts) for language in ("en", "zh")))
