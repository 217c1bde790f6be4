"""A job's logs to a line about it: what came of it, and how long it stood idle before it ended."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from logrules.engine.run import Prepared, replay_prepared
from logrules.model.errors import SourceError
from logrules.model.event import Event
from logrules.model.report import Diagnosis, Report, Severity, Text
from logrules.ruleset.duration import UNITS_S
from logrules.ruleset.pack import Pack
from logrules.sources.discover import Discovered, discover
from logrules.sources.wall_clock import now
from logrules.tools.fleet.fingerprint import fingerprint_of
from logrules.tools.fleet.job import JobSummary
from logrules.tools.fleet.jobs import FoundJob

_MAX_GPUS = 1_000_000
_DAY_S = 86_400.0
_CENTURY = 946_684_800.0  # 2000-01-01, in seconds since the epoch
_WORLD = "world_size"
# Addresses that every machine gives itself name no machine.
_NO_HOST = re.compile(
    r"(?:127(?:\.\d{1,3}){3}|0\.0\.0\.0|::1?|\[::1?\]|localhost(?:\.\w+)*|ip6-localhost)$", re.IGNORECASE
)


@dataclass(slots=True)
class Observed:
    """When a job began, last went on and ended, by the times in its logs, and how many ranks it has, as they say.

    Times at which no job can have run, as a broken clock or a damaged line shows them, count as none: neither before
    this century nor a day after now, for zones.
    """

    progress: frozenset[int]
    latest: float = field(default_factory=lambda: now() + _DAY_S)
    began: float | None = None
    went_on: float | None = None
    ended: float | None = None
    world: int = 0
    ranks: int = 0

    def see(self, event: Event) -> None:
        """Take the next event."""
        self._count(event)
        if event.stamp is None or not self.plausible(at := event.stamp.seconds):
            return
        self.began = at if self.began is None else min(self.began, at)
        self.ended = at if self.ended is None else max(self.ended, at)
        if any(hit.signal in self.progress for hit in event.hits):
            self.went_on = at if self.went_on is None else max(self.went_on, at)

    def plausible(self, at: float) -> bool:
        """Whether a job can have run then."""
        return _CENTURY <= at <= self.latest

    def _count(self, event: Event) -> None:
        if event.worker.rank is not None:
            self.ranks = max(self.ranks, event.worker.rank + 1)
        for hit in event.hits:
            said = hit.captures.get(_WORLD, "")
            if said.isdecimal() and len(said) < len(str(_MAX_GPUS)):
                self.world = max(self.world, int(said))


def summed_up(on: Prepared, job: FoundJob) -> JobSummary:
    """Read a job and sum it up; one that cannot be read says why."""
    observed = observer(on.pack)
    read = replayed(on, job, observed.see)
    return read if isinstance(read, JobSummary) else summary_of(job.name, read[0], observed)


def replayed(on: Prepared, job: FoundJob, see: Callable[[Event], None]) -> tuple[Report, Discovered] | JobSummary:
    """The report on a job, whose events ``see`` is shown, and its logs; or why it cannot be read."""
    try:
        found = discover([str(job.path)])
        return replay_prepared(on, on.session(), found.sources, found.notes, see), found
    except SourceError as fault:
        return JobSummary(job.name, None, unread=str(fault).removeprefix(f"{job.path}: "))


def observer(pack: Pack) -> Observed:
    """What takes the events of a job as they are read."""
    return Observed(frozenset(marker.signal for marker in pack.markers if marker.progress))


def summary_of(name: str, report: Report, observed: Observed) -> JobSummary:
    """The line about a job that was read to its end."""
    wrong = [one for one in report.diagnoses if one.severity is not Severity.INFO]
    first = next(iter(wrong), None)
    summary = JobSummary(
        job=name,
        status=report.status,
        phase=report.phase,
        rule=first.rule if first else None,
        cause=first.cause if first else None,
        title=first.title if first else Text(),
        ranks=first.ranks if first else (),
        hosts=tuple(host for host in first.hosts if not _NO_HOST.match(host)) if first else (),
        began=observed.began,
        ended=observed.ended,
        gpus=_gpus(report, observed),
        logs=len(report.sources),
        lines=report.lines,
    )
    return _with_failure(summary, report, wrong, observed) if summary.troubled else summary


def _with_failure(summary: JobSummary, report: Report, wrong: Sequence[Diagnosis], observed: Observed) -> JobSummary:
    """What is known only of a job that went wrong: what it lost, and of which kind the failure is."""
    since, ended = idle_since(wrong, observed.went_on, observed.plausible), observed.ended
    kind = fingerprint_of(report)
    title = summary.title
    if not wrong and report.unusual:
        title = Text(report.unusual[-1].text[:200])
    return replace(
        summary,
        title=title,
        lost_s=longest_wait_s(wrong) if since is None or ended is None else max(0.0, ended - since),
        fingerprint=kind.id if kind else None,
        template=kind.template if kind else "",
        frame=kind.frame if kind else "",
    )


def _gpus(report: Report, observed: Observed) -> int | None:
    """How many ranks the job has: as it says itself, else as many as were seen; None where no rank was named."""
    said = max(observed.world, (report.comparison.world or 0) if report.comparison else 0)
    return said or observed.ranks or None


_MAX_CHARS = 2_000
_WEEK_S = 604_800.0
_GAVE_UP = re.compile(r"time[-_ ]?out|timed[- ]out|gave up|heartbeat|unresponsive|stuck|no progress", re.IGNORECASE)
_HOW_LONG = re.compile(
    r"\(ms\)\s*[=:]\s*(?P<bare>\d{1,12})"
    r"|(?<![\w.])(?P<count>\d{1,12}(?:\.\d{1,6})?)\s?"
    r"(?P<unit>ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b",
    re.IGNORECASE,
)


def waited_s(text: str) -> float:
    """How many seconds a line about a time-out says that was waited; 0 for any other line."""
    text = text[:_MAX_CHARS]
    if not _GAVE_UP.search(text):
        return 0.0
    return max((seconds for found in _HOW_LONG.finditer(text) if (seconds := _seconds(found)) <= _WEEK_S), default=0.0)


def _seconds(found: re.Match[str]) -> float:
    if found["bare"]:
        return float(found["bare"]) * UNITS_S["ms"]
    unit = found["unit"].lower()
    return float(found["count"]) * UNITS_S["ms" if unit == "ms" or unit.startswith("milli") else unit[0]]


def idle_since(found: Sequence[Diagnosis], went_on: float | None, plausible: Callable[[float], bool]) -> float | None:
    """Since when nothing moved, in seconds since the epoch, by lines whose times are ``plausible``.

    Since the last progress; or, where a wait timed out after it that had begun earlier, since that began. Without
    progress, since the evidence of the first diagnosis.
    """
    dated = [
        (place, line.time, line.text)
        for place, one in enumerate(found)
        for line in one.lines
        if line.time is not None and plausible(line.time)
    ]
    timed_out = [
        at - waited for _, at, text in dated if (went_on is None or at >= went_on) and (waited := waited_s(text))
    ]
    if went_on is not None:
        return min([went_on, *timed_out])
    return min([*(at for place, at, _ in dated if place == 0), *timed_out], default=None)


def longest_wait_s(found: Sequence[Diagnosis]) -> float | None:
    """The longest wait that timed out, in seconds, by what its lines say; for logs that bear no times."""
    return max((waited_s(line.text) for line in chain.from_iterable(one.lines for one in found)), default=0.0) or None
