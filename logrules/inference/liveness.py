"""What silence says: waits that are open for too long, quiet, steps that stay away, a log that just ends.

Pure questions to a moment of a job; the session only says what the moment is.
"""

from collections.abc import Callable, Iterator
from operator import attrgetter

from logrules.inference import step_time
from logrules.inference.awaited_calls import unlike_calls
from logrules.inference.cadence import outlasts
from logrules.inference.job_state import Activity
from logrules.inference.observation import KEPT_OBSERVATIONS, Match, Observation, begin, extend, match_of_lines
from logrules.inference.rule_index import Limits
from logrules.inference.run_state import RunState
from logrules.inference.waits import Poll
from logrules.model.event import Event, Worker
from logrules.model.record import record, replace
from logrules.ruleset.condition import Detection, Detector, Stillness, Waiting

# A pause that was lived through may come again, and be longer.
_PAUSES = 3
# What stands for a log that says nothing.
_NO_LINE = Observation(Event("-", 1, 0, "", "", Worker("-"), ()), 0, None, None)


@record
class JobSnapshot:
    """A job as it stands.

    ``failing`` is asked only where an answer hangs on it: whether an error stands. ``polled`` is what repeated lines
    say of which a rule of their own tells.
    """

    run: RunState
    failing: Callable[[], bool]
    polled: tuple[str, ...] = ()

    @property
    def now(self) -> float | None:
        """The job's time."""
        return self.run.job.clock.now

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self.run.job.ended

    @property
    def activity(self) -> Activity:
        """When the job was heard."""
        return self.run.job.activity

    @property
    def quiet_since(self) -> float | None:
        """When the last bytes came; for a saved log, how late it was when the last line that told anything came."""
        return self.run.reached if self.activity.heard is None else self.activity.heard

    def overdue(self, since: float | None, patience_s: float) -> bool:
        """Whether what began at ``since`` lasts for longer than this."""
        return outlasts(since, patience_s, self.now)


def match_of(leaf: Stillness, at: JobSnapshot) -> Match | None:
    """The observations on which the leaf holds at this moment, or None."""
    if isinstance(leaf, Detector) and leaf.kind in (Detection.MISSED, Detection.MISMATCHED):
        return _parted(at, missed=leaf.kind is Detection.MISSED)
    if at.activity.exit_status is not None:
        return None  # who has ended waits for nothing
    match leaf:
        case Waiting():
            return _waiting(leaf, at)
        case Detector(Detection.QUIET, limit):
            since = None if at.run.tracker.owes_nothing else at.quiet_since
            quiet = since is not None and at.now is not None and at.now - since > limit
            return _end_of(at, at.run.last) if quiet and at.run.last is not None else None
        case Detector(Detection.STOPPED):
            return _end_of(at, at.run.last) if at.run.last is not None and _stopped(at) else None
        case Detector(Detection.POLLING, limit, says):
            return _polling(limit, says, at)
        case Detector(Detection.LAGGING):
            return _lagging(at)
        case _:
            return _live(leaf, at)


def _parted(at: JobSnapshot, *, missed: bool) -> Match | None:
    """Where ranks part in their collectives: by their flight recorders, else by the lines of their watchdogs."""
    return at.run.recorded.match(missed=missed) or (None if missed else unlike_calls(at.run.ranks))


def _unstarted_patience(limit_s: float, at: JobSnapshot) -> float:
    """How long a job of no known rhythm may be silent: longer where it was silent before, and went on."""
    return max(limit_s, _PAUSES * at.activity.longest_s)


def _polling_patience(limit_s: float, at: JobSnapshot) -> float:
    """How long lines may only say that they wait: longer where that was so before, and the job went on."""
    return max(limit_s, _PAUSES * at.run.polls.longest_s)


def deadlines(at: JobSnapshot, limits: Limits) -> Iterator[float]:
    """The moments at which silence alone may change an answer, but for steps that stay away."""
    for wait in at.run.tracker.waits.open():
        if wait.since is not None:
            yield wait.since + wait.wait.patience_s
    since, begun = at.quiet_since, at.activity.begun
    if since is not None:
        yield from (since + limit for limit in limits[Detection.QUIET])
    begins = [poll.first.heard for poll in at.run.polls.standing() if poll.first.heard is not None]
    yield from (first + _polling_patience(limit, at) for first in begins for limit in limits[Detection.POLLING])
    if begun is not None:
        if at.activity.heard is None:
            yield from (begun + limit for limit in limits[Detection.SILENT])
        else:
            yield from (at.activity.heard + _unstarted_patience(limit, at) for limit in limits[Detection.UNSTARTED])


