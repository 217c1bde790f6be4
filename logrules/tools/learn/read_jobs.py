"""Many jobs on all cores, read for what nothing explains, or for what drafts make of them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from logrules.engine.run import Prepared, replay_prepared
from logrules.model.errors import SourceError
from logrules.model.event import Event
from logrules.ruleset.condition import all_signals
from logrules.ruleset.pack import Pack, Signal
from logrules.ruleset.signal_table import SignalTable
from logrules.ruleset.tables import EXCEPTIONS
from logrules.sources.discover import discover
from logrules.tools.fleet.job import JobSummary
from logrules.tools.fleet.jobs import FoundJob
from logrules.tools.fleet.scan_jobs import DIED, read_on_all_cores
from logrules.tools.learn.read_job import ReadJob, read_job

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
    first = len(pack.signals)
    watched = replace(pack, signals=SignalTable((*pack.signals, *(signal for _, signal in twins))))
    return watched, {first + place: rule for place, (rule, _) in enumerate(twins)}


def _try(rules: frozenset[str], by_signal: Mapping[int, str], on: Prepared, job: FoundJob) -> Fired:
    """What drafts make of a job; ``by_signal`` are theirs by the signals that find their words."""
    hit: set[str] = set()

    def see(event: Event) -> None:
        hit.update(by_signal[one.signal] for one in event.hits if one.signal in by_signal)

    try:
        found = discover([str(job.path)])
        report = replay_prepared(on, on.session(), found.sources, found.notes, see)
    except SourceError:
        return Fired()
    named = rules.intersection(one.rule for one in report.held)
    return Fired(named, named | hit)
