"""What silence says: waits that are open for too long, quiet, steps that stay away, a log that just ends.

Pure questions to a run as it stands, and to the job that it is a run of.
"""

from collections.abc import Iterator
from operator import attrgetter

from logrules.inference import step_time
from logrules.inference.cadence import outlasts
from logrules.inference.last_lines import is_of_program, last_lines, telling_line, tells_outcome
from logrules.inference.observation import KEPT_OBSERVATIONS, Match, Observation, extended, match_of_lines
from logrules.inference.polls import Poll
from logrules.inference.run_state import RunState
from logrules.inference.unlike_calls import unlike_calls
from logrules.model.event import Event, Worker
from logrules.model.record import replace
from logrules.ruleset.condition import Detection, Detector, Stillness, Waiting

# A pause that was lived through may come again, and be longer.
_PAUSES = 3
# What stands for a log that says nothing.
_NO_LINE = Observation(Event("-", 1, 0, "", "", Worker("-"), ()), 0, None, None)
# What none of these says of a run in which an error stands: that is why it stands still.
EXPLAINED_BY_FAILURE = frozenset(
    (Detection.STOPPED, Detection.POLLING, Detection.LAGGING, Detection.UNSTARTED, Detection.OVERDUE)
)


def match_of(leaf: Stillness, run: RunState) -> Match | None:
    """The observations on which the leaf holds at this moment, or None; whether an error stands is not asked here."""
    if isinstance(leaf, Detector) and leaf.kind in (Detection.MISSED, Detection.MISMATCHED):
        missed = leaf.kind is Detection.MISSED
        # Of calls that do not match the ranks' own lines tell too, where no dump does.
        return run.recorded.match(missed=missed) or (None if missed else unlike_calls(run.ranks))
    if run.job.activity.exit_status is not None:
        return None  # who has ended waits for nothing
    match leaf:
        case Waiting():
            return _waiting(leaf, run)
        case Detector(Detection.QUIET, limit):
            quiet = not run.tracker.owes_nothing and outlasts(run.quiet_since, limit, run.now)
            return _end_of(run, run.last) if quiet and run.last is not None else None
        case Detector(Detection.STOPPED):
            return _end_of(run, run.last) if run.last is not None and _stopped(run) else None
        case Detector(Detection.POLLING):
            return _polling(leaf, run)
        case Detector(Detection.LAGGING):
            return _lagging(run)
        case _:
            return _live(leaf, run)


def _patience(limit_s: float, lived_through_s: float) -> float:
    """How long such a silence may last: longer where one was lived through before, and the job went on."""
    return max(limit_s, _PAUSES * lived_through_s)


def deadlines(run: RunState) -> Iterator[float]:
    """The moments at which silence alone may change an answer, but for steps that stay away."""
    activity, polls, limits = run.job.activity, run.polls, run.job.index.silence.limits
    for wait in run.tracker.waits.open():
        if wait.since is not None:
            yield wait.since + wait.wait.patience_s
    since, begun = run.quiet_since, activity.begun
    if since is not None:
        yield from (since + limit for limit in limits[Detection.QUIET])
    for poll in polls.standing():
        if poll.first.heard is not None:
            yield from (poll.first.heard + _patience(limit, polls.longest_s) for limit in limits[Detection.POLLING])
        if poll.late_at is not None:
            yield poll.late_at
    if begun is not None:
        if activity.heard is None:
            yield from (begun + limit for limit in limits[Detection.SILENT])
        else:
            yield from (activity.heard + _patience(limit, activity.longest_s) for limit in limits[Detection.UNSTARTED])


def _live(leaf: Detector, run: RunState) -> Match | None:
    """What only a live job shows: the story of a saved log ends with it."""
    activity, limit_s, now = run.job.activity, leaf.longer_than_s, run.now
    if run.job.ended or now is None or activity.begun is None:
        return None
    if leaf.kind is Detection.SILENT:
        nothing = activity.heard is None and run.last is None
        return extended(None, _NO_LINE) if nothing and outlasts(activity.begun, limit_s, now) else None
    if run.tracker.owes_nothing:
        return None
    if leaf.kind is Detection.UNSTARTED:
        rhythms = ((state.rhythm, state.bar_rhythm) for state in run.tracker.workers.values())
        going = run.tracker.looped and any(one.patience_s is not None for pair in rhythms for one in pair)
        stands = not going and not run.is_waiting()
        late = stands and outlasts(activity.heard, _patience(limit_s, activity.longest_s), now)
        return extended(None, run.last or _NO_LINE) if late else None
    return step_time.overdue(run.tracker.workers, now, activity.heard_of)


