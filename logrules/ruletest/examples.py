"""Examples judged: what each asks for and does not get."""

from collections.abc import Iterator, Mapping

from logrules.engine.run import Prepared
from logrules.inference.condition_trace import ConditionPart, explain
from logrules.inference.session import Session
from logrules.model.record import replace
from logrules.model.report import Diagnosis, Report
from logrules.model.test_result import CaseFailure, Result
from logrules.ruleset.condition import all_signals
from logrules.ruletest.harness import SOURCE, clauses_of, events_of_example, held, judged
from logrules.ruletest.suite import Example, WantedDiagnosis


def example_result(on: Prepared, example: Example) -> Result:
    """Run one example."""
    events = events_of_example(on, example)
    session = judged(on, events, example.quiet_s)
    fits = example.wanted is None and (example.owner in held(session)) == example.fires
    if fits and not any(_too_slow(on, example.owner)):
        return example.result()
    report = session.report(events[-1].line if events else 0, (SOURCE,))
    messages = [*misses(report, example), *_too_slow(on, example.owner)]
    return example.result(explained(said, on, session, report, example.owner, example.log) for said in messages)


def misses(report: Report, example: Example) -> Iterator[str]:
    """What the example asks for and the report does not say, each in a sentence."""
    fired = example.owner in (one.rule for one in report.held)
    if not example.fires:
        if fired:
            yield "fires, though it must not"
    elif not fired:
        yield f"does not fire; {', '.join(one.rule for one in report.diagnoses) or 'nothing'} did"
    elif example.wanted is not None:
        yield from _mismatches(report, example.owner, example.wanted)


def _too_slow(on: Prepared, rule: str) -> Iterator[str]:
    """The rule's patterns that ran out of time, in this example or an earlier one."""
    return (said for signal, said in on.captures.dropped.items() if signal.startswith(f"{rule}:"))


def explained(message: str, on: Prepared, session: Session, report: Report, rule: str, log: str) -> CaseFailure:
    """A fault with the line that it is about, the condition taken apart, and the nearest rule that did fire."""
    tree = condition_tree(on, session, rule, refused(on, rule, log))
    return CaseFailure(message, _line(log, tree), tuple(clauses_of(tree)), _nearest(report, rule))


def refused(on: Prepared, rule: str, log: str) -> dict[int, int]:
    """The rule's signals whose words stand on a line of the log, by number: where their pattern has to decide."""
    lines = log.splitlines()
    return {
        signal: number
        for signal in all_signals(on.index.rules[rule].when)
        for number, line in reversed(list(enumerate(lines, start=1)))
        if any(literal in line for literal in on.pack.signals[signal].literals)
    }


def condition_tree(on: Prepared, session: Session, rule: str, near: Mapping[int, int] | None = None) -> ConditionPart:
    """The rule's condition taken apart. ``near`` is what was refused."""
    judged_now = replace(session.judged(rule), refused=near or {})
    return explain(on.index.rules[rule].when, judged_now, lambda signal: on.pack.signals[signal].name)


def _line(log: str, tree: ConditionPart) -> str | None:
    """The last line that speaks for the condition, else the last of the log."""
    seen = [observation.event for leaf in tree.leaves() for observation in leaf.observations]
    if seen:
        return max(seen, key=lambda event: event.line).text
    lines = log.rstrip("\n").splitlines()
    return lines[-1] if lines else None


def _nearest(report: Report, rule: str) -> str | None:
    """Of the rules that fired the one whose id has most in common with this one's, the likeliest where none has."""
    others = [one.rule for one in report.held if one.rule != rule]
    return max(others, key=lambda name: _shared(name, rule), default=None)


def _shared(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _mismatches(report: Report, rule: str, wanted: WantedDiagnosis) -> Iterator[str]:
    one = next((one for one in report.diagnoses if one.rule == rule), None)
    if one is None:
        root = next(d.rule for d in report.diagnoses if any(c.rule == rule for c in d.consequences))
        yield f"is only a consequence of {root}"
    else:
        yield from shortfalls(one, wanted)


def shortfalls(one: Diagnosis, wanted: WantedDiagnosis) -> Iterator[str]:
    """What is wanted of a diagnosis and is not so, each in a sentence."""
    for what in ("rule", "cause", "phase", "ranks", "hosts"):
        value, got = getattr(wanted, what), getattr(one, what)
        if value is not None and got != value:
            shown = [list(each) if isinstance(each, tuple) else each for each in (got, value)]
            yield f"has {what} {shown[0]!r}, not {shown[1]!r}"
    if wanted.evidence is not None and not shows(one, wanted.evidence):
        yield f"does not show {wanted.evidence!r} as evidence"
    # The first line that captured a name decides.
    captures = {name: value for line in reversed(one.evidence) for name, value in line.captures.items()}
    for name, value in wanted.captures.items():
        if captures.get(name) != value:
            yield f"captures {name}={captures.get(name)!r}, not {value!r}"


def shows(one: Diagnosis, text: str) -> bool:
    """Whether a line of its evidence contains the text."""
    return any(text in line.text for line in one.evidence)
