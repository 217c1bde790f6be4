"""Which rank a diagnosis is of where its own lines name none: by its messages, and by the rest of the log.

Each function is one thing that a log may tell of it, and gives no rank where the log does not. The tables say in which
order they are asked.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from logrules.inference.failure_analysis import ended_ranks, gone_before, gone_of_themselves
from logrules.inference.failures import Failures
from logrules.inference.hypothesis import MAX_NAMED, Hypothesis, Ranked
from logrules.inference.observation import Observation
from logrules.inference.rank_table import RankTable
from logrules.model.event import as_rank, ranks_of
from logrules.model.late_pattern import late_pattern
from logrules.model.record import record

# A message that tells on which rank it happened; whoever it waited for, sent to or counts to is another matter, and so
# is what is said to a program: a launcher prints the command that it started last, whichever process failed.
_ON_RANK = late_pattern(
    r"(?<![A-Za-z_-])(?<!local )(?<!node )(?<!machine )(?<!from )(?<!to )(?<!with )(?<!of )(?<!by )(?<!for )"
    r"(?:global[_ ]|world[_ ])?[Rr]ank"
    r"(?:[ _#]?(?:id|ID))?[ #=:]{0,3}(\d{1,6})\b(?! (?:of|ranks))"
)
_ON_LOCAL_RANK = late_pattern(r"(?<![A-Za-z-])local[_ ]rank[ #=:]{0,3}(\d{1,6})\b")
# The device that a message is about, by its number on the node: below a launcher that of the local rank, where each
# process sees them all.
_ON_DEVICE = late_pattern(r"\b(?:GPU|device=\w+:|cuda:) ?(\d{1,3})(?= has\b|: )")
# Of a message, so much is searched.
MAX_READ = 2_000


@record
class FailureContext:
    """What is known beside the own lines of a hypothesis: what followed from it, all ranks, all failure records."""

    ranked: Ranked
    rank_table: RankTable
    failures: Failures

    @property
    def hypothesis(self) -> Hypothesis:
        """What is to be laid to somebody."""
        return self.ranked.hypothesis

    @property
    def lines(self) -> list[Observation]:
        """Its first lines."""
        return [line for match in self.hypothesis.matches for line in match.first]

    @property
    def messages(self) -> list[str]:
        """What these say, as far as it is read."""
        return [line.event.message[:MAX_READ] for line in self.lines]


def attributed_ranks(context: FailureContext) -> tuple[int, ...]:
    """The ranks that the most telling of what the log says names; none where nothing does."""
    found = next((ranks for told in _CLUES[context.hypothesis.rule.culprit] if (ranks := told(context))), ())
    return tuple(dict.fromkeys(found))[:MAX_NAMED]


def _wrote_its_record(context: FailureContext) -> Sequence[int]:
    """Those who wrote the failure record that its lines are of."""
    chains = (line.chain for line in context.lines if line.chain is not None)
    return [rank for chain in chains for rank in context.failures.ranks_of(chain)]


def _ended_by_its_number(context: FailureContext) -> Sequence[int]:
    """Those of whose end a launcher tells by their number alone, where they gave their rank elsewhere."""
    ends = (one for one in context.failures.reported_ends() if any(one.holds(line.event) for line in context.lines))
    workers = (worker for one in ends for worker in one.workers)
    numbered = ((one.pid, one.host) for one in workers if one.rank is None and one.pid is not None)
    ranks = (context.rank_table.processes.rank_of_process(pid, host) for pid, host in numbered)
    return [rank for rank in ranks if rank is not None]


def _wrote_its_lines(context: FailureContext) -> Sequence[int]:
    """Those who wrote its lines, where they gave their rank elsewhere."""
    ranks = (context.rank_table.processes.rank_of(line.worker) for line in context.lines)
    return [rank for rank in ranks if rank is not None]


def _said_by_its_messages(context: FailureContext) -> Sequence[int]:
    """The rank on which its messages say that it happened; nobody where they name several."""
    said = context.messages
    words = _ON_RANK if any(_ON_RANK.search(message) for message in said) else _ON_LOCAL_RANK
    return _only_number(words, said)


def _named_by_what_followed(context: FailureContext) -> Sequence[int]:
    """A launcher's summary may name the rank that its own traceback does not."""
    followed = (other for other in context.ranked.consequences if not other.rule.from_table)
    return [rank for other in followed for rank in other.named_ranks]


def _ended_badly(context: FailureContext) -> Sequence[int]:
    """Whose end launchers report first."""
    return ended_ranks(context.failures.reported_ends())


def _ended_before_others_waited(context: FailureContext) -> Sequence[int]:
    """Who waited for somebody aborts in the end too: of those who did not, who had ended before that wait began."""
    gone = gone_before(context.failures.reported_ends(), context.hypothesis.first.event)
    return [rank for rank in gone if rank not in context.hypothesis.reporters]


def _ended_without_missing_anybody(context: FailureContext) -> Sequence[int]:
    """The only one whose end a launcher tells, where it reports no loss itself: a survivor says whom it lost.

    Of those whose time ran out, everybody may have waited; who was aborted has.
    """
    if any("timeout_ms" in line.all_captures() for line in context.lines):
        return ()
    ended = gone_of_themselves(context.failures.reported_ends())
    waited = context.hypothesis.reporters
    return ended if len(ended) == 1 and waited and waited.isdisjoint(ended) else ()


def _alone_tells_of_its_cause(context: FailureContext) -> Sequence[int]:
    """One failure is told by several lines, and not each of them bears its writer's name."""
    cause = context.hypothesis.rule.cause
    alike = (other for other in context.ranked.consequences if other.rule.cause == cause)
    return _only_one(rank for other in alike for rank in other.reporters)