def _live(leaf: Detector, at: JobSnapshot) -> Match | None:
    """What only a live job shows: the story of a saved log ends with it."""
    if at.ended or at.now is None or at.activity.begun is None:
        return None
    if leaf.kind is Detection.SILENT:
        nothing = (
            at.activity.heard is None and at.run.last is None and at.overdue(at.activity.begun, leaf.longer_than_s)
        )
        return begin(_NO_LINE, -1) if nothing else None
    if at.run.tracker.owes_nothing or at.failing():
        return None
    if leaf.kind is Detection.UNSTARTED:
        return begin(at.run.last or _NO_LINE, -1) if _is_unstarted(leaf.longer_than_s, at) else None
    return step_time.overdue(at.run.tracker.workers, at.now, at.activity.heard_of)


def _lagging(at: JobSnapshot) -> Match | None:
    """Workers whose peers go on, or have gone on to the end: that one completes says nothing of who stands still."""
    if at.failing():
        return None
    live = not at.ended and at.now is not None and at.activity.begun is not None
    if at.ended or (live and at.run.tracker.completed is not None):
        return match_of_lines(at.run.laggards.last_lines(at.now, ended=at.ended))
    if not live or at.now is None or at.run.tracker.owes_nothing:
        return None
    return step_time.lagging(at.run.tracker.workers, at.now, at.run.laggards.is_passed)


def _is_unstarted(limit_s: float, at: JobSnapshot) -> bool:
    if at.run.is_waiting() or (
        at.run.tracker.looped and any(map(step_time.has_rhythm, at.run.tracker.workers.values()))
    ):
        return False
    return at.overdue(at.activity.heard, _unstarted_patience(limit_s, at))


def _waiting(leaf: Waiting, at: JobSnapshot) -> Match | None:
    # Who parts in the very last line of a log is through with what it was at.
    parted = at.run.parting.worker if at.ended and at.run.parting is not None else None
    late = [
        wait
        for wait in at.run.tracker.waits.open(leaf.wait)
        if wait.renewed.worker != parted and ((at.ended and not at.run.cut_off(wait)) or wait.is_overdue(at.now))
    ]
    if not late:
        return None
    late.sort(key=lambda wait: -wait.renewed.order)
    match = begin(late[0].opened, -1)
    shown = [late[0].renewed, *(wait.renewed for wait in late[1:])]
    for observation in shown[:KEPT_OBSERVATIONS]:
        match = extend(match, observation, -1) if observation is not match.last else match
    return match


def _polling(limit_s: float, says: str | None, at: JobSnapshot) -> Match | None:
    """The first and the last of lines that say that they wait, live or at the end of a saved log."""
    late = [poll for poll in at.run.polls.standing() if _concerns(says, poll, at) and _lasts(poll, limit_s, at)]
    if not late or at.run.tracker.owes_nothing or at.failing() or at.run.is_waiting():
        return None
    longest = min(late, key=lambda poll: poll.first.order)
    return extend(begin(longest.first, -1), longest.last, -1)


def _concerns(says: str | None, poll: Poll, at: JobSnapshot) -> bool:
    """Whether a rule is about such lines: one that asks for no words leaves to the others what they are about."""
    return poll.says(says) if says is not None else not any(poll.says(words) for words in at.polled)


def _lasts(poll: Poll, limit_s: float, at: JobSnapshot) -> bool:
    if at.ended:
        lasted_s = poll.lasted_s
        long = lasted_s is None or lasted_s >= _polling_patience(limit_s, at)
        return long and not at.run.went_on(poll.last)
    heard = at.activity.heard_of.get(poll.last.event.source)
    return at.overdue(poll.first.heard, _polling_patience(limit_s, at)) and poll.goes_on(at.now, heard)


def _end_of(at: JobSnapshot, last: Observation) -> Match:
    """The last step and the last sign of a place in the pipeline that anybody gave, and the last line of all."""
    states = at.run.tracker.workers.values()
    steps = (state.stepped for state in states if state.stepped is not None)
    signs = (state.latest for state in states if state.latest is not None)
    latest = (max(told, key=attrgetter("order"), default=last) for told in (steps, signs))
    match = begin(last, -1)
    for observation in {one.order: one for one in latest if one.order != last.order}.values():
        match = extend(match, observation, -1)
    # It is the last line that says where the job is now.
    return replace(match, last=last)


def _stopped(at: JobSnapshot) -> bool:
    """Whether the log ends in mid-run: no completion, no error, no open wait."""
    tracker = at.run.tracker
    return (
        at.ended
        and tracker.completed is None
        and not tracker.over
        and at.run.parting is None
        and (bool(tracker.workers) or at.run.polls.ends(at.run.last) or at.run.loops())
        and not at.failing()
        and not at.run.is_waiting()
    )
