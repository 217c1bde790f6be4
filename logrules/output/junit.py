"""A report as JUnit XML, the job a suite and each diagnosis a case that failed; and results of tests."""

from collections.abc import Iterable, Sequence
from typing import TextIO
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from logrules.model.report import Diagnosis, Report, Severity
from logrules.model.test_result import Outcome, Result
from logrules.output import verdict
from logrules.output.escape import safe as spelled
from logrules.output.ruletest_text import told

# Spelled-out controls are legal in XML; these two code points are not.
_NO_XML = str.maketrans({"\ufffe": "\\ufffe", "\uffff": "\\uffff"})


def render_junit(report: Report, out: TextIO, language: str, shell: str = "bash") -> None:
    """Write the report as JUnit XML. Errors are failures; warnings and hints pass, with what they say."""
    failing = [one for one in report.diagnoses if one.severity is Severity.ERROR]
    cases = max(len(report.diagnoses), 1)
    root = Element("testsuites", _counts("logrules", cases, len(failing)))
    suite = SubElement(root, "testsuite", _counts(safe(_name_of(report.sources)), cases, len(failing)))
    for one in report.diagnoses:
        _case(suite, one, language)
    if not report.diagnoses:
        SubElement(suite, "testcase", {"classname": "logrules", "name": report.status.value})
    _write_document(root, out)


def _name_of(sources: Sequence[str]) -> str:
    """What the suite is called: its logs; of many the first, and how many more there are."""
    if len(sources) > verdict.MAX_SOURCES:
        return f"{sources[0]} and {len(sources) - 1} more"
    return ", ".join(sources) or "job"


def _case(suite: Element, one: Diagnosis, language: str) -> None:
    case = SubElement(suite, "testcase", {"classname": one.cause, "name": one.rule})
    said = safe_lines(
        [
            one.why.of(language),
            *(f"{line.place}: {line.text}" for line in one.evidence),
            *(f"{number}. {fix.do.of(language)}" for number, fix in enumerate(one.fixes, start=1)),
        ]
    )
    if one.severity is Severity.ERROR:
        title = safe(one.title.of(language))
        SubElement(case, "failure", {"message": title, "type": one.cause}).text = said
    else:
        SubElement(case, "system-out").text = f"{safe(one.title.of(language))}\n{said}"


def safe(text: str) -> str:
    """Text that XML can hold."""
    return spelled(text).translate(_NO_XML)


def safe_lines(lines: Iterable[str]) -> str:
    """Several lines that XML can hold."""
    return "\n".join(map(safe, lines))


def _write_document(root: Element, out: TextIO) -> None:
    """The whole document, indented."""
    indent(root)
    out.write('<?xml version="1.0" encoding="utf-8"?>\n')
    ElementTree(root).write(out, encoding="unicode")
    out.write("\n")


def render_results(results: Sequence[Result], out: TextIO) -> None:
    """Write the results of tests. One suite a kind of test; a miss that is expected counts as skipped."""
    root = Element("testsuites", _counts_of("logrules", results))
    for kind in dict.fromkeys(result.kind for result in results):
        known = [result for result in results if result.kind == kind]
        suite = SubElement(root, "testsuite", _counts_of(kind, known))
        for result in known:
            _add_case(suite, result)
    _write_document(root, out)


def _counts_of(name: str, results: Sequence[Result]) -> dict[str, str]:
    outcomes = [result.outcome for result in results]
    return _counts(name, len(outcomes), outcomes.count(Outcome.FAILED), outcomes.count(Outcome.EXPECTED_MISS))


def _counts(name: str, tests: int, failures: int, skipped: int = 0) -> dict[str, str]:
    counts = {"tests": tests, "failures": failures, "errors": 0, "skipped": skipped}
    return {"name": name, **{what: str(count) for what, count in counts.items()}}


def _add_case(suite: Element, result: Result) -> None:
    place = {"file": safe(result.place.path), "line": str(result.place.line)}
    case = SubElement(suite, "testcase", {"classname": safe(result.owner), "name": safe(result.name), **place})
    if result.outcome is Outcome.EXPECTED_MISS:
        SubElement(case, "skipped", {"message": safe(result.reason or "")})
        return
    for fault in result.faults:
        SubElement(case, "failure", {"message": safe(fault.message)}).text = safe_lines(told(fault))
