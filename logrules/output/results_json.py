"""Test results for machines."""

import json
from collections.abc import Sequence
from typing import Any, TextIO

from logrules.model.test_result import CaseFailure, Outcome, Result

SCHEMA = "logrules.tests/1"


def render_results(results: Sequence[Result], out: TextIO) -> None:
    """One document: counts, then every test."""
    counts = {outcome.value: sum(result.outcome is outcome for result in results) for outcome in Outcome}
    document = {"schema": SCHEMA, "counts": counts, "tests": [_test(result) for result in results]}
    json.dump(document, out, indent=1, ensure_ascii=False)
    out.write("\n")


def _test(result: Result) -> dict[str, Any]:
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


def _fault(fault: CaseFailure) -> dict[str, Any]:
    clauses = [
        {"depth": clause.depth, "text": clause.text, "holds": clause.holds, "reason": clause.reason}
        for clause in fault.clauses
    ]
    return {"message": fault.message, "line": fault.line, "condition": clauses, "nearest": fault.nearest}
