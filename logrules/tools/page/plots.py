"""The pictures of the page: who was in which phase when, with marks that link to evidence; metrics over time."""

import math
from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr
from zlib import crc32

from logrules.model.record import record
from logrules.model.report import Evidence, Report, Severity
from logrules.model.timeline import Curve, PhaseSpan, WaitSpan
from logrules.output.escape import safe
from logrules.output.numbers import duration
from logrules.output.trace import is_timed

# The same phase has the same colour in every report: Okabe and Ito's palette and what can be told from it.
_COLORS = {
    "launch": "#999999",
    "rendezvous": "#E69F00",
    "data_load": "#56B4E9",
    "model_load": "#0072B2",
    "rollout": "#CC79A7",
    "weight_sync": "#F0E442",
    "train_step": "#009E73",
    "eval": "#8DD3C7",
    "checkpoint": "#D55E00",
    "serve": "#B3DE69",
    "shutdown": "#666666",
}
_MARKS = {
    Severity.ERROR: ("\u2716", "#b3001b"),
    Severity.WARNING: ("\u25c6", "#8a5a00"),
    Severity.INFO: ("\u25cf", "#00507a"),
}
_MAX_ROWS = 128
MAX_WAITS = 200
_WIDTH, _LEFT, _RIGHT, _TOP, _ROW, _AXIS = 1000, 150, 20, 4, 22, 26
_PLOT = _WIDTH - _LEFT - _RIGHT
# Rows are lower where they are many; a name needs its height.
_MIN_ROW, _MAX_HEIGHT, _READABLE = 6, 704, 14
_CURVE = 110
_TICKS = 5
_MIN_BAR = 1.5


@record
class Mark:
    """Evidence on the timeline: ``anchor`` is where the line is on the page."""

    anchor: str
    line: Evidence
    severity: Severity


@record
class Scale:
    """What the axis shows: seconds since the first time, or lines where the log has no times."""

    timed: bool
    start: float
    length: float = 1.0

    def behind_start(self, time: float | None, line: int) -> float | None:
        """How far behind the start a moment is; None where it has no time and the others have."""
        if not self.timed:
            return line - self.start
        return None if time is None else time - self.start

    def at(self, time: float | None, line: int) -> float | None:
        """Where a moment is on the axis, 0 to 1."""
        value = self.behind_start(time, line)
        return None if value is None else min(max(value / self.length, 0.0), 1.0)

    def label(self, share: float) -> str:
        """What stands at this share of the axis."""
        value = share * self.length
        return duration(max(value, 0.0)) if self.timed else f"{value + self.start:,.0f}"


def scale_of(report: Report) -> Scale:
    """The axis for this report."""
    timed = is_timed(report.timeline)
    points = [point for curve in report.curves for point in curve.points]
    if timed:
        moments = [at for span in report.timeline for at in (span.start, span.end) if at is not None]
        moments += [at for wait in report.waits for at in (wait.start, wait.end) if at is not None]
        moments += [line.time for one in report.diagnoses for line in one.evidence if line.time is not None]
    else:
        moments = [float(at) for span in report.timeline for at in (span.first_line, span.last_line)]
        moments += [float(line.line) for one in report.diagnoses for line in one.evidence]
        moments += [float(point.line) for point in points]
    start, end = min(moments, default=0.0), max(moments, default=1.0)
    return Scale(timed, start, max(end - start, 1e-9))


def wait_anchor(number: int) -> str:
    """Where the page tells of the wait with this number."""
    return f"w{number}"


def timeline_svg(report: Report, marks: Sequence[Mark], scale: Scale) -> str:
    """A row a worker, its phases as bars, marks where there is evidence; empty where nothing is known."""
    # Where not all workers have room, those with evidence have it first.
    shown = dict.fromkeys([*(mark.line.worker for mark in marks), *(span.worker for span in report.timeline)])
    kept = set(list(shown)[:_MAX_ROWS])
    ordered = dict.fromkeys([*(span.worker for span in report.timeline), *(mark.line.worker for mark in marks)])
    rows = {worker: number for number, worker in enumerate(worker for worker in ordered if worker in kept)}
    if not rows:
        return ""
    row = max(_MIN_ROW, min(_ROW, _MAX_HEIGHT / len(rows)))
    height = _TOP + len(rows) * row
    every = math.ceil(_READABLE / row)
    names = (
        _text(_LEFT - 8, _TOP + (number + 0.5) * row + 4, safe(worker)[:22], "end")
        for worker, number in rows.items()
        if number % every == 0
    )
    bars = _plot(
        (*_phases(report.timeline, rows, row, scale), *_waits(report.waits[:MAX_WAITS], rows, row, scale)), height
    )
    parts = (bars, *names, *_marks(marks, rows, row, scale), *_axis(scale, height))
    return _svg(parts, height + _AXIS)


def _plot(parts: Sequence[str], height: float) -> str:
    """What is drawn over the axis: it is zoomed by its view box, so nothing in it may be text."""
    return (
        f'<svg class="zoomed" x="{_LEFT}" width="{_PLOT}" height="{height:.1f}" viewBox="0 0 {_PLOT} {height:.1f}" '
        f'preserveAspectRatio="none">{"".join(parts)}</svg>'
    )


