"""Tests run: what each example and case asks of the engine and does not get, and what rows make of their samples."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from os.path import commonprefix
from typing import Literal

from logrules.engine.run import Prepared
from logrules.inference.session import Session
from logrules.model.change import Change, Raised, Withdrawn
from logrules.model.record import record, replace
from logrules.model.report import Diagnosis, Report, Severity, Status
from logrules.model.stream import End
from logrules.model.test_result import CaseFailure, Result
from logrules.ruleset.condition import all_signals
from logrules.ruleset.duration import seconds
from logrules.ruletest.condition_trace import ConditionPart, explain
from logrules.ruletest.harness import Live, events_of_example, held, judged, on_all_cores, report_on, run_saved
from logrules.ruletest.rule_tests import Case, CaseFile, Example, Moment, Sample, Test, WantedDiagnosis
from logrules.ruletest.samples import sample_result


def run_tests(on: Prepared, tests: Sequence[Test], processes: int | None = 1) -> list[Result]:
    """Each test's result, in the given order."""
    return on_all_cores(run_test, tests, on, processes)


def run_test(on: Prepared, test: Test) -> Result:
    """Run one test."""
    match test:
        case Case():
            return case_result(on, test)
        case Example():
            return example_result(on, test)
        case Sample():
            return sample_result(on, test)


def example_result(on: Prepared, example: Example) -> Result:
    """Run one example."""
    events = events_of_example(on, example)
    session = judged(on, events, example.quiet_s)
    fits = example.wanted is None and (example.owner in held(session)) == example.fires
    if fits and not any(_too_slow(on, example.owner)):
        return example.result()
    report = report_on(session, events)
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
    return (said for signal, said in on.reader.captures.dropped.items() if signal.startswith(f"{rule}:"))


def explained(message: str, on: Prepared, session: Session, report: Report, rule: str, log: str) -> CaseFailure:
    """A fault with the line that it is about, the condition taken apart, and the nearest rule that did fire."""
    tree = condition_tree(on, session, rule, refused(on, rule, log))
    return CaseFailure(message, _line(log, tree), tree.clauses(), _nearest(report, rule))


def refused(on: Prepared, rule: str, log: str) -> dict[int, int]:
    """The rule's signals whose words stand on a line of the log, by number: where their pattern has to decide."""
    lines = log.splitlines()
    return {
        signal: number
        for signal in all_signals(on.index.rule(rule).when)
        for number, line in reversed(list(enumerate(lines, start=1)))
        if any(literal in line for literal in on.pack.signals[signal].literals)
    }


def condition_tree(on: Prepared, session: Session, rule: str, near: Mapping[int, int] | None = None) -> ConditionPart:
    """The rule's condition taken apart. ``near`` is what was refused."""
    judged_now = replace(session.judged(rule), refused=near or {})
    return explain(on.index.rule(rule).when, judged_now, lambda signal: on.pack.signals[signal].name)


def _line(log: str, tree: ConditionPart) -> str | None:
    """The last line that speaks for the condition, else the last of the log."""
    if seen := tree.events():
        return max(seen, key=lambda event: event.line).text
    lines = log.rstrip("\n").splitlines()
    return lines[-1] if lines else None


def _nearest(report: Report, rule: str) -> str | None:
    """Of the rules that fired the one whose id has most in common with this one's, the likeliest where none has."""
    others = [one.rule for one in report.held if one.rule != rule]
    return max(others, key=lambda name: len(commonprefix((name, rule))), default=None)  # noqa: RUF071 (by letters)


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


@record
class _JudgedReport:
    """A session, and its report at the moment that is judged."""

    on: Prepared
    session: Session
    report: Report

    @property
    def first_line(self) -> str | None:
        return next((line.text for one in self.report.diagnoses for line in one.evidence), None)

    def fault(self, message: str) -> CaseFailure:
        """The fault with what the report puts first."""
        first = next((one.rule for one in self.report.diagnoses), None)
        return CaseFailure(message, self.first_line, nearest=first)

    @property
    def held(self) -> frozenset[str]:
        """The rules that hold, and their causes."""
        return frozenset(name for one in self.report.held for name in (one.rule, one.cause))

    def explained(self, message: str, names: Collection[str]) -> CaseFailure:
        """The fault with the condition of the rule, of those with these names or causes, that came nearest to hold."""
        asked = [rule.id for rule in self.on.pack.rules if rule.id in names or rule.cause in names]
        trees = [condition_tree(self.on, self.session, rule) for rule in asked]
        near = max(trees, key=lambda tree: (tree.holds, sum(leaf.holds for leaf in tree.leaves())), default=None)
        return replace(self.fault(message), clauses=near.clauses() if near is not None else ())