def _lagging(run: RunState) -> Match | None:
    """Workers whose peers go on, or have gone on to the end: that one completes says nothing of who stands still."""
    now = run.now
    if run.job.ended or may_be_behind(run):
        return match_of_lines(run.laggards.last_lines(now, ended=run.job.ended))
    if run.job.activity.begun is None or now is None or run.tracker.owes_nothing:
        return None
    return step_time.lagging(run.tracker.workers, now, run.laggards.is_passed)


def may_be_behind(run: RunState) -> bool:
    """Whether this is a live job of which somebody has completed: who has not may be left behind."""
    return not run.job.ended and run.job.activity.begun is not None and run.tracker.completed is not None


def _waiting(leaf: Waiting, run: RunState) -> Match | None:
    # Who parts in the very last line of a log is through with what it was at.
    parted = run.parting.worker if run.job.ended and run.parting is not None else None
    late = [
        wait
        for wait in run.tracker.waits.open(leaf.wait)
        if wait.renewed.worker != parted and ((run.job.ended and not run.cut_off(wait)) or wait.is_overdue(run.now))
    ]
    late.sort(key=lambda wait: -wait.renewed.order)
    shown = (*(wait.opened for wait in late[:1]), *(wait.renewed for wait in late[:KEPT_OBSERVATIONS]))
    return match_of_lines({line.order: line for line in shown}.values())


def _polling(leaf: Detector, run: RunState) -> Match | None:
    """The first and the last of lines that say that they wait, live or at the end of a saved log.

    A rule that asks for no words leaves to the others what they are about.
    """
    says, others = leaf.says, run.job.index.silence.polled
    late = [
        poll
        for poll in run.polls.standing()
        if (poll.says(says) if says is not None else not any(map(poll.says, others)))
        and _lasts(poll, leaf.longer_than_s, run)
    ]
    if not late or run.tracker.owes_nothing or run.is_waiting():
        return None
    longest = min(late, key=lambda poll: poll.first.order)
    return match_of_lines((longest.first, longest.last))


def _lasts(poll: Poll, limit_s: float, run: RunState) -> bool:
    patience_s = _patience(limit_s, run.polls.longest_s)
    if run.job.ended:
        lasted_s = poll.lasted_s
        return (lasted_s is None or lasted_s >= patience_s) and not run.went_on(poll.last)
    heard = run.job.activity.heard_of.get(poll.last.event.source)
    return outlasts(poll.first.heard, patience_s, run.now) and poll.goes_on(run.now, heard)


def _end_of(run: RunState, last: Observation) -> Match:
    """The last step and the last sign of a place in the pipeline that anybody gave, and the last line of all."""
    states = run.tracker.workers.values()
    steps = (state.stepped for state in states if state.stepped is not None)
    signs = (state.latest for state in states if state.latest is not None)
    latest = (max(told, key=attrgetter("order"), default=last) for told in (steps, signs))
    match = extended(None, last)
    for observation in {one.order: one for one in latest if one.order != last.order}.values():
        match = extended(match, observation)
    # It is the last line that says where the job is now: what a library warns of behind it does not.
    told = telling_line(last_lines(run), run.job.endings.wordings) if run.job.ended else None
    others = [one.event.line for one in match.lines if one.order != last.order]
    if told is not None and max(others, default=0) < told.line < last.event.line:
        last = replace(last, event=told)
    return replace(match, last=last)


def _stopped(run: RunState) -> bool:
    """Whether the log ends in mid-run: no completion, no open wait."""
    tracker = run.tracker
    return (
        run.job.ended
        and tracker.completed is None
        and not tracker.over
        and run.parting is None
        and not tells_outcome(run)
        and (bool(tracker.workers) or run.polls.ends(run.last) or is_of_program(run))
        and not run.is_waiting()
    )
