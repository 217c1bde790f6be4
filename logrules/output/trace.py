"""The timeline as a trace that Chrome (chrome://tracing) and Perfetto (ui.perfetto.dev) open: a row a worker.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU. Where the log has
no times, a line is a millisecond, which ``otherData`` says; what has none where others have is left out.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from logrules.model.report import Evidence, Report
from logrules.model.timeline import PhaseSpan
from logrules.output.escape import safe

_US = 1_000_000
_US_A_LINE = 1_000
_JOB = 1

# A line without a time here and there does not undo the axis; a log with few times has none.
_LEAST_SHARE = 0.5


def render_trace(report: Report, out: TextIO, language: str, shell: str = "bash") -> None:
    """Write phases as spans and evidence as instants."""
    timed = is_timed(report.timeline)
    spans = [span for span in report.timeline if not timed or (span.start is not None and span.end is not None)]
    labels = [span.worker for span in report.timeline] + [
        line.worker for one in report.diagnoses for line in one.evidence
    ]
    rows = {label: number for number, label in enumerate(dict.fromkeys(labels), start=1)}
    events = [
        _named("process_name", 0, "logrules"),
        *(_named("thread_name", row, safe(label)) for label, row in rows.items()),
        *(_span(span, rows, timed=timed) for span in spans),
        *_marks(report, rows, language, timed=timed),
    ]
    clock = "the log's own" if timed else "one line a millisecond"
    json.dump({"traceEvents": events, "displayTimeUnit": "ms", "otherData": {"clock": clock}}, out, ensure_ascii=False)
    out.write("\n")


def _named(what: str, row: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "pid": _JOB, "tid": row, "name": what, "args": {"name": name}}


def _span(span: PhaseSpan, rows: Mapping[str, int], *, timed: bool) -> dict[str, Any]:
    if timed and span.start is not None and span.end is not None:
        start, length = round(span.start * _US), round((span.end - span.start) * _US)
    else:
        start, length = span.first_line * _US_A_LINE, (span.last_line - span.first_line) * _US_A_LINE
    lines = {"source": safe(span.source), "first_line": span.first_line, "last_line": span.last_line}
    return {
        "ph": "X", "pid": _JOB, "tid": rows[span.worker], "name": span.phase, "cat": "phase",
        "ts": start, "dur": max(length, 0), "args": lines,
    }  # fmt: skip


def _marks(report: Report, rows: Mapping[str, int], language: str, *, timed: bool) -> Iterator[dict[str, Any]]:
    for one in report.diagnoses:
        for line in one.evidence:
            at = _moment(line, timed=timed)
            if at is not None:
                yield {
                    "ph": "i", "s": "t", "pid": _JOB, "tid": rows[line.worker], "cat": one.severity.value, "ts": at,
                    "name": safe(one.title.of(language)),
                    "args": {"rule": one.rule, "source": safe(line.source), "line": line.line, "text": safe(line.text)},
                }  # fmt: skip


def _moment(line: Evidence, *, timed: bool) -> int | None:
    if not timed:
        return line.line * _US_A_LINE
    return None if line.time is None else round(line.time * _US)


def is_timed(spans: Sequence[PhaseSpan]) -> bool:
    """Whether at least half of the spans have times."""
    timed = sum(span.start is not None and span.end is not None for span in spans)
    return bool(timed) and timed >= _LEAST_SHARE * len(spans)
