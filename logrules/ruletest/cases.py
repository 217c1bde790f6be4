"""Cases judged: saved logs through the engine as ``diagnose`` runs it, scripts live on a virtual clock."""

from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from logrules.engine.run import Prepared
from logrules.inference.session import Session
from logrules.model.change import Change, Raised, Withdrawn
from logrules.model.record import record
from logrules.model.report import Diagnosis, Report, Severity, Status
from logrules.model.stream import End
from logrules.model.test_result import CaseFailure, Result
from logrules.ruleset.duration import seconds
from logrules.ruletest.case import Case, CaseFile, Moment
from logrules.ruletest.examples import condition_tree, shortfalls, shows
from logrules.ruletest.harness import Live, clauses_of, run_saved
from logrules.ruletest.suite import WantedDiagnosis


@record
class _JudgedReport:
    """A session, and its report at the moment that is judged."""

    on: Prepared
    session: Session
    report: Report

    @property
    def first_line(self) -> str | None:
        return next((line.text for one in self.report.diagnoses for line in one.evidence), None)

    @property
    def first_rule(self) -> str | None:
        return next((one.rule for one in self.report.diagnoses), None)

    @property
    def held(self) -> frozenset[str]:
        """The rules that hold, and their causes."""
        return frozenset(name for one in self.report.held for name in (one.rule, one.cause))

    def explained(self, message: str, names: Collection[str]) -> CaseFailure:
        """The fault with the condition of the rule, of those with these names or causes, that came nearest to hold."""
        asked = [rule.id for rule in self.on.pack.rules if rule.id in names or rule.cause in names]
        trees = [condition_tree(self.on, self.session, rule) for rule in asked]
        near = max(trees, key=lambda tree: (tree.holds, sum(leaf.holds for leaf in tree.leaves())), default=None)
        clauses = tuple(clauses_of(near)) if near is not None else ()
        return CaseFailure(message, self.first_line, clauses, self.first_rule)


def case_result(on: Prepared, case: Case) -> Result:
    """Run one case; a miss that it expects and that does not come is a fault too."""
    session = on.session()
    faults = tuple(_scripted(on, session, case) if case.script else _saved(on, session, case))
    if case.wants.expected_miss is not None and not faults:
        faults = (CaseFailure("comes right, though `expected_miss` says that it does not: take that out"),)
        return Result("case", case.owner, case.name, case.place, faults)
    return Result("case", case.owner, case.name, case.place, faults, case.wants.expected_miss)


def _saved(on: Prepared, session: Session, case: Case) -> Iterator[CaseFailure]:
    yield from _judged(_JudgedReport(on, session, run_saved(on, session, case.logs)), case)


def _judged(found: _JudgedReport, case: Case) -> Iterator[CaseFailure]:
    for message in _alarms(found.report) if case.healthy else ():
        yield CaseFailure(message, found.first_line, nearest=found.first_rule)
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
        for message in _other_diagnosis(one, wanted):
            yield found.explained(f"diagnosis {place + 1} {message}", [wanted.cause or wanted.rule or ""])
    for name in wants.absent:
        if name in found.held:
            message = f"finds {name}, which must be absent"
            yield CaseFailure(message, found.first_line, nearest=found.first_rule)


def _other_diagnosis(one: Diagnosis | None, wanted: WantedDiagnosis) -> Iterator[str]:
    if one is None:
        yield f"is missing: {wanted.rule or wanted.cause or 'any'}"
    else:
        yield from shortfalls(one, wanted)


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
        yield CaseFailure(f"{where} {fault.message}", fault.line, fault.clauses, fault.nearest)


def _stall_faults(found: _JudgedReport, stall: str | Literal[False] | None, where: str) -> Iterator[CaseFailure]:
    stuck = [name.removeprefix("waits/") for name in found.held if name.startswith("waits/")]
    if stall is False and stuck:
        yield CaseFailure(f"{where} is stuck in {', '.join(stuck)}, though it must not be", found.first_line)
    elif stall and stall not in stuck:
        message = f"{where} is not stuck in {stall}; {', '.join(stuck) or 'nothing'} is open for too long"
        yield found.explained(message, [f"waits/{stall}"])
