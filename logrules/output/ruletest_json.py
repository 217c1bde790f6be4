"""What the verbs for authors of rules say, for machines: findings, test results, coverage, mutants, trials."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TextIO

from logrules.model import test_result as tests
from logrules.model.lint_code import CODES
from logrules.model.position import Problem
from logrules.output.json_kinds import write_json


def render_findings(findings: Sequence[Problem], files: int, out: TextIO) -> None:
    """One document: how many files were looked at, and every finding."""
    document = {
        "schema": "logrules.findings/1",
        "files": files,
        "findings": [_finding(finding) for finding in findings],
    }
    write_json(document, out)


def _finding(finding: Problem) -> dict[str, Any]:
    code = CODES[finding.code]
    return {
        "code": finding.code,
        "name": code.name,
        "severity": code.severity.value,
        "path": finding.place.path,
        "line": finding.place.line,
        "column": finding.place.column,
        "message": finding.said,
        "fixable": finding.removes is not None,
    }


def render_results(results: Sequence[tests.Result], out: TextIO) -> None:
    """One document: counts, then every test."""
    counts = {outcome.value: sum(result.outcome is outcome for result in results) for outcome in tests.Outcome}
    document = {"schema": "logrules.tests/1", "counts": counts, "tests": [_test(result) for result in results]}
    write_json(document, out)


def _test(result: tests.Result) -> dict[str, Any]:
    return {
        "name": result.name,
        "kind": result.kind,
        "owner": result.owner,
        "outcome": result.outcome.value,
        "path": result.place.path,
        "line": result.place.line,
        "reason": result.reason,
        "faults": [_fault(fault) for fault in result.faults],
    }


def _fault(fault: tests.CaseFailure) -> dict[str, Any]:
    clauses = [asdict(clause) for clause in fault.clauses]
    return {"message": fault.message, "line": fault.line, "condition": clauses, "nearest": fault.nearest}


def render_coverage(covered: Sequence[tests.RuleCoverage], out: TextIO) -> None:
    """One document: the shares of all, then each rule."""
    whole = {
        what: _share(tests.total(getattr(one, what) for one in covered)) for what in ("signals", "branches", "captures")
    }
    write_json({"schema": "logrules.coverage/1", **whole, "rules": [asdict(one) for one in covered]}, out)


def render_mutation_scores(tried: Sequence[tests.MutationScore], out: TextIO) -> None:
    """One document: the share of mutants noticed, then each rule."""
    noticed = _share(tests.total(one.noticed for one in tried))
    write_json({"schema": "logrules.mutants/1", "noticed": noticed, "rules": [asdict(one) for one in tried]}, out)


def _share(share: tests.Share) -> dict[str, float]:
    return {"done": share.done, "all": share.all, "percent": round(share.percent, 2)}


def render_trial(trial: tests.Trial, out: TextIO) -> None:
    """One document, its keys those of `Trial`."""
    write_json({"schema": "logrules.trial/1", **asdict(trial)}, out)
