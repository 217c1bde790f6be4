"""Whether a run went on after a failure: by what its lines say, by steps made since, by what was written below."""

from posixpath import basename

from logrules.inference.failure_analysis import ended_ranks
from logrules.inference.observation import Match, Observation
from logrules.inference.run_state import RunState
from logrules.model.event import Event, Stance
from logrules.model.failure import Failure
from logrules.model.record import replace
from logrules.ruleset.pack import Rule

# A run that makes this many rounds of progress after an error has survived it.
SURVIVAL_ROUNDS = 3
# A writer that said it was over and then makes so many is another one: a new run in the same log.
NEW_RUN_ROUNDS = 20
# A server that answers so many requests behind what nobody knows has not died of it.
ANSWERS = 3
# What rules take from a line of a collective that ran out of time: its limit, or the words that say so.
_RAN_OUT = frozenset(("timeout_ms", "ran_out"))
# So many lines below the end of a script its next traceback is that of another run, and not of a process beside it.
_ANOTHER_RUN = 2


def survived(run: RunState, rule: Rule, match: Match) -> bool:
    """Whether the run went on for long enough after these lines for them not to be its end."""
    tracker, last = run.tracker, match.last
    if rule.wait is not None:
        return run.went_on(last)
    if run.job.ended and (_began_anew(run, last.event) or (not run.ranks.ranks and _ran_again(run, last))):
        return True  # it ended another process than those that the log tells of below
    if rule.cleared_by == "nothing":
        return False
    if last.completions < tracker.completions:
        return True
    if (completed := tracker.completed) is not None:
        # Who waited until his time ran out kept the job from ending.
        late = (one.event for one in match.lines if one.order > completed.order)
        if any(not _RAN_OUT.isdisjoint(hit.captures) for event in late for hit in event.hits):
            return False
        # What is lost while processes end is no matter, but who is through reads no arguments any more.
        own_end = last.refused_program is not None or _ended_script(run, last)
        return rule.abrupt or last.order <= completed.order or not own_end
    return _lived_through(run, rule, last) or _stepped_on(run, rule, last)


def of_the_last_processes(run: RunState, match: Match) -> Match:
    """The match without what processes had told that others followed, where these tell of the same."""
    if not run.job.ended:
        return match
    left = tuple((seen, signal) for seen, signal in match.pairs if not _began_anew(run, seen.event))
    return replace(match, pairs=left) if left else match


def _began_anew(run: RunState, event: Event) -> bool:
    """Whether other processes begin below the line than the one that wrote it.

    What a script ran before it had the ranks started, whose lines all bear a label, is no process of theirs. The log
    of one process may be opened by it once more, but ranks that start later open it too.
    """
    return run.launched_after(event) or (not run.ranks.ranks and run.job.endings.reopened(event))


def _ran_again(run: RunState, last: Observation) -> bool:
    """Whether the program that ended so, or was refused its start, raised again further below: it ends but once.

    Several of a job may each end so; where a launcher tells of them, nothing is said.
    """
    record, program = run.failures.record_of(last.chain), last.refused_program
    if record is not None and not record.worker.is_process:
        program = record.script
    if program is None or (run.ranks.world or 1) > 1 or any(ended_ranks(run.failures.reported_ends())):
        return False
    return any(
        one.script is not None and basename(one.script) == basename(program) and one.worker == last.worker
        for one in _raised_after(run, last)
        if record is None or one.first.line - record.last.line > _ANOTHER_RUN
    )


def _raised_after(run: RunState, last: Observation) -> list[Failure]:
    """What the same log tells, after the line, of that was raised and that nobody caught, and of crashes."""
    return [one for one in run.failures.uncaught() if one.begins_below(last.event)]


def _ended_script(run: RunState, last: Observation) -> bool:
    """Whether what was raised ended the user's own script: it was not through.

    What launchers, helping processes and threads tell of is lost while they end.
    """
    record = run.failures.record_of(last.chain)
    if record is None or record.stance is not Stance.FACT:
        return False
    outermost = record.chain[-1].frames[:1] if record.chain else ()
    return any(frame.in_module and frame.origin.own and not frame.file.startswith("<") for frame in outermost)


def _lived_through(run: RunState, rule: Rule, last: Observation) -> bool:
    """Whether the lines below these, or their own words, show that their writer lived."""
    job, own = run.job, run.tracker.workers.get(last.worker)
    if rule.fallback and (run.failures.lived_through(last) or (job.ended and _speaks_on(run, last))):
        return True
    if own is not None and own.began_anew(last):
        return True
    if not job.ended:
        return False
    if rule.cleared_by == "progress" and job.endings.carried_on(last.event):
        return True
    # The log goes on for very long behind what ended a start, and says of nothing else that failed.
    stands = run.tracker.steps.count == last.round and last.phase not in run.tracker.loops
    record = run.failures.record_of(last.chain)
    return (
        stands
        and job.endings.outlived(last.event if record is None else record.last)
        and not any(one.begins_below(last.event) for one in run.failures.all())
    )


def _speaks_on(run: RunState, last: Observation) -> bool:
    """Whether a server answered further requests, or this one with the failure, or who caught it says more.

    Or its writer did much more behind this line, and says in the very last one that it is done.
    """
    endings, record, parting = run.job.endings, run.failures.record_of(last.chain), run.parting
    enough = 1 if run.failures.told_as_caught(last.event) else ANSWERS
    if endings.answered(last.event, enough):
        return True
    if record is None or not record.logged_whole:
        return False
    logs = parting is not None and parting.event.level is not None and parting.worker == last.worker
    return endings.spoke_on(last.event) or (logs and run.went_on(last))


def _stepped_on(run: RunState, rule: Rule, last: Observation) -> bool:
    """Whether steps were made since, enough for what the rule asks."""
    tracker = run.tracker
    if (rounds := _rounds_of_its_log(run, last)) is None:
        rounds = tracker.steps.count - last.round
    elif rounds == 0:
        return False
    if rule.cleared_by != "progress":
        return rounds >= NEW_RUN_ROUNDS and tracker.steps_on(last)
    # Where no marker had told a phase yet, the frames of a traceback may.
    phase = last.phase or (None if last.chain is None else run.failures.phase_of(last.chain))
    if rounds >= SURVIVAL_ROUNDS or tracker.stepped_past(last, phase):
        return True
    # A search that notes a trial as failed has lived through it once it makes the next, a server once it says more,
    # and what is raised while objects are freed is not the end where something that nobody caught comes after it.
    caught = run.failures.told_as_caught(last.event)
    return caught and (rounds > 0 or run.went_on(last) or any(one.chain for one in _raised_after(run, last)))


def _rounds_of_its_log(run: RunState, last: Observation) -> int | None:
    """The rounds that its own log tells behind this line, where others do but no time tells in which order.

    A log of errors alone tells of no step: who ended there as a whole has not gone on. None where all rounds count.
    """
    steps_in = run.tracker.steps_in
    if last.time is not None or len(steps_in) < 2:  # noqa: PLR2004 (one log has an order)
        return None
    if (own := steps_in.get(last.event.source)) is not None:
        return own.count - last.own_round
    record = run.failures.record_of(last.chain)
    return 0 if record is not None and record.script is not None else None