def _alone_raised(context: FailureContext) -> Sequence[int]:
    """The only rank whose errors the log shows, but for those who only lost somebody."""
    losers = {rank for other in _losses(context) for rank in other.reporters}
    return _only_one(
        rank for one in context.failures.uncaught() for rank in ranks_of(one.workers) if rank not in losers
    )


def _by_its_device(context: FailureContext) -> Sequence[int]:
    """The local rank of the device that its messages are about, on a job of several ranks on one host.

    A container of several counts its own devices.
    """
    several = (context.rank_table.world or 0) > 1 or context.rank_table.ranks - {0}
    if not several or any(line.worker.host for line in context.lines) or _numbered_as_its_writers(context):
        return ()
    return _only_number(_ON_DEVICE, context.messages)


def _silent_where_others_report(context: FailureContext) -> Sequence[int]:
    """Those who report what followed are those whom it hit: they waited for somebody who reports nothing."""
    known = context.rank_table.ranks
    return _first(other.absent_ranks(known) for other in context.ranked.consequences)


def _missed_by_the_other_of_two(context: FailureContext) -> Sequence[int]:
    """Whom the losers of what followed lost, in a job of two."""
    return _first(_other_of_two(other, context.rank_table) for other in _losses(context))


def _left_its_node_first(context: FailureContext) -> Sequence[int]:
    """Whom the others of its node were the first to lose (capture ``local_rank``)."""
    said = (as_rank(text) for text in context.hypothesis.said("local_rank"))
    ranks = (context.rank_table.of_local(local) for local in said if local is not None)
    return [rank for rank in ranks if rank is not None]


def _missed_by_all(context: FailureContext) -> Sequence[int]:
    """Who did not report, of those who wrote and of those that there must be in a job of that size."""
    return context.hypothesis.absent_ranks(context.rank_table.all_ranks)


def _missed_by_its_reporter(context: FailureContext) -> Sequence[int]:
    """The other one, in a job of two."""
    return _other_of_two(context.hypothesis, context.rank_table)


def _only_rank_there_is(context: FailureContext) -> Sequence[int]:
    return (0,) if context.rank_table.world == 1 else ()


def _numbered_as_its_writers(context: FailureContext) -> Sequence[int]:
    """Those who wrote its lines, where their roles are numbered like ranks."""
    numbers = (context.rank_table.processes.number_of(line.worker) for line in context.lines)
    return [number for number in numbers if number is not None]


def _only_writer(context: FailureContext) -> Sequence[int]:
    """The only rank that gives its name, where it does not merely wait for another: the log is its own.

    Rank 0 may be the only one that is asked to log.
    """
    ranks = context.rank_table.ranks
    waits = any(other.reporters for other in _losses(context))
    return tuple(ranks) if len(ranks) == 1 and 0 not in ranks and not waits else ()


_Told = Callable[[FailureContext], Sequence[int]]

# Who failed, the most telling first.
_OF_AN_ERROR: tuple[_Told, ...] = (
    _wrote_its_record,
    _ended_by_its_number,
    _wrote_its_lines,
    _said_by_its_messages,
    _named_by_what_followed,
    _ended_badly,
    _alone_tells_of_its_cause,
    _alone_raised,
    _by_its_device,
    _left_its_node_first,
    _silent_where_others_report,
    _missed_by_the_other_of_two,
    _only_rank_there_is,
    _numbered_as_its_writers,
    _only_writer,
)
# Whom others lost or wait for: it may have written nothing at all.
_OF_A_LOSS: tuple[_Told, ...] = (
    _named_by_what_followed,
    _ended_before_others_waited,
    _ended_without_missing_anybody,
    _left_its_node_first,
    _silent_where_others_report,
    _missed_by_the_other_of_two,
    _missed_by_all,
    _missed_by_its_reporter,
    _only_rank_there_is,
)
# Whom a line reports on is another than its writer, and not named there.
_OF_ANOTHER: tuple[_Told, ...] = (_named_by_what_followed, _ended_before_others_waited, _only_rank_there_is)
_CLUES: dict[str, tuple[_Told, ...]] = {
    "reporter": _OF_AN_ERROR,
    "captured": _OF_ANOTHER,
    "absent": _OF_A_LOSS,
    "none": (),
}


def _losses(context: FailureContext) -> Iterator[Hypothesis]:
    """What those tell who lost somebody, or wait for somebody."""
    cause = context.hypothesis.rule.cause
    others = context.ranked.consequences
    return (other for other in others if other.rule.culprit == "absent" and other.rule.cause != cause)


def _other_of_two(hypothesis: Hypothesis, rank_table: RankTable) -> Sequence[int]:
    """In a job of two, whoever misses the other one misses that one: by its size, or where just these two wrote."""
    others = {0, 1} - hypothesis.reporters
    is_of_two = rank_table.world == 2 or (rank_table.world is None and rank_table.ranks == {0, 1})  # noqa: PLR2004 (two)
    return tuple(others) if is_of_two and len(others) == 1 else ()


def _first(found: Iterable[Sequence[int]]) -> Sequence[int]:
    return next((ranks for ranks in found if ranks), ())


def _only_one(ranks: Iterable[int]) -> Sequence[int]:
    found = set(ranks)
    return tuple(found) if len(found) == 1 else ()


def _only_number(words: re.Pattern[str], messages: Iterable[str]) -> Sequence[int]:
    """The number behind these words; none where messages say several."""
    return _only_one(int(number) for message in messages for number in words.findall(message))
