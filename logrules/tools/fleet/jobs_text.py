"""Jobs as a table."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO

from logrules.model.report import Status, Text
from logrules.output import messages as words
from logrules.output.escape import safe
from logrules.output.numbers import ranks_in_words
from logrules.tools.fleet.job import JobGroup, JobSummary

if TYPE_CHECKING:
    from rich.console import Console

_UNREAD = Text("not read", "未读")
_COLUMNS = (
    Text("job", "作业"),
    Text("status", "状态"),
    Text("cause", "原因"),
    Text("phase", "阶段"),
    Text("culprit", "定位"),
    Text("ended", "结束"),
    Text("lost", "损失"),
)
_GROUP_COLUMNS = (
    Text("{by}", "{by}"),
    Text("failed", "失败"),
    Text("jobs", "作业数"),
    Text("lost", "损失"),
    Text("which", "哪些"),
)
_COLOR = {Status.FAILED: "red", Status.STALLED: "yellow", None: "magenta"}
_SHOWN_JOBS = 4
_WIDE = 400


def render_jobs(summaries: Sequence[JobSummary], out: TextIO, language: str) -> None:
    """A row a job, and a line that sums up."""
    from rich.table import Table
    from rich.text import Text as Cell

    table = Table(box=None, pad_edge=False)
    for column in _COLUMNS:
        table.add_column(column.of(language), overflow="fold")
    for one in summaries:
        said = words.STATUS[one.status].of(language) if one.status else _UNREAD.of(language)
        cause = one.cause or one.unread or ""
        ended = "" if one.ended is None else f"{datetime.fromtimestamp(one.ended, UTC):%Y-%m-%d %H:%M}"
        cells = (one.job, said, cause, one.phase, _culprit(one, language), ended, lasted(one.lost_s))
        style = _COLOR.get(one.status, "")
        table.add_row(*(Cell(safe(cell), style=style if place == 1 else "") for place, cell in enumerate(cells)))
    console = _console(out)
    console.print(table)
    troubled = sum(one.troubled for one in summaries)
    lost = sum(one.lost_s or 0.0 for one in summaries)
    console.print(f"{len(summaries)} jobs: {troubled} failed or stalled, {lasted(lost) or '0 s'} lost", style="dim")


def render_groups(groups: Sequence[JobGroup], by: str, out: TextIO, language: str) -> None:
    """A row a group."""
    from rich.table import Table
    from rich.text import Text as Cell

    table = Table(box=None, pad_edge=False)
    for column in _GROUP_COLUMNS:
        table.add_column(column.of(language).format(by=by), overflow="fold")
    for group in groups:
        more = len(group.jobs) - _SHOWN_JOBS
        which = ", ".join(group.jobs[:_SHOWN_JOBS]) + (f" … (+{more})" if more > 0 else "")
        cells = (group.name, str(group.troubled), str(len(group.jobs)), lasted(group.lost_s), which)
        table.add_row(*(Cell(safe(cell)) for cell in cells))
    _console(out).print(table)


def _console(out: TextIO) -> "Console":
    """As wide as the terminal; where there is none, wide enough that nothing is folded."""
    from rich.console import Console

    return Console(file=out, highlight=False, markup=False, emoji=False, width=None if out.isatty() else _WIDE)


def lasted(seconds: float | None) -> str:
    """Seconds as people say them: 40 s, 12 min, 3.5 h; nothing for None."""
    if seconds is None:
        return ""
    if seconds < 120:  # noqa: PLR2004 (two minutes)
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"  # noqa: PLR2004 (two hours)


def _culprit(one: JobSummary, language: str) -> str:
    if not one.troubled:
        return ""
    ranks = f"{words.RANK.of(language)} {ranks_in_words(one.ranks)}" if one.ranks else ""
    return " ".join(part for part in (*one.hosts[:1], ranks) if part)
