"""What a check says: how it ended, in the words that *words.toml* has for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from typing import Any

from logrules.model.report import Text
from logrules.ruleset.bounded_read import packaged_table


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


@cache
def words() -> Mapping[str, Mapping[str, Any]]:
    """The sentences by their keys."""
    return packaged_table("logrules.tools.doctor", "words.toml")


def _finding(outcome: CheckOutcome, key: str, /, **facts: object) -> DoctorFinding:
    row = words()[key]
    return DoctorFinding(outcome, _text(row, facts), _text(row.get("do", {}), facts))


def _text(row: Mapping[str, str], facts: Mapping[str, object]) -> Text:
    return Text(*(row.get(language, "").format_map(facts) for language in ("en", "zh")))


# What a check yields: the key of its sentence, and the facts in it. In this order: all is well, it may go wrong, it
# will go wrong, it could not be checked.
ok, warning, failed, unknown = (partial(_finding, outcome) for outcome in CheckOutcome)
