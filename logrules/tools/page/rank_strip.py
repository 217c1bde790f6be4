"""The ranks of a job side by side: a cell each, in the colour of its last phase, dark by how long it was silent."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from logrules.model.event import rank_of_label
from logrules.model.record import record
from logrules.model.report import Diagnosis, Report, Severity
from logrules.model.timeline import PhaseSpan
from logrules.output.escape import safe
from logrules.output.numbers import duration, ranks_said
from logrules.output.trace import is_timed
from logrules.tools.page.plots import Scale, color_of

# Fewer ranks than these the rows of the timeline tell as well.
LEAST_RANKS = 8
_MAX_RANKS = 16_384
_LEAST_SILENCE = 0.1
_COLUMNS, _CELL = 64, 15


@record
class Cell:
    """A rank where its log ends: ``silent`` is how long before the end of the job's, in seconds or lines."""

    rank: int
    worker: str
    phase: str
    silent: float
    is_culprit: bool
    has_error: bool


def cells_of(report: Report) -> tuple[Cell, ...]:
    """The ranks that the timeline knows, by number; none where they are few."""
    timed = is_timed(report.timeline)
    last: dict[int, tuple[float, PhaseSpan]] = {}
    for span in report.timeline:
        rank = rank_of_label(span.worker)
        end = span.end if timed else float(span.last_line)
        if rank is not None and end is not None and (rank not in last or end >= last[rank][0]):
            last[rank] = end, span
    if len(last) < LEAST_RANKS:
        return ()
    latest = max(end for end, _ in last.values())
    named = set(report.diagnoses[0].ranks[:1]) if report.diagnoses else set()
    failed = _with_errors(report.diagnoses)
    return tuple(
        Cell(rank, span.worker, span.phase, max(latest - end, 0.0), rank in named, rank in failed)
        for rank, (end, span) in sorted(last.items())[:_MAX_RANKS]
    )


def _with_errors(diagnoses: Sequence[Diagnosis]) -> set[int]:
    lines = (line for one in diagnoses if one.severity is Severity.ERROR for line in one.evidence)
    return {rank for line in lines if (rank := rank_of_label(line.worker)) is not None}


def rank_summary(cells: Sequence[Cell], language: str) -> str:
    """The strip in words, for those who cannot see it: the ranks by their last phase, the rarest first."""
    by_phase: dict[str, list[int]] = {}
    for cell in cells:
        by_phase.setdefault(cell.phase, []).append(cell.rank)
    rarest = sorted(by_phase.items(), key=lambda one: (len(one[1]), one[0]))
    return "; ".join(f"{phase}: {ranks_said(ranks, language)} ({len(ranks)})" for phase, ranks in rarest)


def missing_ranks(cells: Sequence[Cell], world: int | None) -> tuple[int, ...]:
    """Ranks of the job of which no line is known."""
    seen = {cell.rank for cell in cells}
    return tuple(rank for rank in range(min(world or 0, _MAX_RANKS)) if rank not in seen)


def strip_svg(cells: Sequence[Cell], missing: Sequence[int], label: str, scale: Scale) -> str:
    """A grid of cells in the order of ranks, 64 a row; a rank that is not known is hollow."""
    if not cells:
        return ""
    # What is little beside the whole run is no silence.
    longest = max(_LEAST_SILENCE * scale.length, *(cell.silent for cell in cells))
    last = max([cells[-1].rank, *missing])
    height = (last // _COLUMNS + 1) * _CELL
    parts = [*_drawn(cells, longest, timed=scale.timed), *(_hollow(rank) for rank in missing)]
    view = f'viewBox="0 0 {_COLUMNS * _CELL} {height}" role="img" aria-label={quoteattr(safe(label))}'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {view}>{"".join(parts)}</svg>'


def _drawn(cells: Sequence[Cell], longest: float, *, timed: bool) -> Iterator[str]:
    ranks = Counter(cell.phase for cell in cells)
    for cell in cells:
        x, y = _place(cell.rank)
        dark = 0.75 * cell.silent / longest if longest > 0 else 0.0
        silent = duration(cell.silent) if timed else f"{cell.silent:,.0f} lines"
        said = f"{cell.worker} · {cell.phase} ({ranks[cell.phase]}) · -{silent}"
        parts = f'<rect x="{x}" y="{y}" width="{_CELL - 1}" height="{_CELL - 1}" fill="{color_of(cell.phase)}"/>'
        if dark > 0.02:  # noqa: PLR2004 (what nobody sees)
            parts += f'<rect x="{x}" y="{y}" width="{_CELL - 1}" height="{_CELL - 1}" fill-opacity="{dark:.2f}"/>'
        if cell.is_culprit:
            parts += (
                f'<rect x="{x + 1}" y="{y + 1}" width="12" height="12" fill="none" stroke="#b3001b" stroke-width="3"/>'
            )
        if cell.has_error:
            parts += f'<path d="M{x + 3} {y + 3}l8 8m0-8l-8 8" stroke="#b3001b" stroke-width="2.5"/>'
        yield f"<g data-worker={quoteattr(safe(cell.worker))}><title>{escape(safe(said))}</title>{parts}</g>"


def _hollow(rank: int) -> str:
    x, y = _place(rank)
    return (
        f'<rect x="{x + 1}" y="{y + 1}" width="{_CELL - 3}" height="{_CELL - 3}" fill="none" stroke="#888" '
        f'stroke-dasharray="2 2"><title>rank {rank}: ?</title></rect>'
    )


def _place(rank: int) -> tuple[int, int]:
    return rank % _COLUMNS * _CELL, rank // _COLUMNS * _CELL


def phases_shown(report: Report) -> tuple[Mapping[str, str], ...]:
    """The phases of the timeline with their colours, in the order in which they were first seen."""
    return tuple({"name": phase, "color": color_of(phase)} for phase in dict.fromkeys(s.phase for s in report.timeline))