def case_result(on: Prepared, case: Case) -> Result:
    """Run one case; a miss that it expects and that does not come is a fault too."""
    session = on.session()
    if case.script:
        faults = tuple(_scripted(on, session, case))
    else:
        faults = tuple(_judged(_JudgedReport(on, session, run_saved(on, session, case.logs)), case))
    missed = case.wants.expected_miss
    if missed is not None and not faults:
        faults = (CaseFailure("comes right, though `expected_miss` says that it does not: take that out"),)
        missed = None
    return Result("case", case.owner, case.name, case.place, faults, missed)


def _judged(found: _JudgedReport, case: Case) -> Iterator[CaseFailure]:
    for message in _alarms(found.report) if case.healthy else ():
        yield found.fault(message)
    for message in _unlabelled(found.report, case.wants) if case.wants.causes else ():
        yield found.explained(message, case.wants.causes)
    yield from _unmet(found, case.wants)


def _alarms(report: Report) -> Iterator[str]:
    errors = [one.rule for one in report.diagnoses if one.severity is Severity.ERROR]
    if errors:
        yield f"raises {', '.join(errors)}, though the run is healthy"
    elif report.status in {Status.FAILED, Status.STALLED}:
        yield f"is {report.status.value}, though the run is healthy"


def _unlabelled(report: Report, label: CaseFile) -> Iterator[str]:
    if not report.diagnoses:
        yield f"finds nothing, not {label.causes[0]}"
        return
    first = report.diagnoses[0]
    if first.cause not in label.causes or first.cause in (label.not_ or ()):
        yield f"puts {first.cause} first, not {' or '.join(label.causes)}"
    if label.evidence is not None and not shows(first, label.evidence.strip()):
        yield f"does not show {label.evidence.strip()!r} as evidence of {first.cause}"
    if label.culprit_rank is not None and first.ranks[:1] != (label.culprit_rank,):
        yield f"names rank {', '.join(map(str, first.ranks)) or 'none'}, not {label.culprit_rank}"


def _unmet(found: _JudgedReport, wants: CaseFile | Moment) -> Iterator[CaseFailure]:
    """What is wanted of a report and is not so."""
    report = found.report
    if wants.status is not None and report.status is not wants.status:
        yield CaseFailure(f"is {report.status.value}, not {wants.status.value}", found.first_line)
    for place, wanted in enumerate(wants.diagnoses):
        one = report.diagnoses[place] if place < len(report.diagnoses) else None
        missing = [f"is missing: {wanted.rule or wanted.cause or 'any'}"]
        for message in missing if one is None else shortfalls(one, wanted):
            yield found.explained(f"diagnosis {place + 1} {message}", [wanted.cause or wanted.rule or ""])
    for name in wants.absent:
        if name in found.held:
            yield found.fault(f"finds {name}, which must be absent")


def _scripted(on: Prepared, session: Session, case: Case) -> Iterator[CaseFailure]:
    live = Live(on, session)
    since: list[Change] = []
    for step, place in zip(case.script, case.steps, strict=True):
        if step.expect is not None:
            yield from _moment_faults(
                _JudgedReport(on, session, live.report()), since, step.expect, f"at line {place.line}"
            )
            since.clear()
        elif step.quiet is not None:
            since += live.let_pass(seconds(step.quiet))
        elif step.end:
            since += session.feed(End())
        else:
            since += live.arrive(step.arriving)
    yield from _judged(_JudgedReport(on, session, live.report()), case)


def _moment_faults(found: _JudgedReport, since: Sequence[Change], moment: Moment, where: str) -> Iterator[CaseFailure]:
    raised = [change.rule for change in since if isinstance(change, Raised)]
    withdrawn = [change.rule for change in since if isinstance(change, Withdrawn)]
    for kind, wanted, got in (("raise", moment.raised, raised), ("withdraw", moment.withdrawn, withdrawn)):
        for rule in wanted:
            if rule not in got:
                yield found.explained(f"{where} does not {kind} {rule}; {', '.join(got) or 'nothing'} was", [rule])
    if moment.quietly and (raised or withdrawn):
        yield CaseFailure(
            f"{where} raises {', '.join(raised) or 'nothing'}, withdraws {', '.join(withdrawn) or 'nothing'}"
        )
    yield from _stall_faults(found, moment.stall, where)
    for fault in _unmet(found, moment):
        yield replace(fault, message=f"{where} {fault.message}")


def _stall_faults(found: _JudgedReport, stall: str | Literal[False] | None, where: str) -> Iterator[CaseFailure]:
    stuck = [name.removeprefix("waits/") for name in found.held if name.startswith("waits/")]
    if stall is False and stuck:
        yield CaseFailure(f"{where} is stuck in {', '.join(stuck)}, though it must not be", found.first_line)
    elif stall and stall not in stuck:
        message = f"{where} is not stuck in {stall}; {', '.join(stuck) or 'nothing'} is open for too long"
        yield found.explained(message, [f"waits/{stall}"])
