"""Which rank a diagnosis is of where its own lines name none: by its messages, and by the rest of the log."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from logrules.inference.failure_analysis import ended_ranks, gone_of_themselves
from logrules.inference.hypothesis import MAX_NAMED, Hypothesis, Ranked
from logrules.inference.observation import Observation
from logrules.inference.rank_table import RankTable
from logrules.inference.run_state import RunState
from logrules.model.event import Event, Worker, as_rank, ranks_of
from logrules.model.record import record
from logrules.ruleset.name_tables import Saying

# Of a message, so much is searched.
_MAX_READ = 2_000
# What the log tells of a rank, the most telling first; none where it does not tell.
_Clues: TypeAlias = Iterator[Sequence[int]]


@record
class FailureContext:
    """What is known beside the own lines of a hypothesis: what followed from it, and the rest of its run."""

    ranked: Ranked
    run: RunState

    @property
    def hypothesis(self) -> Hypothesis:
        """What is to be laid to somebody."""
        return self.ranked.hypothesis

    @property
    def lines(self) -> list[Observation]:
        """Its first lines."""
        return [line for match in self.hypothesis.matches for line in match.first]

    def told(self, saying: Saying, more: Iterable[Event] = ()) -> set[str]:
        """What these, and ``more`` lines, name where they say so: a rank, a device, a host."""
        wordings, events = self.run.job.index.wordings, (*(line.event for line in self.lines), *more)
        return {value for event in events for value in wordings.values(saying, event.message[:_MAX_READ])}

    @property
    def chains(self) -> list[int]:
        """The failure records that these are of, each once."""
        return list(dict.fromkeys(line.chain for line in self.lines if line.chain is not None))

    @property
    def losses(self) -> list[Hypothesis]:
        """What followed, as those tell it who lost somebody, or wait for somebody."""
        cause, others = self.hypothesis.rule.cause, self.ranked.consequences
        return [other for other in others if other.rule.culprit == "absent" and other.rule.cause != cause]


def attributed_ranks(context: FailureContext) -> tuple[int, ...]:
    """The ranks that the most telling of what the log says names; none where nothing does."""
    clues = _CLUES.get(context.hypothesis.rule.culprit)
    found = next(filter(None, clues(context)), ()) if clues is not None else ()
    return tuple(dict.fromkeys(found))[:MAX_NAMED]


def _of_an_error(context: FailureContext) -> _Clues:
    """Who failed."""
    table, failures, consequences = context.run.ranks, context.run.failures, context.ranked.consequences
    writers = [line.worker for line in context.lines]
    yield [rank for chain in context.chains for rank in failures.ranks_of(chain)]
    yield _ended_by_its_number(context)
    # Who wrote its lines, where they gave their rank elsewhere.
    yield _known(map(table.processes.rank_of, writers))
    # Nobody where its messages name several.
    yield _only_one(_known(map(as_rank, context.told(Saying.ON_RANK) or context.told(Saying.ON_LOCAL_RANK))))
    # A launcher's summary may name the rank that its own traceback does not.
    yield [rank for other in consequences if not other.rule.from_table for rank in other.named_ranks]
    # Whose end launchers report first.
    yield ended_ranks(failures.reported_ends())
    # One failure is told by several lines, and not each of them bears its writer's name.
    alike = [other for other in consequences if other.rule.cause == context.hypothesis.rule.cause]
    yield _only_one(rank for other in alike for rank in other.reporters)
    # The only rank whose errors the log shows, but for those who only lost somebody.
    losers = {rank for other in context.losses for rank in other.reporters}
    yield _only_one({rank for one in failures.uncaught() for rank in ranks_of(one.workers)} - losers)
    numbered = _known(map(table.processes.number_of, writers))
    yield _by_its_device(context, writers) if not numbered else ()
    yield from _of_its_node(context)
    # There is no other.
    yield (0,) if table.world == 1 else ()
    # Their roles are numbered like ranks.
    yield numbered
    # The only rank that gives its name, where it does not merely wait for another: the log is its own. Rank 0 may be
    # the only one that is asked to log.
    yield _only_one(table.ranks) if 0 not in table.ranks and not losers else ()


def _of_a_loss(context: FailureContext) -> _Clues:
    """Whom others lost or wait for: it may have written nothing at all."""
    hypothesis, table = context.hypothesis, context.run.ranks
    # The only one whose end a launcher tells, where it reports no loss itself: a survivor says whom it lost. Of those
    # whose time ran out, everybody may have waited; who was aborted has.
    ended, waited = gone_of_themselves(context.run.failures.reported_ends()), hypothesis.reporters
    timed_out = any("timeout_ms" in line.all_captures() for line in context.lines)
    yield ended if len(ended) == 1 and waited and waited.isdisjoint(ended) and not timed_out else ()
    yield from _of_its_node(context)
    # Who did not report, of those who wrote and of those that there must be in a job of that size.
    yield hypothesis.absent_ranks(table.all_ranks)
    yield _other_of_two(hypothesis, table)


_CLUES: Mapping[str, Callable[[FailureContext], _Clues]] = {"reporter": _of_an_error, "absent": _of_a_loss}


def _of_its_node(context: FailureContext) -> _Clues:
    """Whom the others of its node were the first to lose (capture ``local_rank``), then who reports no loss.

    Those who report what followed are those whom it hit: they waited for somebody who reports nothing.
    """
    table = context.run.ranks
    local = _known(map(as_rank, context.hypothesis.said("local_rank")))
    yield _known(map(table.of_local, local))
    yield from (other.absent_ranks(table.ranks) for other in context.ranked.consequences)
    yield from (_other_of_two(other, table) for other in context.losses)


def _ended_by_its_number(context: FailureContext) -> Sequence[int]:
    """Those of whose end a launcher tells by their number alone, where they gave their rank elsewhere."""
    ends = (one for one in context.run.failures.reported_ends() if any(one.holds(line.event) for line in context.lines))
    workers = (worker for one in ends for worker in one.workers)
    numbered = ((one.pid, one.host) for one in workers if one.rank is None and one.pid is not None)
    return _known(context.run.ranks.processes.rank_of_process(pid, host) for pid, host in numbered)


def _by_its_device(context: FailureContext, writers: Iterable[Worker]) -> Sequence[int]:
    """The local rank of the device that its messages are about, on a job of several ranks on one host.

    A container of several counts its own devices.
    """
    table = context.run.ranks
    if ((table.world or 0) <= 1 and not table.ranks - {0}) or any(one.host for one in writers):
        return ()
    return _only_one(_known(map(as_rank, context.told(Saying.ON_DEVICE))))


def _other_of_two(hypothesis: Hypothesis, table: RankTable) -> Sequence[int]:
    """In a job of two, whoever misses the other one misses that one: by its size, or where just these two wrote."""
    is_of_two = table.world == 2 or (table.world is None and table.ranks == {0, 1})  # noqa: PLR2004 (two)
    return _only_one({0, 1} - hypothesis.reporters) if is_of_two else ()


def _known(ranks: Iterable[int | None]) -> Sequence[int]:
    return [rank for rank in ranks if rank is not None]


def _only_one(ranks: Iterable[int]) -> Sequence[int]:
    found = set(ranks)
    return tuple(found) if len(found) == 1 else ()
