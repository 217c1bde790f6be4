"""The panel under a live log: where each worker is, how long it is quiet, what is suspected. Lines, no placement."""

import io
import re
from collections.abc import Sequence
from typing import Literal

from rich.console import Console
from rich.text import Text as Line

from logrules.model.change import Update
from logrules.model.event import rank_of_label
from logrules.model.record import record
from logrules.model.report import Diagnosis, Report, Text
from logrules.model.timeline import WorkerNow
from logrules.output import messages as words
from logrules.output import verdict
from logrules.output.escape import safe
from logrules.output.numbers import certainty_in_words, duration, lines_said
from logrules.output.step_layout import in_one_line
from logrules.output.styled import Color

_SUSPECTS = 2
_MAX_STEP = 60
_NUMBER = re.compile(r"\d+(?:\.\d+)?")

_QUIET = Text("quiet {quiet}", "静默 {quiet}")
_OF = Text("quiet {quiet} of {patience}", "静默 {quiet} / 限度 {patience}")
_EACH = Text("{time} a step", "每步 {time}")
_NOTHING = Text("nothing suspected", "暂无异常")
_KEYS = Text(
    "q quit · d dump the report · h history · f one worker · e evidence",
    "q 退出 · d 输出报告 · h 历史 · f 单个 worker · e 证据",
)
_QUIET_SO_FAR = Text("nothing was told so far", "至今没有告警")


@record
class PanelView:
    """How the panel is shown: in which language, for the job of this name, with ``keys`` where they are ours.

    The user chose to see ``only`` the worker of this name, or the ``history`` in place of the workers.
    """

    language: str = "en"
    keys: bool = False
    job: str = ""
    color: str = Color.AUTO
    only: str | None = None
    history: Sequence[str] | None = None


def panel_lines(
    update: Update, report: Report, workers: Sequence[WorkerNow], size: tuple[int, int], view: PanelView
) -> list[str]:
    """At most so many lines of so many columns (``size``: columns, lines), with colours, without line ends."""
    columns, rows = size
    footer = [Line(f"  {_KEYS.of(view.language)}", style="dim")] if view.keys else []
    room = rows - 1 - len(footer)
    if view.history is not None:
        told = view.history[:room] or (_QUIET_SO_FAR.of(view.language),)
        body = [Line(f"  {entry}") for entry in told]
    else:
        body = _workers_and_suspects(report, workers, room, view)
    found = [_head(update, report, view), *body, *footer]
    return [_cut(line, columns, view.color) for line in found[:rows]]


def _workers_and_suspects(report: Report, workers: Sequence[WorkerNow], room: int, view: PanelView) -> list[Line]:
    language = view.language
    shown = [worker for worker in workers if view.only in (None, worker.worker)]
    suspects = [line for one in report.diagnoses[:_SUSPECTS] for line in _suspect(one, language)]
    found = [_worker(label, worker, language) for label, worker in folded(shown)[: max(room - 1 - len(suspects), 1)]]
    return found + (suspects or [Line(f"  {_NOTHING.of(language)}", style="dim")])


def folded(workers: Sequence[WorkerNow]) -> list[tuple[str, WorkerNow]]:
    """Workers at the same place as one, the quietest of them: "rank 0-7". Steps differ in their numbers only."""
    groups: dict[tuple[str | None, str], list[WorkerNow]] = {}
    for worker in workers:
        groups.setdefault((worker.phase, _NUMBER.sub("#", worker.step)), []).append(worker)
    shown = []
    for same in groups.values():
        quietest = max(same, key=lambda worker: worker.quiet_s or 0.0)
        shown.append((_label([worker.worker for worker in same]), quietest))
    return sorted(shown, key=lambda pair: -(pair[1].quiet_s or 0.0))


def _label(names: Sequence[str]) -> str:
    ranks = sorted({rank for name in names if (rank := rank_of_label(name)) is not None})
    if len(names) > 1 and len(ranks) == len(names):
        return f"rank {_span(ranks)}"
    return names[0] if len(names) == 1 else f"{names[0]} (+ {len(names) - 1})"


def _span(ranks: Sequence[int]) -> str:
    whole = list(ranks) == list(range(ranks[0], ranks[-1] + 1))
    return f"{ranks[0]}-{ranks[-1]}" if whole else f"{ranks[0]}…{ranks[-1]} ({len(ranks)})"


def _head(update: Update, report: Report, view: PanelView) -> Line:
    language = view.language
    return Line.assemble(
        ("── logrules ", "dim"),
        (f"{safe(view.job)} " if view.job else "", "bold"),
        (verdict.status_word(report).of(language), f"bold {verdict.status_color(report)}"),
        (f" {words.IN_PHASE.of(language).format(phase=report.phase)}", "bold"),
        (f" · {lines_said(update.lines, language)} ──", "dim"),
    )


def _worker(label: str, worker: WorkerNow, language: str) -> Line:
    parts = [worker.phase or "?"]
    if worker.step:
        parts.append(safe(" ".join(worker.step.split()))[:_MAX_STEP])
    if worker.step_s is not None:
        parts.append(_EACH.of(language).format(time=duration(worker.step_s)))
    late = worker.quiet_s is not None and worker.patience_s is not None and worker.quiet_s >= worker.patience_s / 2
    line = Line.assemble(("  ", ""), (safe(label), "bold"), (": " + " · ".join(parts), ""))
    if worker.quiet_s is not None:
        form = _OF if worker.patience_s is not None else _QUIET
        said = form.of(language).format(quiet=duration(worker.quiet_s), patience=duration(worker.patience_s or 0))
        line.append(f" · {said}", "yellow" if late else "dim")
    return line


def _suspect(one: Diagnosis, language: str) -> list[Line]:
    title = f"  ! {one.title.of(language)}{verdict.ranks_at(one, language)} · {certainty_in_words(one, language)}"
    found = [Line(safe(title), style=verdict.COLOR[one.severity])]
    if one.evidence:
        line = one.evidence[0]
        found.append(Line(safe(f"    {line.place}: {line.text}"), style="dim"))
    if one.fixes:
        found.append(Line(safe(f"    → {in_one_line(one.fixes[0], language)}")))
    return found


def _cut(line: Line, columns: int, color: str) -> str:
    out = io.StringIO()
    system: Literal["standard"] | None = None if color == Color.NEVER else "standard"
    console = Console(file=out, width=max(columns, 20), force_terminal=True, color_system=system, highlight=False)
    line.truncate(max(columns - 1, 10), overflow="ellipsis")
    console.print(line, end="", soft_wrap=True)
    return out.getvalue()
