"""Many jobs on all cores, read for what nothing explains, or for what drafts make of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from logrules.engine.resilient_pool import WorkerPool
from logrules.engine.run import Prepared, prepared, replay_prepared
from logrules.model.errors import SourceError
from logrules.model.event import Event
from logrules.ruleset.condition import leaves, signals_of
from logrules.ruleset.pack import Pack
from logrules.sources.discover import discover
from logrules.tools.fleet.job import JobSummary
from logrules.tools.fleet.jobs import FoundJob
from logrules.tools.learn.read_job import ReadJob, read_job

_DIED = "its reader died twice"


@dataclass(frozen=True, slots=True)
class Fired:
    """Which of the drafts a report names, and which of them found a line at all, whatever the report made of it."""

    named: frozenset[str] = frozenset()
    hit: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Drafted:
    """A pack with drafts in it, by their rules' ids."""

    on: Prepared
    rules: frozenset[str]
    by_signal: Mapping[int, str]


class _Here:
    """The pack of this process, and the drafts in it."""

    on: Prepared
    drafted: _Drafted


def jobs_read(jobs: Sequence[FoundJob], pack: Pack, processes: int) -> Iterator[ReadJob]:
    """Each job as it is read."""
    crew = WorkerPool(processes, _read, _begin, prepared(pack, cache=True), pack)
    for number, found in crew.answers(dict(enumerate(jobs))):
        job = jobs[number]
        yield found or ReadJob(job, JobSummary(job.name, None, unread=_DIED))


def _begin(given: Prepared | Pack) -> None:
    _Here.on = prepared(given, cache=True) if isinstance(given, Pack) else given


def _read(job: FoundJob) -> ReadJob:
    return read_job(_Here.on, job)


def drafts_tried(
    jobs: Sequence[FoundJob], pack: Pack, rules: frozenset[str], processes: int
) -> Iterator[tuple[FoundJob, Fired | None]]:
    """What the rules, which are drafts in the pack, make of each job; None of one that ended its reader."""
    crew = WorkerPool(processes, _try, _begin_trial, (prepared(pack), rules), (pack, rules))
    for number, found in crew.answers(dict(enumerate(jobs))):
        yield jobs[number], found


def _begin_trial(given: tuple[Prepared | Pack, frozenset[str]]) -> None:
    what, rules = given
    on = prepared(what) if isinstance(what, Pack) else what
    wanted = {
        number: rule.id
        for rule in on.pack.rules
        if rule.id in rules
        for leaf in leaves(rule.when)
        for number in signals_of(leaf)
    }
    _Here.drafted = _Drafted(on, rules, wanted)


def _try(job: FoundJob) -> Fired:
    drafted = _Here.drafted
    hit: set[str] = set()

    def see(event: Event) -> None:
        hit.update(drafted.by_signal[one.signal] for one in event.hits if one.signal in drafted.by_signal)

    try:
        found = discover([str(job.path)])
        report = replay_prepared(drafted.on, drafted.on.session(), found.sources, found.notes, see)
    except SourceError:
        return Fired()
    named = {one.rule for one in report.diagnoses} | {
        other.rule for one in report.diagnoses for other in one.consequences
    }
    return Fired(frozenset(named & drafted.rules), frozenset(hit | (named & drafted.rules)))
