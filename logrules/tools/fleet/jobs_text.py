"""Jobs as a table, and groups of jobs as paragraphs."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO

from logrules.model.report import Status, Text
from logrules.output import messages as words
from logrules.output.escape import safe
from logrules.output.numbers import duration, ranks_in_words
from logrules.output.styled import Color, console_on
from logrules.tools.fleet.job import JobGroup, JobSummary, losses

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

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
_JOB, _STATUS, _CAUSE, _PHASE, _CULPRIT, _ENDED, _TIME = range(len(_COLUMNS))
# In this order where the terminal is too narrow for all.
_GIVEN_UP = (_PHASE, _ENDED, _CULPRIT, _TIME, _CAUSE)
_MIN_JOB = 12
_COLOR = {Status.FAILED: "red", Status.STALLED: "yellow", None: "magenta"}
_SHOWN = 4
_WIDE = 400

_IN_ALL = Text(
    "{jobs} job{s}: {troubled} failed or stalled, {time} lost", "{jobs} 个作业：{troubled} 个失败或卡住，损失 {time}"
)
_FAILED = Text("{troubled} of {jobs} job{s} failed", "{jobs} 个作业中 {troubled} 个失败")
_RECENT = Text("{recent} in the last 7 days", "最近 7 天 {recent} 个")
_LOST = Text("lost {time}", "损失 {time}")
_GPU_HOURS = Text("{hours} GPU-hours", "{hours} GPU 小时")
_UNKNOWN = Text("(GPUs of {count} unknown)", "（{count} 个作业的 GPU 数未知）")
_NEW, _BACK = Text("NEW this week", "本周新出现"), Text("BACK after it was gone", "消失后再次出现")
_SEEN = Text("first {first}, last {last}", "首次 {first}，最近 {last}")
_ON = Text("on {hosts}", "位于 {hosts}")
_NOTE = Text("note: {note}", "备注：{note}")
_SNOOZED_UNTIL = Text("snoozed until {date}", "暂停提示至 {date}")
_NO_GROUP = Text("no job that failed or stalled names a {by}", "失败或停滞的任务都没有给出 {by}")
_NO_JOB = Text("no job fits", "没有符合条件的作业")
_HIDDEN = Text("{count} snoozed (--all shows them)", "{count} 个已暂停提示（--all 显示）")


def render_jobs(summaries: Sequence[JobSummary], out: TextIO, language: str, color: str = Color.AUTO) -> None:
    """A row a job, and a line that sums up."""
    console = _console(out, color)
    if not summaries:
        console.print(_NO_JOB.of(language))
        return
    console.print(_table(summaries, console.width, language))
    found = losses(summaries)
    hours = f"{found.lost_gpu_hours:.1f}"
    gpus = f" ({_GPU_HOURS.of(language).format(hours=hours)})" if found.lost_gpu_hours else ""
    told = _IN_ALL.of(language).format(
        jobs=len(summaries), s=_s(summaries), troubled=found.troubled, time=duration(found.lost_s)
    )
    console.print(f"{told}{gpus}", style="dim")


def _s(counted: Sequence[object]) -> str:
    """What English adds to the noun."""
    return "" if len(counted) == 1 else "s"


def _table(summaries: Sequence[JobSummary], width: int, language: str) -> "Table":
    """No word of it is cut, but the name of a job: columns that have no room are left out."""
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text as Cell

    rows = [tuple(map(safe, _cells(one, language))) for one in summaries]
    heads = [column.of(language) for column in _COLUMNS]
    widths = [max(map(cell_len, (head, *(row[place] for row in rows)))) for place, head in enumerate(heads)]
    shown = list(range(len(_COLUMNS)))
    for place in _GIVEN_UP:
        if min(widths[_JOB], _MIN_JOB) + sum(widths[one] + 1 for one in shown if one != _JOB) > width:
            shown.remove(place)
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for place in shown:
        table.add_column(heads[place], overflow="fold", no_wrap=place != _JOB)
    for one, row in zip(summaries, rows, strict=True):
        style = _COLOR.get(one.status, "")
        table.add_row(*(Cell(row[place], style=style if place == _STATUS else "") for place in shown))
    return table


def _cells(one: JobSummary, language: str) -> tuple[str, ...]:
    said = _UNREAD if one.status is None else words.STATUS[one.status]
    # As a report says it: only a job that something warns of has a cause.
    said = words.TROUBLE if one.status is Status.HEALTHY and one.cause else said
    ended = "" if one.ended is None else f"{datetime.fromtimestamp(one.ended, UTC):%Y-%m-%d %H:%M}"
    cause = one.cause or one.unread or ""
    length = "" if one.lost_s is None else duration(one.lost_s)
    return one.job, said.of(language), cause, one.phase, _culprit(one, language), ended, length


def render_groups(
    groups: Sequence[JobGroup], out: TextIO, language: str, by: str, *, hidden: int = 0, color: str = Color.AUTO
) -> None:
    """A paragraph a group: how often, what it cost, when and where; ``hidden`` groups are snoozed and not shown.

    ``by`` is what they have in common, a word of ``--group``.
    """
    from rich.text import Text as Cell

    console = _console(out, color)
    for group in groups:
        head = Cell(safe(group.name), style="bold")
        head.append(f"  {' · '.join(_figures(group, language))}", style="not bold")
        for mark in _marks(group):
            head.append(f" · {mark.of(language)}", style="bold red")
        console.print(head)
        for line in _about(group, language):
            console.print(Cell(f"  {safe(line)}"))
    if not groups and not hidden:
        console.print(_NO_GROUP.of(language).format(by=by))
    if hidden:
        console.print(_HIDDEN.of(language).format(count=hidden), style="dim")


def _figures(group: JobGroup, language: str) -> list[str]:
    said = [_FAILED.of(language).format(troubled=group.troubled, jobs=len(group.jobs), s=_s(group.jobs))]
    if group.recent:
        said.append(_RECENT.of(language).format(recent=group.recent))
    if group.lost_s:
        said.append(_LOST.of(language).format(time=duration(group.lost_s)))
    if group.lost_gpu_hours:
        hours = _GPU_HOURS.of(language).format(hours=f"{group.lost_gpu_hours:.1f}")
        unknown = _UNKNOWN.of(language).format(count=group.gpus_unknown)
        said.append(f"{hours} {unknown}" if group.gpus_unknown else hours)
    return said


def _marks(group: JobGroup) -> list[Text]:
    return [mark for mark, holds in ((_NEW, group.new), (_BACK, group.back)) if holds]


def _about(group: JobGroup, language: str) -> list[str]:
    lines = [group.title.of(language)] if group.title.of(language) != group.name else []
    if group.first is not None and group.last is not None:
        seen = _SEEN.of(language).format(first=day(group.first), last=day(group.last))
        on = f" · {_ON.of(language).format(hosts=_some(group.hosts))}" if group.hosts else ""
        lines.append(seen + on)
    lines.append(_some(group.jobs))
    if group.remark.note:
        lines.append(_NOTE.of(language).format(note=group.remark.note))
    if group.remark.snoozed_until is not None:
        lines.append(_SNOOZED_UNTIL.of(language).format(date=day(group.remark.snoozed_until)))
    return [line for line in lines if line]


def _some(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" … (+{more})" if more > 0 else "")


def _console(out: TextIO, color: str) -> "Console":
    """As wide as the terminal; where there is none, wide enough that nothing is folded."""
    return console_on(out, color, width=None if out.isatty() else _WIDE)


def day(seconds: float) -> str:
    """The day of a moment, in seconds since the epoch; a question mark for one that no calendar has."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
    except (OverflowError, ValueError, OSError):
        return "?"


def _culprit(one: JobSummary, language: str) -> str:
    if not one.troubled:
        return ""
    ranks = f"{words.RANK.of(language)} {ranks_in_words(one.ranks)}" if one.ranks else ""
    return " ".join(part for part in (*one.hosts[:1], ranks) if part)
