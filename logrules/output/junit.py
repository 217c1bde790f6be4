"""A report as JUnit XML: the job is a suite, each diagnosis a case that failed."""

from typing import TextIO
from xml.etree.ElementTree import Element, SubElement

from logrules.model.report import Diagnosis, Report, Severity
from logrules.output.xml import safe, safe_lines, write_document


def render_junit(report: Report, out: TextIO, language: str, shell: str = "bash") -> None:
    """Write the report as JUnit XML. Errors are failures; warnings and hints pass, with what they say."""
    failing = [one for one in report.diagnoses if one.severity is Severity.ERROR]
    cases = max(len(report.diagnoses), 1)
    counts = {"name": "logrules", "tests": str(cases), "failures": str(len(failing)), "errors": "0", "skipped": "0"}
    root = Element("testsuites", counts)
    suite = SubElement(root, "testsuite", {**counts, "name": safe(", ".join(report.sources) or "job")})
    for one in report.diagnoses:
        _case(suite, one, language)
    if not report.diagnoses:
        SubElement(suite, "testcase", {"classname": "logrules", "name": report.status.value})
    write_document(root, out)


def _case(suite: Element, one: Diagnosis, language: str) -> None:
    case = SubElement(suite, "testcase", {"classname": one.cause, "name": one.rule})
    said = safe_lines(
        [
            one.why.of(language),
            *(f"{line.source}:{line.line}: {line.text}" for line in one.evidence),
            *(f"{number}. {fix.do.of(language)}" for number, fix in enumerate(one.fixes, start=1)),
        ]
    )
    if one.severity is Severity.ERROR:
        title = safe(one.title.of(language))
        SubElement(case, "failure", {"message": title, "type": one.cause}).text = said
    else:
        SubElement(case, "system-out").text = f"{safe(one.title.of(language))}\n{said}"
