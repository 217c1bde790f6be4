"""A report, or findings in rule files, as SARIF 2.1.0: one result each; a diagnosis at its first line of evidence.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TextIO
from urllib.parse import quote

from logrules.model.lint_code import CODES, Code
from logrules.model.position import Problem
from logrules.model.report import Diagnosis, Evidence, Report, Severity
from logrules.model.version import __version__
from logrules.output.escape import safe
from logrules.output.json_kinds import write_json

_DRIVE = re.compile(r"[A-Za-z]:/")
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render_sarif(report: Report, out: TextIO, language: str, shell: str = "bash") -> None:
    """Write the report as one SARIF log with one run."""
    rules = {one.rule: one for one in report.diagnoses}
    results = [_result(one, list(rules).index(one.rule), language, report.paths) for one in report.diagnoses]
    _write_sarif("logrules", [_rule(one, language) for one in rules.values()], results, out)


def _write_sarif(tool: str, rules: Sequence[Any], results: Sequence[Any], out: TextIO) -> None:
    """Write one SARIF log with one run of a tool."""
    driver = {"name": tool, "version": __version__, "semanticVersion": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    write_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, out)


def _rule(one: Diagnosis, language: str) -> dict[str, Any]:
    steps = "\n".join(f"{n}. {_plain(fix.do.of(language))}" for n, fix in enumerate(one.fixes, 1)) or "-"
    described = _described(one.rule, one.cause, _plain(one.title.of(language)), _plain(one.why.of(language)), steps)
    return described | ({"helpUri": one.references[0]} if one.references else {})


def _plain(text: str) -> str:
    """Safe text without what readers of plain messages make links of: ``[text](target)``."""
    return safe(text).replace("](", "] (")


def _described(rule: str, name: str, title: str, why: str, steps: str) -> dict[str, Any]:
    told = {"shortDescription": title, "fullDescription": why, "help": steps}
    return {"id": rule, "name": name, **{key: {"text": text} for key, text in told.items()}}


def _result(one: Diagnosis, index: int, language: str, paths: Mapping[str, str]) -> dict[str, Any]:
    places = [_location(line, number, paths) for number, line in enumerate(one.evidence)]
    return {
        "ruleId": one.rule,
        "ruleIndex": index,
        "level": LEVEL[one.severity],
        "message": {"text": _plain(one.title.of(language))},
        "locations": places[:1],
        "relatedLocations": places[1:],
        "rank": round(one.confidence * 100, 1),
        "properties": {
            "cause": one.cause,
            "phase": one.phase,
            "ranks": list(one.ranks),
            "measured": {"right": one.measured[0], "of": one.measured[1]},
        },
    }


def _location(line: Evidence, number: int, paths: Mapping[str, str]) -> dict[str, Any]:
    region = {"startLine": line.line, "snippet": {"text": safe(line.text)}}
    uri = _uri(safe(paths.get(line.source, line.source)))
    return {"id": number, "physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def _uri(path: str) -> str:
    """A path as code hosts read it: relative to the repository, or with the scheme that an absolute one must have."""
    path = path.replace("\\", "/")
    if _DRIVE.match(path):
        return f"file:///{path[:2]}{quote(path[2:])}"
    return f"file://{quote(path)}" if path.startswith("/") else quote(path)


def render_findings(findings: Sequence[Problem], files: int, out: TextIO) -> None:
    """Write one SARIF log with one run."""
    _write_sarif(
        "logrules check", list(map(_rule_of_code, CODES.values())), list(map(_result_of_finding, findings)), out
    )


def _rule_of_code(code: Code) -> dict[str, Any]:
    described = _described(code.id, code.name, code.title.en, code.why.en, code.help.en)
    return described | {"defaultConfiguration": {"level": LEVEL[code.severity]}}


def _result_of_finding(finding: Problem) -> dict[str, Any]:
    region = {"startLine": finding.place.line, "startColumn": finding.place.column}
    place = {"artifactLocation": {"uri": quote(safe(finding.place.path))}, "region": region}
    return {
        "ruleId": finding.code,
        "ruleIndex": list(CODES).index(finding.code),
        "level": LEVEL[CODES[finding.code].severity],
        "message": {"text": safe(finding.said)},
        "locations": [{"physicalLocation": place}],
    }
