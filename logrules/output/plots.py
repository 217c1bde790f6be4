"""The pictures of the page: who was in which phase when, with marks that link to evidence; metrics over time."""

import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from logrules.model.report import Curve, PhaseSpan, Report, Severity, WaitSpan
from logrules.output.escape import safe
from logrules.output.numbers import duration

# Told apart by people who see colours differently too: the palette of Okabe and Ito, and a mark of its own each.
_COLORS = ("#56B4E9", "#E69F00", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#999999")
_MARKS = {Severity.ERROR: ("X", "#b3001b"), Severity.WARNING: ("D", "#8a5a00"), Severity.INFO: ("o", "#00507a")}
_MAX_ROWS = 128
MAX_WAITS = 200
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "logrules",
    "svg.fonttype": "none",
    # A worker may be called `$x$`.
    "text.parse_math": False,
    "font.size": 9,
    "font.family": "sans-serif",
}
_THIN_S = 1e-9


@dataclass(frozen=True, slots=True)
class Mark:
    """Evidence on the timeline: ``anchor`` is where its lines are on the page."""

    anchor: str
    worker: str
    source: str
    line: int
    time: float | None
    severity: Severity


@dataclass(frozen=True, slots=True)
class Scale:
    """What the axis shows: seconds since the first time, or lines where the log has no times."""

    timed: bool
    start: float

    def at(self, time: float | None, line: int) -> float:
        """Where a moment is on the axis."""
        if not self.timed:
            return float(line)
        return (time if time is not None else self.start) - self.start

    def label(self, value: float) -> str:
        """What stands at the axis."""
        return duration(max(value, 0.0)) if self.timed else f"{value:,.0f}"


def scale_of(report: Report) -> Scale:
    """The axis for this report."""
    times = [span.start for span in report.timeline if span.start is not None]
    timed = bool(times) and all(span.start is not None and span.end is not None for span in report.timeline)
    return Scale(timed, min(times) if timed else 0.0)


def wait_anchor(number: int) -> str:
    """Where the page tells of the wait with this number."""
    return f"w{number}"


def timeline_svg(report: Report, marks: Sequence[Mark], scale: Scale) -> str:
    """A row a worker, its phases as bars, marks where there is evidence; empty where nothing is known."""
    workers = list(dict.fromkeys([*(span.worker for span in report.timeline), *(mark.worker for mark in marks)]))
    rows = {worker: number for number, worker in enumerate(workers[:_MAX_ROWS])}
    if not rows:
        return ""
    spans = [span for span in report.timeline if span.worker in rows]

    def draw(axes: Axes) -> None:
        _draw_phases(axes, spans, rows, scale)
        _draw_waits(axes, report.waits[:MAX_WAITS], rows, scale)
        for number, mark in enumerate(marks):
            if mark.worker in rows:
                shape, color = _MARKS[mark.severity]
                dots = axes.scatter(
                    [scale.at(mark.time, mark.line)], [rows[mark.worker]], 70, color, marker=shape, zorder=5 + number,
                    edgecolors="white", linewidths=0.7,
                )  # fmt: skip
                dots.set_urls([f"#{mark.anchor}"])
                dots.set_gid(f"mark-{mark.anchor}")
        axes.set_yticks(range(len(rows)), [safe(worker)[:32] for worker in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)

    return _svg(draw, 0.26 * len(rows) + 1.1, scale)


def _draw_phases(axes: Axes, spans: Sequence[PhaseSpan], rows: Mapping[str, int], scale: Scale) -> None:
    phases = list(dict.fromkeys(span.phase for span in spans))
    handles = []
    for number, phase in enumerate(phases):
        color = _COLORS[number % len(_COLORS)]
        boxes = [_box(span, rows[span.worker], scale) for span in spans if span.phase == phase]
        axes.add_collection(PolyCollection(boxes, facecolors=color, edgecolors="none", gid=f"phase-{phase}"))
        handles.append(Patch(facecolor=color, label=phase))
    axes.autoscale()
    if handles:
        axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=6, frameon=False)


def _draw_waits(axes: Axes, waits: Sequence[WaitSpan], rows: Mapping[str, int], scale: Scale) -> None:
    """A line under the bar of whoever waited; a thick one where the log ends in it."""
    for number, wait in enumerate(waits):
        if wait.worker in rows:
            left, right = scale.at(wait.start, wait.first_line), scale.at(wait.end, wait.last_line)
            line = axes.hlines(
                rows[wait.worker] + 0.42, left, max(right, left + _THIN_S), "#b35900", lw=1.5 if wait.ended else 4
            )
            line.set_urls([f"#{wait_anchor(number)}"])
            line.set_gid(f"wait-{number}")


def _box(span: PhaseSpan, row: int, scale: Scale) -> list[tuple[float, float]]:
    left = scale.at(span.start, span.first_line)
    right = max(scale.at(span.end, span.last_line), left + _THIN_S)
    return [(left, row - 0.35), (right, row - 0.35), (right, row + 0.35), (left, row + 0.35)]


def curve_svg(curve: Curve, scale: Scale) -> str:
    """A metric over the run."""
    placed = [point for point in curve.points if point.time is not None or not scale.timed]
    points = [point for point in placed if math.isfinite(point.value)]
    wrong = [point for point in placed if not math.isfinite(point.value)]

    def draw(axes: Axes) -> None:
        moments = [scale.at(one.time, one.line) for one in points]
        axes.plot(moments, [one.value for one in points], color="#0072B2", lw=1.2)
        for one in wrong:
            axes.axvline(scale.at(one.time, one.line), color="#b3001b", ls="--", lw=1)
        axes.grid(visible=True, alpha=0.3)

    return _svg(draw, 1.7, scale)


def _svg(draw: Callable[[Axes], None], height: float, scale: Scale) -> str:
    with rc_context(_STYLE):
        figure = Figure(figsize=(11, height), layout="constrained")
        axes = figure.add_subplot()
        draw(axes)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _place: scale.label(value)))
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    # Only the picture: the page has a head of its own, and marks lead to places on it.
    text = text.replace(' target="_blank"', "")
    return re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
