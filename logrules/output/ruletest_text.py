"""What the verbs for authors of rules say, for people: findings, test results, coverage, mutants, trials."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from logrules.model import test_result as tests
from logrules.model.lint_code import CODES
from logrules.model.position import Problem
from logrules.output.escape import safe
from logrules.output.numbers import counted

_MAX_LINE = 300
_SHOWN_TEXT = 160
_SHOWN_WORDS = 3
_WHY: Mapping[str, str] = {
    tests.RejectReason.PATTERN: "its pattern does not fit",
    tests.RejectReason.VETO: "`except` forbids it",
}


def render_findings(findings: Sequence[Problem], files: int, out: TextIO) -> None:
    """Path, line, column, code and message of each; how many can be mended."""
    out.writelines(f"{safe(f'{one.place}: {one.code} {one.said}')}\n" for one in findings)
    mended = sum(finding.removes is not None for finding in findings)
    hint = f"; {mended} can be mended with --fix" if mended else ""
    out.write(f"{counted(files, 'file')}: {counted(len(findings), 'finding')}{hint}\n")
    if findings:
        out.write(f"`logrules explain {findings[0].code}` says more: {CODES[findings[0].code].title.en.lower()}\n")


def render_results(results: Sequence[tests.Result], out: TextIO) -> None:
    """A paragraph for each failed test, and the summary."""
    failed = (result for result in results if result.outcome is tests.Outcome.FAILED)
    out.writelines(f"{line}\n" for result in failed for line in paragraphs(result))
    out.write(f"{summary(results)}\n")


def paragraphs(result: tests.Result) -> Iterator[str]:
    """Each fault of a test: what it is, the log line, the condition taken apart, the nearest rule that fired."""
    for fault in result.faults:
        yield f"{result.place}: {safe(result.name)} {safe(fault.message)}"
        yield from (f"    {line}" for line in told(fault, _MAX_LINE))


def told(fault: tests.CaseFailure, most_chars: int | None = None) -> Iterator[str]:
    """What there is to say of a fault behind its message, as much of the log line as these characters."""
    if fault.line is not None:
        yield f"line: {safe(fault.line)[:most_chars]}"
    yield from explanation(fault.clauses)
    if fault.nearest is not None:
        yield f"nearest rule that fired: {fault.nearest}"


def summary(results: Iterable[tests.Result]) -> str:
    """How many of each kind of test there were, and how many failed."""
    known = list(results)
    kinds = Counter(result.kind for result in known)
    outcomes = Counter(result.outcome for result in known)
    run = ", ".join(counted(count, kind) for kind, count in kinds.items()) or "no tests"
    missed = outcomes[tests.Outcome.EXPECTED_MISS]
    expected = f", {missed} missed as expected" if missed else ""
    return f"{run}: {outcomes[tests.Outcome.FAILED]} failed{expected}"


def explanation(clauses: Iterable[tests.Clause]) -> Iterator[str]:
    """The condition, a part a line: whether it held, and why."""
    for clause in clauses:
        mark = "holds" if clause.holds else "fails"
        yield f"{mark}  {'  ' * clause.depth}{safe(clause.text)}  ({safe(clause.reason)})"


def render_coverage(covered: Sequence[tests.RuleCoverage], out: TextIO) -> None:
    """What no example exercises."""
    out.writelines(f"{one.rule}: {sentence}\n" for one in covered for sentence in one.missing)
    out.writelines(
        f"{what}: {_share_shown(tests.total(getattr(one, what) for one in covered))} exercised\n"
        for what in ("signals", "branches", "captures")
    )


def render_mutation_scores(tried: Sequence[tests.MutationScore], out: TextIO) -> None:
    """The mutants that no example notices."""
    out.writelines(f"{one.path}: {one.rule}: no example notices {what}\n" for one in tried for what in one.survivors)
    out.write(f"mutants: {_share_shown(tests.total(one.noticed for one in tried))} noticed\n")


def _share_shown(share: tests.Share) -> str:
    return f"{share.done} of {share.all} ({share.percent:.1f} %)"


def render_trial(trial: tests.Trial, out: TextIO) -> None:
    """Write the trial."""
    out.writelines(f"{line}\n" for line in _lines(trial))


def _lines(trial: tests.Trial) -> Iterator[str]:
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


def _verdict(trial: tests.Trial) -> Iterator[str]:
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


def _instead(trial: tests.Trial) -> str:
    return f": {trial.nearest} says more of the same lines" if trial.nearest else ""


def _shortfall(trial: tests.Trial) -> str:
    """How much of the condition holds, and what is missing, with the nearest line."""
    inner = [clause for clause in trial.clauses if clause.depth == 1] or list(trial.clauses)
    missing = [clause for clause in inner if not clause.holds]
    count = f"{len(inner) - len(missing)} of {len(inner)} parts hold" if len(inner) > 1 else "its condition fails"
    return "; ".join([count, *(f"{safe(clause.text)}: {safe(clause.reason)}" for clause in missing[:3])])


def _signal(signal: tests.SignalSeen) -> Iterator[str]:
    yield f"  {signal.name}: {counted(signal.count, 'line')}"
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


def _line(one: tests.SignalHit) -> str:
    note = ""
    if one.refused:
        note = f"  [{_WHY.get(one.refused, f'read as {one.refused}: name that in `stance`')}]"
    elif one.captures:
        note = f"  {{{', '.join(f'{name}={value}' for name, value in one.captures)}}}"
    return f"{safe(one.source)}:{one.line}: {safe(one.text.strip())[:_SHOWN_TEXT]}{safe(note)}"


def _turn(turn: tests.Transition) -> str:
    where = "at the end" if turn.line is None else f"{safe(turn.source)}:{turn.line}"
    return f"{where}  {'holds' if turn.holds else 'fails'}  {safe(turn.text)}  ({safe(turn.reason)})"
