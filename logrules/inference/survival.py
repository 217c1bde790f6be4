"""Whether a run went on after a failure: by what its lines say, by steps made since, by what was written below.

Each function is one sign that it did, or that it did not.
"""

from logrules.inference.failure_analysis import ended_ranks
from logrules.inference.observation import Match, Observation
from logrules.inference.run_state import RunState
from logrules.model.event import Event, Stance
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
    if run.job.ended and _was_not_the_run(run, last):
        return True
    if rule.cleared_by == "nothing":
        return False
    if last.completions < tracker.completions:
        return True
    if tracker.completed is not None:
        # What is lost while processes end is no matter; who waited until his time ran out kept the job from ending.
        own_end = not rule.abrupt and (
            _had_more_to_do(run, last, tracker.completed) or _is_refused_start(last, tracker.completed)
        )
        return not (own_end or _waited_past(tracker.completed, match))
    return _lived_through(run, rule, last) or _stepped_on(run, rule, last)


def _was_not_the_run(run: RunState, last: Observation) -> bool:
    """Whether this ended another process than those that the log tells of below.

    What a script ran before it had the ranks started, whose lines all bear a label, is no process of theirs.
    """
    again = _reopened(run, last) or _ran_later(run, last) or _ran_again(run, last)
    return again or run.launched_after(last.event)


def of_the_ranks(run: RunState, match: Match) -> Match:
    """The match without what a script had told before it had the ranks started, where they tell of the same."""
    if not run.job.ended:
        return match
    left = tuple((seen, signal) for seen, signal in match.pairs if not run.launched_after(seen.event))
    return replace(match, pairs=left) if left else match


def _lived_through(run: RunState, rule: Rule, last: Observation) -> bool:
    """Whether the lines below these, or their own words, show that their writer lived."""
    if rule.fallback and (run.failures.lived_through(last) or (run.job.ended and _speaks_on(run, last))):
        return True
    own = run.tracker.workers.get(last.worker)
    if own is not None and own.began_anew(last):
        return True
    if not run.job.ended:
        return False
    looped = rule.cleared_by == "progress" and run.job.endings.carried_on(last.event)
    return looped or (run.tracker.steps.count == last.round and _outlived(run, last))


def _stepped_on(run: RunState, rule: Rule, last: Observation) -> bool:
    """Whether steps were made since, enough for what the rule asks."""
    tracker = run.tracker
    if (rounds := _rounds_of_its_log(run, last)) is None:
        rounds = tracker.steps.count - last.round
    elif rounds == 0:
        return False
    if rule.cleared_by != "progress":
        return rounds >= NEW_RUN_ROUNDS and tracker.steps_on(last)
    # A search that notes a trial as failed has lived through it once it makes the next, a server once it says more,
    # and what is raised while objects are freed is not the end where something that nobody caught comes after it.
    caught = run.failures.told_as_caught(last.event)
    enough = 1 if caught else SURVIVAL_ROUNDS
    # Where no marker had told a phase yet, the frames of a traceback may.
    phase = last.phase or (None if last.chain is None else run.failures.phases.of(last.chain))
    return (
        rounds >= enough
        or tracker.stepped_past(last, phase)
        or (caught and (run.went_on(last) or _raised_after(run, last.event)))
    )


def _rounds_of_its_log(run: RunState, last: Observation) -> int | None:
    """The rounds that its own log tells behind this line, where others do but no time tells in which order.

    A log of errors alone tells of no step: who ended there as a whole has not gone on. None where all rounds count.
    """
    steps = run.tracker.steps
    if last.time is not None or steps.sources < 2:  # noqa: PLR2004 (one log has an order)
        return None
    own = steps.since(last.event.source, last.order)
    if own is not None:
        return own
    record = run.failures.record_of(last.chain)
    return 0 if record is not None and record.script is not None else None


def _had_more_to_do(run: RunState, last: Observation, completed: Observation) -> bool:
    """Whether what was raised behind the end of the training ended the user's own script: it was not through.

    What launchers, helping processes and threads tell of there is lost while they end.
    """
    record = run.failures.record_of(last.chain)
    if record is None or record.stance is not Stance.FACT or last.order <= completed.order:
        return False
    outermost = record.chain[-1].frames[:1] if record.chain else ()
    return any(
        frame.function == "<module>" and frame.origin.own and not frame.file.startswith("<") for frame in outermost
    )


def _is_refused_start(last: Observation, completed: Observation) -> bool:
    """Whether a program was refused its start behind the end of the run: who is through reads no arguments any more."""
    return last.refused_program is not None and last.order > completed.order


def _reopened(run: RunState, last: Observation) -> bool:
    """Whether the log of one process is opened by it once more: ranks that start later open it too."""
    return not run.ranks.ranks and run.job.endings.reopened(last.event)


def _ran_later(run: RunState, last: Observation) -> bool:
    """Whether the program that was refused a start is in a traceback below: it was started once more, and ran."""
    program = last.refused_program
    if program is None or run.ranks.ranks:
        return False
    name = program.rpartition("/")[2]
    return any(
        one.begins_below(last.event) and one.worker == last.event.worker
        for one in run.failures.uncaught()
        if any(frame.file.rpartition("/")[2] == name for frame in one.frames)
    )


def _ran_again(run: RunState, last: Observation) -> bool:
    """Whether the script that this exception ended raised again further below: one process ends but once.

    Several of a job may each end so; where any of them names a rank or a launcher tells of them, nothing is said.
    """
    record = run.failures.record_of(last.chain)
    script = record.script if record is not None and not record.worker.is_process else None
    if record is None or script is None or run.ranks.ranks or (run.ranks.world or 1) > 1:
        return False
    return not any(ended_ranks(run.failures.reported_ends())) and any(
        one.script == script and one.worker == record.worker and one.first.line - record.last.line > _ANOTHER_RUN
        for one in run.failures.uncaught()
    )


def _speaks_on(run: RunState, last: Observation) -> bool:
    """Whether a server answered further requests, or this one with the failure, or who caught it says more."""
    enough = 1 if run.failures.told_as_caught(last.event) else ANSWERS
    if run.job.endings.answered(last.event) >= enough or run.job.endings.refused(last.event):
        return True
    record = run.failures.record_of(last.chain)
    if record is None or not record.logged_whole:
        return False
    return run.job.endings.spoke_on(last.event) or _was_done(run, last)


def _was_done(run: RunState, last: Observation) -> bool:
    """Whether its writer did much more behind this line, and says in the very last one that it is done."""
    parting = run.parting
    logs = parting is not None and parting.event.level is not None and parting.worker == last.worker
    return logs and run.went_on(last)


def _outlived(run: RunState, last: Observation) -> bool:
    """Whether the log went on for very long behind what ended a start, and says of nothing else that failed."""
    if last.phase in run.tracker.loops or any(one.begins_below(last.event) for one in run.failures.all()):
        return False
    return run.job.endings.outlived(last.event)


def _raised_after(run: RunState, event: Event) -> bool:
    """Whether the same log tells, after the line, of something that was raised and that nobody caught."""
    return any(one.chain and one.begins_below(event) for one in run.failures.uncaught())


def _waited_past(completed: Observation, match: Match) -> bool:
    """Whether the lines tell of a collective that ran out of time behind the end."""
    late = (one for one in match.lines if one.order > completed.order)
    return any(not _RAN_OUT.isdisjoint(hit.captures) for one in late for hit in one.event.hits)
