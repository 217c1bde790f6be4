"""What the last lines of a log show of a run that no marker knows: that a program is at work, and at what."""

from collections.abc import Sequence

from logrules.inference.progress_line import is_full, label_of, time_gone
from logrules.inference.run_state import RunState
from logrules.inference.wording import Wordings, is_under_way
from logrules.inference.worker_state import OpenWait
from logrules.model.event import Event
from logrules.model.late_pattern import late_pattern
from logrules.model.template import template_of
from logrules.ruleset.name_tables import Saying

# So many of the last lines show who wrote them, and what was said last.
_LAST_LINES = 20
_MAX_CHARS = 300
_DONE_OF_TOTAL = late_pattern(r"\D*(\d+)\D+(\d+)\D*")
# Who says these is through with its work.
_ENDS = (Saying.FAREWELL, Saying.RESULT)


def last_lines(run: RunState) -> Sequence[Event]:
    """The last lines of the log that wrote last."""
    return run.job.endings.lines.get(run.last.event.source, ()) if run.last is not None else ()


def telling_line(lines: Sequence[Event], wordings: Wordings) -> Event | None:
    """The last of these lines that says something of the run: no rule, no warning of a library nor its source text."""
    told = (line for line in reversed(lines[-_LAST_LINES:]) if not _says_any(line, _ASIDE, wordings))
    return next(told, lines[-1] if lines else None)


_ASIDE = (Saying.ASIDE, Saying.WARNING)


def _says_any(line: Event, sayings: Sequence[Saying], wordings: Wordings) -> bool:
    return any(wordings.says(saying, line.message[:_MAX_CHARS]) for saying in sayings)


def tells_outcome(run: RunState) -> bool:
    """Whether the last line tells what came of the work, and is the only one of its kind: a loop says it each round.

    What a test measured may also be told between two rounds.
    """
    lines, wordings = last_lines(run), run.job.endings.wordings
    told = telling_line(lines, wordings)
    if told is None or not _says_any(told, (Saying.OUTCOME, Saying.SCORE), wordings):
        return False
    if not _says_any(told, (Saying.OUTCOME,), wordings) and _has_rounds_left(lines, wordings):
        return False
    kind = template_of(told.message)
    return not any(template_of(line.message) == kind for line in lines if line.line != told.line)


def _has_rounds_left(lines: Sequence[Event], wordings: Wordings) -> bool:
    """Whether more than one round is to come behind the last line that counts them: some count from zero."""
    counted = (tuple(wordings.values(Saying.ROUND, line.message[:_MAX_CHARS])) for line in reversed(lines))
    rounds = filter(None, map(_DONE_OF_TOTAL.fullmatch, next(filter(None, counted), ())))
    return any(int(total) - int(done) > 1 for done, total in (one.groups() for one in rounds))


def is_of_program(run: RunState) -> bool:
    """Whether the last lines are those of a program that does not say that it is done, not text that people wrote."""
    return any(_shows_program(lines, run) for lines in run.job.endings.lines.values())


def _shows_program(lines: Sequence[Event], run: RunState) -> bool:
    wordings, loops = run.job.endings.wordings, run.metrics.steady or run.job.endings.repeats()
    last = [line for line in lines[-_LAST_LINES:] if line.message.strip()]
    told = telling_line(last, wordings)
    # What a loop says of each round is no end, nor are its figures those of a file.
    ends = told is not None and not loops and _says_any(told, _ENDS, wordings)
    if told is None or ends or any(map(wordings.states_error, last)):
        return False
    written = (Saying.TEXT,) if loops else (Saying.TEXT, Saying.DATA)
    shares = sum(_says_any(line, written, wordings) for line in last)
    return 2 * shares <= len(last) or any(_is_printed(line, run) for line in last)


def _is_printed(line: Event, run: RunState) -> bool:
    """Whether a logger, a bar or a warning is seen by it, or it says in words of its own what is being done."""
    logged = line.stamp is not None or line.level is not None or line.worker.is_process
    wordings = run.job.endings.wordings
    shown = logged or time_gone(line.message) is not None or _says_any(line, (Saying.WARNING,), wordings)
    return shown or (not _says_any(line, (Saying.TEXT,), wordings) and is_under_way(run.pack.phases, [line], wordings))


def is_under_way_at_last(run: RunState) -> bool:
    """Whether the last line says in words of its own what is being done, or is a bar of it that has not ended."""
    wordings = run.job.endings.wordings
    told = telling_line(last_lines(run), wordings)
    if told is None:
        return False
    text = told.message
    moves = time_gone(text) is not None and not is_full(text) and wordings.says(Saying.DOING, label_of(text))
    return moves or is_under_way(run.pack.phases, [told], wordings)


def waits_left(run: RunState, phase: str) -> list[OpenWait]:
    """What a run still waits for in a phase, the latest first: a bar that ended last says that one is over."""
    lines, waits = last_lines(run), run.tracker.waits.open()
    left = [wait for wait in waits if wait.wait.phase == phase and not run.went_on(wait.renewed)]
    over = bool(lines) and is_full(lines[-1].message)
    return [] if over else sorted(left, key=lambda wait: -wait.renewed.order)
