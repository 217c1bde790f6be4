"""A job's logs to a line about it."""

from dataclasses import dataclass

from logrules.engine.run import Prepared, replay_prepared
from logrules.model.errors import SourceError
from logrules.model.event import Event
from logrules.model.report import Report, Severity
from logrules.sources.discover import discover
from logrules.tools.fleet.job import JobSummary
from logrules.tools.fleet.jobs import FoundJob


@dataclass(slots=True)
class _Times:
    """When a job began, last went on and ended, by the times in its logs."""

    progress: frozenset[int]
    began: float | None = None
    went_on: float | None = None
    ended: float | None = None

    def see(self, event: Event) -> None:
        """Take the next event."""
        if event.stamp is None:
            return
        at = event.stamp.seconds
        self.began = at if self.began is None else min(self.began, at)
        self.ended = at if self.ended is None else max(self.ended, at)
        if any(hit.signal in self.progress for hit in event.hits):
            self.went_on = at if self.went_on is None else max(self.went_on, at)


def summed_up(on: Prepared, job: FoundJob) -> JobSummary:
    """Read a job and sum it up; one that cannot be read says why."""
    times = _Times(frozenset(marker.signal for marker in on.pack.markers if marker.progress))
    try:
        found = discover([str(job.path)])
        report = replay_prepared(on, on.session(), found.sources, found.notes, times.see)
    except SourceError as fault:
        return JobSummary(job.name, None, unread=str(fault).removeprefix(f"{job.path}: "))
    return _summary(job.name, report, times)


def _summary(name: str, report: Report, times: _Times) -> JobSummary:
    first = next((one for one in report.diagnoses if one.severity is not Severity.INFO), None)
    evidence = [line.time for line in first.evidence if line.time is not None] if first else []
    since = times.went_on if times.went_on is not None else min(evidence, default=None)
    summary = JobSummary(
        job=name,
        status=report.status,
        phase=report.phase,
        rule=first.rule if first else None,
        cause=first.cause if first else None,
        title=first.title if first else JobSummary("", None).title,
        ranks=first.ranks if first else (),
        hosts=first.hosts if first else (),
        began=times.began,
        ended=times.ended,
        lost_s=None if since is None or times.ended is None else max(0.0, times.ended - since),
        logs=len(report.sources),
        lines=report.lines,
    )
    return summary if summary.troubled else _without_loss(summary)


def _without_loss(summary: JobSummary) -> JobSummary:
    from dataclasses import replace

    return replace(summary, lost_s=None)
