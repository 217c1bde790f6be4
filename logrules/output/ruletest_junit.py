"""Test results as JUnit XML, which CI servers read."""

from collections.abc import Sequence
from typing import TextIO
from xml.etree.ElementTree import Element, SubElement

from logrules.model.test_result import CaseFailure, Outcome, Result
from logrules.output.ruletest_text import explanation
from logrules.output.xml import safe, safe_lines, write_document


def render_results(results: Sequence[Result], out: TextIO) -> None:
    """One suite a kind of test; a miss that is expected counts as skipped."""
    root = Element("testsuites", _counts("logrules", results))
    for kind in dict.fromkeys(result.kind for result in results):
        known = [result for result in results if result.kind == kind]
        suite = SubElement(root, "testsuite", _counts(kind, known))
        for result in known:
            _add_case(suite, result)
    write_document(root, out)


def _counts(name: str, results: Sequence[Result]) -> dict[str, str]:
    outcomes = [result.outcome for result in results]
    return {
        "name": name,
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count(Outcome.FAILED)),
        "errors": "0",
        "skipped": str(outcomes.count(Outcome.EXPECTED_MISS)),
    }


def _add_case(suite: Element, result: Result) -> None:
    place = {"file": safe(result.place.path), "line": str(result.place.line)}
    case = SubElement(suite, "testcase", {"classname": safe(result.owner), "name": safe(result.name), **place})
    if result.outcome is Outcome.EXPECTED_MISS:
        SubElement(case, "skipped", {"message": safe(result.reason or "")})
        return
    for fault in result.faults:
        SubElement(case, "failure", {"message": safe(fault.message)}).text = _text(fault)


def _text(fault: CaseFailure) -> str:
    line = [f"line: {safe(fault.line)}"] if fault.line is not None else []
    nearest = [f"nearest rule that fired: {fault.nearest}"] if fault.nearest is not None else []
    return safe_lines([*line, *explanation(fault.clauses), *nearest])
