"""What failures of one kind have in common, whatever the line numbers, ranks, hosts, paths and versions."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from logrules.model.event import LEADING_LEVEL
from logrules.model.package_path import is_own
from logrules.model.report import Diagnosis, Evidence, Report, Severity
from logrules.model.template import ANY_VARYING, template_of

_ID_DIGITS = 12
_MAX_CHARS = 800

# Failures are of one kind across hosts, folders and versions: names of these vary where a log alone would keep them.
_RELATIVE_PATH = re.compile(r"\b[\w.-]+(?:/[\w.@=-]+)+")
_VERSION = re.compile(r"\bv?\d+(?:\.\w+)+(?:[+-][\w.]+)?\b")
_VARYING = re.compile(ANY_VARYING)
# A name with a number in it is one of many of its kind: node-3, gpu17, rank_2.
_NUMBERED = re.compile(r"\b[A-Za-z]+(?:[-_]?\d+)+\b")
# What stands before a message: brackets with who and when, a host with pid and thread, a level, a source file.
_PREFIX = re.compile(
    r"\s*(?:\[[^\]\n]{0,120}\]|\([^()\n]{0,120}\)|(?:\d{4}[-/])?\d\d[-/]\d\d(?:[T ][\d:.,+Z]*)?|\d\d:\d\d:\d\d[.,\d]*"
    rf"|[\w.-]+:\d+:\d+|(?:{LEADING_LEVEL})\b|[IWEF]\d{{4}}\b"
    r"|[\w./-]+\.(?:py|cpp|cc|cu|c|h|rs|go):\d+\]?|[-:|>])(?=[\s:\[(|\]>-]|$)\s*:?"
)
_EXCEPTION = re.compile(
    r"^\s*(?:[\w.]+\.)?(?P<type>[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Warning))\b:?\s*(?P<message>.*)"
)
_NUMBERS = re.compile(r"#(?: #)+")
_FRAME = re.compile(r'File "(?P<file>[^"\n]{1,500})", line \d+, in (?P<function>[\w.<>]+)')
_SEPARATOR = re.compile(r"[/\\]")
_WHO = frozenset({"host", "node", "ip", "addr", "address", "peer", "hostname", "worker"})


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A kind of failure.

    The component that told of it, its type (an exception's class, else a cause), the template of its message, and
    the innermost frame of the user's own code (``file in function``); each is empty where it is unknown.
    """

    component: str
    type: str
    template: str
    frame: str

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits, the same for the same kind on every machine."""
        said = f"{self.component}\0{self.type}\0{self.template}\0{self.frame}"
        return hashlib.sha256(said.encode(errors="backslashreplace")).hexdigest()[:_ID_DIGITS]


def fingerprint_of(report: Report) -> Fingerprint | None:
    """The kind of failure that a report tells of: its first diagnosis, else the last line that nothing knows.

    None where nothing went wrong.
    """
    first = next((one for one in report.diagnoses if one.severity is not Severity.INFO), None)
    if first is not None:
        return _of_diagnosis(first)
    if not report.unusual or report.status not in {"failed", "stalled", "unexplained"}:
        return None
    line = report.unusual[-1]
    kind, message = _exception_in(line)
    return Fingerprint("", kind, normalised(message, _names([line])), _own_frame([line]))


def _of_diagnosis(one: Diagnosis) -> Fingerprint:
    raised = next((line for line in one.evidence if line.captures.get("type")), None)
    line = raised or next(iter(one.evidence), None)
    if line is None:
        return Fingerprint(_component(one), one.cause, "", "")
    kind, message = _exception_in(line)
    names = {*one.hosts, *_names(one.evidence)}
    return Fingerprint(_component(one), kind or one.cause, normalised(message, names), _own_frame(one.evidence))


def _component(one: Diagnosis) -> str:
    return one.rule.partition("/")[0]


def _exception_in(line: Evidence) -> tuple[str, str]:
    """The class of the exception that a line names, and its message; without one, no class and the whole line."""
    if kind := line.captures.get("type"):
        return kind.rpartition(".")[2], line.captures.get("message", "")
    message = without_prefixes(line.text)
    found = _EXCEPTION.match(message)
    return (found["type"], found["message"]) if found else ("", message)


def _names(lines: Iterable[Evidence]) -> set[str]:
    """What hosts the lines name, by their captures."""
    return {value for line in lines for name, value in line.captures.items() if name in _WHO and value}


def without_prefixes(text: str) -> str:
    """A line from where its message begins."""
    rest = text[:_MAX_CHARS]
    while (found := _PREFIX.match(rest)) and found.end() and found.end() < len(rest):
        rest = rest[found.end() :]
    return rest.strip()


def normalised(message: str, names: Iterable[str] = ()) -> str:
    """The template of a message: no address, path, hash, version, number and none of ``names`` is left in it."""
    text = message[:_MAX_CHARS]
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "#")
    for varying in (_RELATIVE_PATH, _VERSION, _NUMBERED, _VARYING):
        text = varying.sub("#", text)
    return _NUMBERS.sub("#", template_of(text))


def _own_frame(lines: Iterable[Evidence]) -> str:
    """``file in function`` of the innermost frame of the user's own code that the lines show, without its folder."""
    for file, function in chain.from_iterable(map(_frames, lines)):
        if is_own(file):
            return f"{_SEPARATOR.split(file)[-1]} in {function}"
    return ""


def _frames(line: Evidence) -> Iterator[tuple[str, str]]:
    """Files and functions, the innermost first."""
    file, function = line.captures.get("file"), line.captures.get("function")
    if file and function:
        yield file, function
    for text in (line.text, *reversed(line.before), *reversed(line.after)):
        if found := _FRAME.search(text[:_MAX_CHARS]):
            yield found["file"], found["function"]
