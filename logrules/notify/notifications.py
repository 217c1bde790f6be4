"""What of an update others should be told: a stall, a diagnosis, a stall that lasts, one that is over."""

import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum

from logrules.model.change import Raised, StallProlonged, Update, Withdrawn
from logrules.model.record import record
from logrules.model.report import Diagnosis, Report, Severity
from logrules.output.escape import safe
from logrules.output.numbers import certainty_in_words, duration, ranks_in_words

Fact = str | float | list[int] | list[str]
_MAX_NAME = 128
_SCHEDULERS = ("LOGRULES_JOB", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_NAME", "RAY_JOB_ID")


class Kind(StrEnum):
    """What happened. ``MOVED_ON`` is a further diagnosis of an incident that was told already."""

    STALL = "stall"
    STALL_LASTS = "stall-lasts"
    DIAGNOSIS = "diagnosis"
    MOVED_ON = "moved-on"
    OVER = "over"


@record
class Notification:
    """One thing to tell. ``incident`` names all that is told from the first diagnosis until none stands any more.

    ``diagnosis`` is what the report says of the rule now, None where it says nothing. ``job`` is the job's name.
    """

    kind: Kind
    rule: str
    at: float
    quiet_s: float | None
    diagnosis: Diagnosis | None
    report: Report
    incident: str = ""
    job: str = ""


class NotificationPolicy:
    """Turns updates into news, the same for all who ask; remembers what was told, so that only that is taken back."""

    def __init__(self, job: str = "") -> None:
        self._job = job
        self._told: set[str] = set()
        self._kinds: set[Kind] = set()
        self._begun = format(uuid.uuid4().int >> 96, "08x")
        self._count = 0
        self._last: tuple[Update, tuple[Notification, ...]] | None = None

    def news(self, update: Update, report: Callable[[], Report]) -> tuple[Notification, ...]:
        """What is worth telling of this update; ``report`` gives the one after it."""
        if self._last is None or self._last[0] is not update:
            self._last = (update, tuple(self._fresh(update, report())) if matters(update) else ())
        return self._last[1]

    def _fresh(self, update: Update, report: Report) -> Iterator[Notification]:
        shown = {one.rule: one for one in report.diagnoses}

        def told(kind: Kind, rule: str, quiet_s: float | None, one: Diagnosis | None) -> Notification:
            incident = f"{self._begun}-{self._count}"
            return Notification(kind, rule, update.now, quiet_s, one, report, incident, self._job)

        for change in update.changes:
            match change:
                case Raised(rule=rule, quiet_s=quiet_s) if rule not in self._told and _pages(shown.get(rule)):
                    kind = self._raised(rule, Kind.DIAGNOSIS if quiet_s is None else Kind.STALL)
                    yield told(kind, rule, quiet_s, shown[rule])
                case StallProlonged(rule=rule, quiet_s=quiet_s) if rule in self._told:
                    yield told(Kind.STALL_LASTS, rule, quiet_s, shown.get(rule))
                case Withdrawn(rule=rule) if rule in self._told:
                    self._told.discard(rule)
                    if not self._told:
                        yield told(Kind.OVER, rule, None, None)
                case _:
                    pass

    def _raised(self, rule: str, kind: Kind) -> Kind:
        """The first of an incident; what it was taken for later goes on in it, and pages nobody twice."""
        if not self._told:
            self._count += 1
            self._kinds = set()
        further = kind in self._kinds or (kind is Kind.STALL and bool(self._kinds))
        self._told.add(rule)
        self._kinds.add(kind)
        return Kind.MOVED_ON if further else kind


def _pages(one: Diagnosis | None) -> bool:
    """Whether anybody should be woken for it: what only informs, and what was lived through, stands in the report."""
    return one is not None and one.severity is not Severity.INFO


def matters(update: Update) -> bool:
    """Whether anything happened that could be news."""
    return any(isinstance(change, Raised | StallProlonged | Withdrawn) for change in update.changes)


def facts(news: Notification) -> dict[str, Fact]:
    """The key facts by their names, without control characters; numbers as numbers: seconds, certainty from 0 to 1."""
    said: dict[str, Fact] = {
        "event": news.kind.value,
        "incident": news.incident,
        "rule": news.rule,
        "status": news.report.status.value,
        "phase": news.report.phase,
    }
    if news.job:
        said["job"] = news.job
    if news.quiet_s is not None:
        said["quiet_seconds"] = round(news.quiet_s)
    if news.diagnosis is not None:
        one = news.diagnosis
        said |= {"cause": one.cause, "phase": one.phase, "confidence": round(one.confidence, 2), "title": one.title.en}
        said["certainty"] = certainty_in_words(one, "en")
        said |= {"ranks": list(one.ranks), "hosts": list(map(safe, one.hosts))}
    return {name: safe(value) if isinstance(value, str) else value for name, value in said.items()}


def fact_text(value: Fact) -> str:
    """A fact as an environment variable holds it: lists with commas."""
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def sentence(news: Notification) -> str:
    """The news in one line of English."""
    job = f"{news.job}: " if news.job else ""
    if news.diagnosis is None:
        return f"{job}{news.rule}: no longer" if news.kind is Kind.OVER else f"{job}{news.rule}: {news.kind.value}"
    one = news.diagnosis
    quiet = f", quiet for {duration(news.quiet_s)}" if news.quiet_s is not None else ""
    rank = f" (rank {ranks_in_words(one.ranks)})" if one.ranks else ""
    certainty = certainty_in_words(one, "en")
    return f"{job}{news.report.status.value} in {one.phase}{quiet}: {one.title.en}{rank} · {certainty}"


def job_name(environment: Mapping[str, str]) -> str:
    """The job as ``LOGRULES_JOB`` or its scheduler names it; empty where neither does."""
    found = next((value for name in _SCHEDULERS if (value := environment.get(name))), "")
    return safe(re.sub(r"\s+", " ", found))[:_MAX_NAME]