def _phases(spans: Sequence[PhaseSpan], rows: Mapping[str, int], row: float, scale: Scale) -> Iterator[str]:
    shown = [(number, span) for number, span in enumerate(spans) if span.worker in rows]
    for phase in dict.fromkeys(span.phase for _, span in shown):
        boxes = "".join(_box(number, span, rows, row, scale) for number, span in shown if span.phase == phase)
        yield f'<g id={quoteattr("phase-" + phase)} fill="{color_of(phase)}">{boxes}</g>'


def color_of(phase: str) -> str:
    """The colour of a phase, the same in every report, also of a phase of one's own."""
    return _COLORS.get(phase) or f"hsl({crc32(phase.encode()) % 360} 55% 50%)"


def _box(number: int, span: PhaseSpan, rows: Mapping[str, int], row: float, scale: Scale) -> str:
    left, right = scale.at(span.start, span.first_line), scale.at(span.end, span.last_line)
    if left is None or right is None:
        return ""
    y = _TOP + rows[span.worker] * row + row * 0.14
    width = max((right - left) * _PLOT, _MIN_BAR)
    return f'<rect data-i="{number}" x="{left * _PLOT:.1f}" y="{y:.1f}" width="{width:.1f}" height="{row * 0.64:.1f}"/>'


def _waits(waits: Sequence[WaitSpan], rows: Mapping[str, int], row: float, scale: Scale) -> Iterator[str]:
    """A line under the bar of whoever waited; a thick one where the log ends in it."""
    for number, wait in enumerate(waits):
        left, right = scale.at(wait.start, wait.first_line), scale.at(wait.end, wait.last_line)
        if wait.worker in rows and left is not None and right is not None:
            y = _TOP + (rows[wait.worker] + 0.82) * row
            bar = (
                f'<rect x="{left * _PLOT:.1f}" y="{y:.1f}" width="{max((right - left) * _PLOT, _MIN_BAR):.1f}" '
                f'height="{row * (0.09 if wait.ended else 0.18):.1f}" fill="#b35900"/>'
            )
            yield f'<g id="wait-{number}">{_link(wait_anchor(number), bar, wait.wait)}</g>'


def _marks(marks: Sequence[Mark], rows: Mapping[str, int], row: float, scale: Scale) -> Iterator[str]:
    for mark in marks:
        at = scale.at(mark.line.time, mark.line.line)
        if mark.line.worker in rows and at is not None:
            shape, color = _MARKS[mark.severity]
            y = _TOP + (rows[mark.line.worker] + 0.5) * row + 5
            sign = (
                f'<text class="mark" text-anchor="middle" font-size="16" '
                f'style="fill: {color} !important" stroke="#fff" stroke-width="0.7">{shape}</text>'
            )
            place = f'class="at" data-at="{at:.6f}" transform="translate({_LEFT + at * _PLOT:.1f} {y:.1f})"'
            yield f'<g id="mark-{mark.anchor}" {place}>{_link(mark.anchor, sign, mark.line.place)}</g>'


def _link(anchor: str, inner: str, title: str) -> str:
    return f'<a href="#{anchor}"><title>{escape(safe(title))}</title>{inner}</a>'


def curve_svg(curve: Curve, scale: Scale) -> str:
    """A metric over the run; dashed where a value was no number."""
    placed = [(at, point.value) for point in curve.points if (at := scale.at(point.time, point.line)) is not None]
    values = [value for _, value in placed if math.isfinite(value)]
    low, high = min(values, default=0.0), max(values, default=1.0)
    spread = high - low if math.isfinite(high - low) and high > low else 1.0

    def y_of(value: float) -> float:
        return 8 + (_CURVE - 16) * (1 - (value - low) / spread)

    line = " ".join(f"{at * _PLOT:.1f},{y_of(value):.1f}" for at, value in placed if math.isfinite(value))
    fixed = 'vector-effect="non-scaling-stroke"'
    wrong = (
        f'<line x1="{at * _PLOT:.1f}" x2="{at * _PLOT:.1f}" y1="0" y2="{_CURVE}" stroke="#b3001b" '
        f'stroke-dasharray="4 3" {fixed}/>'
        for at, value in placed
        if not math.isfinite(value)
    )
    drawn = f'<polyline points="{line}" fill="none" stroke="#0072B2" stroke-width="1.5" {fixed}/>'
    limits = (_text(_LEFT - 8, 14, f"{high:.4g}", "end"), _text(_LEFT - 8, _CURVE - 4, f"{low:.4g}", "end"))
    return _svg((_plot((drawn, *wrong), _CURVE), *limits, *_axis(scale, _CURVE)), _CURVE + _AXIS)


def _axis(scale: Scale, y: float) -> Iterator[str]:
    yield f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}" stroke="#888"/>'
    for number in range(_TICKS):
        share = number / (_TICKS - 1)
        anchor = "start" if number == 0 else "end" if number == _TICKS - 1 else "middle"
        yield _text(_LEFT + share * _PLOT, y + 16, scale.label(share), anchor, f' class="tick" data-at="{share}"')


def _text(x: float, y: float, text: str, anchor: str = "start", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def _svg(parts: Sequence[str], height: float) -> str:
    view = f'viewBox="0 0 {_WIDTH} {height:.1f}" font-size="12" font-family="sans-serif"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {view}>{"".join(parts)}</svg>'
