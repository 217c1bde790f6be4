"""A trial of a rule for people: verdict first, then signals, turns and the condition."""

from collections.abc import Iterator
from typing import TextIO

from logrules.model.rule_trace import RejectReason, SignalHit, SignalSeen, Transition, Trial
from logrules.output.escape import safe
from logrules.output.results_text import explanation

_SHOWN_TEXT = 160
_SHOWN_WORDS = 3
_WHY = {RejectReason.PATTERN: "its pattern does not fit", RejectReason.VETO: "`unless` forbids it"}


def render_trial(trial: Trial, out: TextIO) -> None:
    """Write the trial."""
    out.writelines(f"{line}\n" for line in _lines(trial))


def _lines(trial: Trial) -> Iterator[str]:
    yield from _verdict(trial)
    yield from ("", "signals")
    for signal in trial.signals:
        yield from _signal(signal)
    yield from ("", f"condition: {safe(trial.when)}")
    yield from (f"  {_turn(turn)}" for turn in trial.turns)
    if not trial.turns:
        yield "  no line changes it"
    yield from ("", "at the end")
    yield from (f"  {line}" for line in explanation(trial.clauses))


def _verdict(trial: Trial) -> Iterator[str]:
    if trial.fired:
        yield f"{trial.rule} fires"
        if trial.place is not None:
            yield f"  it is diagnosis {trial.place} of the report"
        elif trial.behind is not None:
            yield f"  it stands in the report as a consequence of {trial.behind}"
        else:
            yield f"  but the report does not name it{_instead(trial)}"
        return
    yield f"{trial.rule} does not fire: {_shortfall(trial)}"
    if trial.nearest is not None:
        yield f"  the first diagnosis is {trial.nearest}"


def _instead(trial: Trial) -> str:
    return f": {trial.nearest} says more of the same lines" if trial.nearest else ""


def _shortfall(trial: Trial) -> str:
    """How much of the condition holds, and what is missing, with the nearest line."""
    inner = [clause for clause in trial.clauses if clause.depth == 1] or list(trial.clauses)
    missing = [clause for clause in inner if not clause.holds]
    count = f"{len(inner) - len(missing)} of {len(inner)} parts hold" if len(inner) > 1 else "its condition fails"
    return "; ".join([count, *(f"{safe(clause.text)}: {safe(clause.reason)}" for clause in missing[:3])])


def _signal(signal: SignalSeen) -> Iterator[str]:
    lines = f"{signal.count} line{'' if signal.count == 1 else 's'}"
    yield f"  {signal.name}: {lines}"
    yield from (f"    {_line(one)}" for one in signal.hits)
    if signal.count > len(signal.hits):
        yield f"    and {signal.count - len(signal.hits)} more"
    if not signal.count and not signal.refused_count:
        shown = " | ".join(f"`{word}`" for word in signal.words[:_SHOWN_WORDS]) or "no traceback like it"
        more = len(signal.words) - _SHOWN_WORDS
        yield f"    nowhere: {safe(shown)}{f' and {more} other texts' if more > 0 else ''}"
    if signal.refused_count:
        yield f"    {signal.refused_count} with its words alone:"
        yield from (f"      {_line(one)}" for one in signal.refused)


def _line(one: SignalHit) -> str:
    captures = ", ".join(f"{name}={value}" for name, value in one.captures)
    note = f"  [{_WHY[one.refused]}]" if one.refused else f"  {{{captures}}}" if captures else ""
    return f"{safe(one.source)}:{one.line}: {safe(one.text.strip())[:_SHOWN_TEXT]}{safe(note)}"


def _turn(turn: Transition) -> str:
    where = "at the end" if turn.line is None else f"{safe(turn.source)}:{turn.line}"
    return f"{where}  {'holds' if turn.holds else 'fails'}  {safe(turn.text)}  ({safe(turn.reason)})"
