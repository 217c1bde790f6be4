"""The log of the page, as data that its script draws: columns of numbers and texts, and what the timeline draws.

It stands in a script element that no browser runs. Nothing in it can close that element.
"""

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from logrules.model.event import Level, LogLine
from logrules.model.report import Report
from logrules.model.timeline import PhaseSpan
from logrules.output.escape import safe
from logrules.tools.page.plots import Scale, color_of

_ERRORS, _WARNINGS = 2, 1
# What could end the element or begin a comment in it, and what old parsers of JSON take for line ends.
_ESCAPED = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def page_data(report: Report, scale: Scale, anchors: Mapping[tuple[str, int], str]) -> str:
    """The data as JSON for a script element; ``anchors`` are those of the evidence, by source and line."""
    lines = report.log.lines if report.log is not None else ()
    spans = report.timeline
    sources = _numbered([line.source for line in lines] + [span.source for span in spans])
    workers = _numbered([line.worker for line in lines] + [span.worker for span in spans])
    phases = _numbered(["", *(span.phase for span in spans)])
    document: dict[str, Any] = {
        "scale": {"timed": scale.timed, "start": scale.start, "length": scale.length},
        "sources": [safe(name) for name in sources],
        "workers": [safe(name) for name in workers],
        "phases": list(phases),
        "colors": [color_of(name) if name else "transparent" for name in phases],
        "spans": [
            [
                workers[one.worker],
                phases[one.phase],
                _moment(scale, one.start, one.first_line),
                _moment(scale, one.end, one.last_line),
                sources[one.source],
                one.first_line,
                one.last_line,
            ]
            for one in spans
        ],
        "total": report.log.total if report.log is not None else 0,
        "source": [sources[line.source] for line in lines],
        "line": [line.line for line in lines],
        "worker": [workers[line.worker] for line in lines],
        "time": [_moment(scale, line.time, line.line) for line in lines],
        "level": [_loudness(line.level) for line in lines],
        "phase": [phases[name] for name in _phases_of(lines, spans)],
        "text": [safe(line.text) for line in lines],
        "marks": {
            str(number): anchors[line.source, line.line]
            for number, line in enumerate(lines)
            if (line.source, line.line) in anchors
        },
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_ESCAPED)


def _numbered(names: Sequence[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _moment(scale: Scale, time: float | None, line: int) -> float | None:
    found = scale.behind_start(time, line)
    return None if found is None else round(found, 3)


def _loudness(level: Level | None) -> int:
    if level is None or level < Level.WARNING:
        return 0
    return _ERRORS if level >= Level.ERROR else _WARNINGS


def _phases_of(lines: Sequence[LogLine], spans: Sequence[PhaseSpan]) -> list[str]:
    """The phase in which each line's worker was; that of the line above where its worker is in none."""
    begun: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for span in spans:
        begun.setdefault((span.source, span.worker), []).append((span.first_line, span.phase))
    for each in begun.values():
        each.sort()
    found: list[str] = []
    before, source = "", ""
    for line in lines:
        before = before if line.source == source else ""
        source = line.source
        known = begun.get((line.source, line.worker), [])
        place = bisect_right(known, line.line, key=lambda one: one[0])
        before = known[place - 1][1] if place else before
        found.append(before)
    return found
