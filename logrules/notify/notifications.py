"""What of an update others should be told: a stall, a diagnosis, a stall that lasts, one that is over."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from logrules.model.change import Raised, StallProlonged, Withdrawn
from logrules.model.report import Diagnosis, Report, Severity
from logrules.model.update import Update


class Kind(StrEnum):
    """What happened."""

    STALL = "stall"
    STALL_LASTS = "stall-lasts"
    DIAGNOSIS = "diagnosis"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Notification:
    """One thing to tell. ``incident`` is its name from when it was raised until it is over.

    ``diagnosis`` is what the report says of the rule now, None where it says nothing.
    """

    kind: Kind
    rule: str
    at: float
    quiet_s: float | None
    diagnosis: Diagnosis | None
    report: Report
    incident: str = ""


class NotificationPolicy:
    """Turns updates into news; remembers what was told, so that only that is taken back."""

    def __init__(self) -> None:
        self._told: dict[str, str] = {}
        self._begun = format(uuid.uuid4().int >> 96, "08x")
        self._count = 0

    def news(self, update: Update, report: Report) -> Iterator[Notification]:
        """What is worth telling of this update; ``report`` is the one after it."""
        shown = {one.rule: one for one in report.diagnoses}
        for change in update.changes:
            match change:
                case Raised(rule=rule, quiet_s=quiet_s) if rule not in self._told and _pages(shown.get(rule)):
                    self._count += 1
                    incident = self._told[rule] = f"{self._begun}-{self._count}"
                    kind = Kind.DIAGNOSIS if quiet_s is None else Kind.STALL
                    yield Notification(kind, rule, update.now, quiet_s, shown[rule], report, incident)
                case StallProlonged(rule=rule, quiet_s=quiet_s) if rule in self._told:
                    told = self._told[rule]
                    yield Notification(Kind.STALL_LASTS, rule, update.now, quiet_s, shown.get(rule), report, told)
                case Withdrawn(rule=rule) if rule in self._told:
                    told = self._told.pop(rule)
                    yield Notification(Kind.OVER, rule, update.now, None, None, report, told)
                case _:
                    pass


def _pages(one: Diagnosis | None) -> bool:
    """Whether anybody should be woken for it: what only informs, and what was lived through, stands in the report."""
    return one is not None and one.severity is not Severity.INFO


def matters(update: Update) -> bool:
    """Whether anything happened that could be news."""
    return any(isinstance(change, Raised | StallProlonged | Withdrawn) for change in update.changes)


Fact = str | float | list[int] | list[str]


def facts(news: Notification) -> dict[str, Fact]:
    """The key facts by their names, numbers as numbers: seconds, and certainty from 0 to 1."""
    said: dict[str, Fact] = {
        "event": news.kind.value,
        "incident": news.incident,
        "rule": news.rule,
        "status": news.report.status.value,
        "phase": news.report.phase,
    }
    if news.quiet_s is not None:
        said["quiet_seconds"] = round(news.quiet_s)
    if news.diagnosis is not None:
        one = news.diagnosis
        said |= {"cause": one.cause, "phase": one.phase, "confidence": round(one.confidence, 2), "title": one.title.en}
        said |= {"ranks": list(one.ranks), "hosts": list(one.hosts)}
    return said


def fact_text(value: Fact) -> str:
    """A fact as an environment variable holds it: lists with commas."""
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def sentence(news: Notification) -> str:
    """The news in one line of English."""
    from logrules.output.numbers import duration, ranks_in_words

    if news.diagnosis is None:
        return f"{news.rule}: no longer" if news.kind is Kind.OVER else f"{news.rule}: {news.kind.value}"
    one = news.diagnosis
    quiet = f", quiet for {duration(news.quiet_s)}" if news.quiet_s is not None else ""
    rank = f" (rank {ranks_in_words(one.ranks)})" if one.ranks else ""
    return f"{news.report.status.value} in {one.phase}{quiet}: {one.title.en}{rank}"
