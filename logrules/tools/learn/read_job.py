"""Jobs read for what nothing explains, and for what drafts make of them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from logrules.engine.run import Prepared
from logrules.model.event import Event
from logrules.model.failure import ExceptionLink
from logrules.model.report import Diagnosis, Evidence, Report, Severity, Status
from logrules.parsing.origin import OriginResolver
from logrules.parsing.traceback import TracebackAssembler
from logrules.ruleset.condition import all_signals
from logrules.ruleset.pack import Pack, Signal
from logrules.ruleset.tables import ALTERNATIVES, EXCEPTIONS
from logrules.sources.file import FileSource
from logrules.tools.fleet.job import JobSummary
from logrules.tools.fleet.jobs import FoundJob
from logrules.tools.fleet.scan_jobs import DIED, read_on_all_cores
from logrules.tools.fleet.summary import observer, replayed, summary_of

# A draft is made from the first that serves.
_MAX_TELLING = 4
_HEALTHY = frozenset({Status.HEALTHY, Status.COMPLETED, Status.RUNNING})


@dataclass(frozen=True, slots=True)
class TellingLine:
    """A line that tells of a failure: the log and its number, and of an exception what was raised and where.

    ``component`` is that of the innermost frame, None where it is unknown or the user's own code.
    """

    path: str
    line: int
    text: str
    type: str = ""
    message: str = ""
    component: str | None = None


@dataclass(frozen=True, slots=True)
class ReadJob:
    """A job and what came of it; ``telling`` has lines only where nothing explains its failure.

    ``may_be`` are causes that the failure may have, as far as its place tells. ``logs`` are the paths of its logs.
    """

    job: FoundJob
    summary: JobSummary
    unexplained: bool = False
    telling: tuple[TellingLine, ...] = ()
    may_be: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()

    @property
    def healthy(self) -> bool:
        """Whether nothing went wrong in it."""
        return self.summary.status in _HEALTHY and self.summary.cause is None


class RaisedExceptions:
    """The exceptions of a job by the lines that name them."""

    def __init__(self, pack: Pack) -> None:
        tables = pack.tables
        resolver = OriginResolver(tables.components, tables.own_words, tables.nesting)
        self._assembler = TracebackAssembler(pack.trace, resolver.of_frame)
        self._links: dict[tuple[str, int], ExceptionLink] = {}

    def see(self, event: Event) -> None:
        """Take the next event."""
        _, failure = self._assembler.feed(event)
        if failure is not None:
            self._links.update({(link.event.source, link.event.line): link for link in failure.chain})

    def at(self, source: str, line: int) -> ExceptionLink | None:
        """The exception that this line names."""
        return self._links.get((source, line))


def read_job(on: Prepared, job: FoundJob) -> ReadJob:
    """Read a job to its end; one that cannot be read says why in its summary."""
    observed, raised = observer(on.pack), RaisedExceptions(on.pack)

    def see(event: Event) -> None:
        observed.see(event)
        raised.see(event)

    read = replayed(on, job, see)
    if isinstance(read, JobSummary):
        return ReadJob(job, read)
    report, found = read
    summary = summary_of(job.name, report, observed)
    paths = {source.name: str(source.path) for source in found.sources if isinstance(source, FileSource)}
    logs = tuple(paths.values())
    wrong = [one for one in report.diagnoses if one.severity is not Severity.INFO]
    if not summary.troubled or not _is_unexplained(wrong, on.pack):
        return ReadJob(job, summary, logs=logs)
    telling = tuple(_telling(_lines(wrong, report), raised, paths))[:_MAX_TELLING]
    may_be = tuple(one.cause for one in report.diagnoses if one.rule.startswith(ALTERNATIVES))
    return ReadJob(job, summary, True, telling, may_be, logs)


def _is_unexplained(wrong: Sequence[Diagnosis], pack: Pack) -> bool:
    """Whether nothing is known of a failure but what was raised: no rule has words of it, and no row of a table."""
    if not wrong:
        return True
    last_resort = {rule.id for rule in pack.rules if rule.fallback and not rule.from_table}
    return wrong[0].rule in last_resort


def _lines(wrong: Sequence[Diagnosis], report: Report) -> Iterator[Evidence]:
    """The lines that tell of the failure, the best first."""
    for one in wrong[:1]:
        yield from sorted(one.evidence, key=lambda line: not line.captures.get("type"))
    yield from reversed(report.unusual)


def _telling(lines: Iterator[Evidence], raised: RaisedExceptions, paths: Mapping[str, str]) -> Iterator[TellingLine]:
    for line in lines:
        path = paths.get(line.source)
        if path is None or not line.text.strip():
            continue
        link = raised.at(line.source, line.line)
        if link is None:
            yield TellingLine(path, line.line, line.text)
            continue
        origin = link.frames[-1].origin if link.frames else None
        component = origin.component if origin is not None and not origin.own else None
        yield TellingLine(path, line.line, line.text, link.type, link.message, component)


# What the twin of a signal is called that asks for its words alone.
_WORDS = " (words)"
# So many letters may stand between the class of an exception and the words of its message.
_BEHIND = 400


@dataclass(frozen=True, slots=True)
class Fired:
    """Which of the drafts a report names, and which of them found a line at all, whatever the report made of it."""

    named: frozenset[str] = frozenset()
    hit: frozenset[str] = frozenset()


def jobs_read(jobs: Sequence[FoundJob], pack: Pack, processes: int) -> Iterator[ReadJob]:
    """Each job as it is read."""
    for job, found in read_on_all_cores(read_job, jobs, pack, processes):
        yield found or ReadJob(job, JobSummary(job.name, None, unread=DIED))


def drafts_tried(
    jobs: Sequence[FoundJob], pack: Pack, rules: frozenset[str], processes: int
) -> Iterator[tuple[FoundJob, Fired | None]]:
    """What the rules, which are drafts in the pack, make of each job; None of one that ended its reader."""
    watched, by_signal = _with_words(pack, rules)
    return read_on_all_cores(partial(_try, rules, by_signal), jobs, watched, processes, cache=False)


def _with_words(pack: Pack, rules: frozenset[str]) -> tuple[Pack, dict[int, str]]:
    """The pack with twins of the drafts' signals that take a line of any stance; the twins' rules by their numbers.

    A line that a rule passes over, as a retry or as advice, has the words all the same. A row of the table of
    exceptions asks for whole tracebacks: its twin takes any line that names the class and has the words behind it.
    """
    twins: list[tuple[str, Signal]] = []
    for rule in pack.rules:
        if rule.id in rules and not rule.from_table:
            own = [pack.signals[number] for number in all_signals(rule.when)]
            twins += [(rule.id, replace(one, id=f"{one.id}{_WORDS}", stances=())) for one in own]
    for row in pack.tables.exceptions:
        name = EXCEPTIONS + row.id
        if name in rules:
            behind = "|".join(map(re.escape, row.classes))
            pattern = rf"\b(?:{behind})\b(?s:.{{0,{_BEHIND}}}?)(?i:{row.words or ''})"
            twins.append((name, Signal(f"{name}{_WORDS}", row.classes, pattern)))
    by_signal = {number: rule for number, (rule, _) in enumerate(twins, start=len(pack.signals))}
    return pack.with_signals(signal for _, signal in twins), by_signal


def _try(rules: frozenset[str], by_signal: Mapping[int, str], on: Prepared, job: FoundJob) -> Fired:
    """What drafts make of a job; ``by_signal`` are theirs by the signals that find their words."""
    hit: set[str] = set()

    def see(event: Event) -> None:
        hit.update(by_signal[one.signal] for one in event.hits if one.signal in by_signal)

    read = replayed(on, job, see)
    if isinstance(read, JobSummary):
        return Fired()
    named = rules.intersection(one.rule for one in read[0].held)
    return Fired(named, named | hit)
