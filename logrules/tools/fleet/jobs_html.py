"""What became of many jobs as one page to forward: trends, kinds of failures, hosts; it asks no network."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import TextIO

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from logrules.model.report import Text
from logrules.model.version import __version__
from logrules.output.escape import safe
from logrules.tools.fleet.group import BY, WEEKS, grouped, recurrence
from logrules.tools.fleet.job import JobGroup, Remark, SeenJob
from logrules.tools.fleet.jobs_text import day, lasted

_MAX_ROWS = 100
_MAX_CHARS = 400
_SHOWN_HOSTS = 6

_WORDS: Mapping[str, Text] = {
    "title": Text("Jobs that failed", "失败的作业"),
    "made": Text("as of", "截至"),
    "weekly": Text(f"Failed jobs a week, the last {WEEKS} weeks", f"最近 {WEEKS} 周每周失败的作业"),
    "failed": Text("failed", "失败"),
    "recent": Text("last 7 days", "最近 7 天"),
    "trend": Text(f"{WEEKS} weeks", f"{WEEKS} 周"),
    "lost": Text("idle", "空转"),
    "gpu_hours": Text("GPU-hours lost", "损失 GPU 小时"),
    "hosts": Text("hosts", "主机"),
    "first": Text("first seen", "首次出现"),
    "last": Text("last seen", "最近出现"),
    "jobs": Text("jobs", "个作业"),
    "none": Text("none", "无"),
}
_SECTIONS: Mapping[str, tuple[Text, Text]] = {
    "fingerprint": (Text("Kinds of failures", "失败的种类"), Text("kind", "种类")),
    "cause": (Text("Causes", "原因"), Text("cause", "原因")),
    "host": (Text("Hosts", "主机"), Text("host", "主机")),
    "user-frame": (Text("Places in your own code", "自有代码中的位置"), Text("place", "位置")),
}
_SUMMARY = Text(
    "{troubled} of {jobs} jobs failed or stalled, {recent} of them in the last 7 days; they stood idle for {lost}, "
    "{hours} GPU-hours where the number of GPUs is known ({unknown} jobs where it is not).",
    "{jobs} 个作业中 {troubled} 个失败或停滞，其中最近 7 天 {recent} 个；共空转 {lost}，"
    "已知 GPU 数的作业损失 {hours} GPU 小时（{unknown} 个作业的 GPU 数未知）。",
)
_NEW, _BACK = Text("new this week", "本周新出现"), Text("back after it was gone", "消失后再次出现")
_SNOOZED = Text("snoozed until {date}", "暂停提示至 {date}")
_HIDDEN = Text("{count} more are snoozed or past the first {shown}.", "另有 {count} 项已暂停提示或超出前 {shown} 项。")
_UNKNOWN = "–"


@dataclass(frozen=True, slots=True)
class _Row:
    """A group as it is shown."""

    name: str
    title: str
    marks: tuple[str, ...]
    note: str
    jobs: tuple[str, ...]
    troubled: int
    recent: int
    spark: Markup
    lost: str
    gpu_hours: str
    hosts: str
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class _Section:
    """The groups of one kind."""

    by: str
    title: str
    head: str
    groups: tuple[_Row, ...]
    hidden: str


def render_page(
    jobs: Sequence[SeenJob],
    remarks: Mapping[str, Remark],
    now: float,
    out: TextIO,
    *,
    first: str,
    everything: bool,
    language: str = "en",
) -> None:
    """Write the page: ``first`` is the grouping that stands first, ``everything`` shows snoozed groups too.

    ``now`` is in seconds since the epoch.
    """
    order = (first, *(by for by in BY if by != first))
    template = (files("logrules.tools.fleet") / "page" / "fleet.html.j2").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    page = environment.from_string(template).render(
        language=language,
        t={name: text.of(language) for name, text in _WORDS.items()},
        summary=_summary(jobs, now, language),
        made=f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M} UTC",
        version=__version__,
        trend=_bars(recurrence([job.at for job in jobs if job.summary.troubled], (), now).weeks, 640, 120),
        sections=[_section(by, jobs, remarks, now, language, everything=everything) for by in order],
    )
    out.write(page + "\n")


def _summary(jobs: Sequence[SeenJob], now: float, language: str) -> str:
    failed = [job for job in jobs if job.summary.troubled]
    hours = [job.summary.lost_gpu_hours for job in failed]
    return _SUMMARY.of(language).format(
        troubled=len(failed),
        jobs=len(jobs),
        recent=recurrence([job.at for job in failed], (), now).recent,
        lost=lasted(sum(job.summary.lost_s or 0.0 for job in failed)),
        hours=f"{sum(one for one in hours if one is not None):.1f}",
        unknown=sum(one is None for one in hours),
    )


def _section(
    by: str, jobs: Sequence[SeenJob], remarks: Mapping[str, Remark], now: float, language: str, *, everything: bool
) -> _Section:
    groups = [group for group in grouped(jobs, by, now, remarks) if group.troubled]
    shown = [group for group in groups if everything or not group.remark.snoozed(now)][:_MAX_ROWS]
    title, head = _SECTIONS[by]
    more = len(groups) - len(shown)
    hidden = _HIDDEN.of(language).format(count=more, shown=_MAX_ROWS) if more else ""
    return _Section(
        by, title.of(language), head.of(language), tuple(_row(group, now, language) for group in shown), hidden
    )


def _row(group: JobGroup, now: float, language: str) -> _Row:
    more = len(group.hosts) - _SHOWN_HOSTS
    known = group.gpus_unknown < group.troubled
    return _Row(
        name=_shown(group.name),
        title=_shown(group.title.of(language)),
        marks=tuple(_marks(group, now, language)),
        note=_shown(group.remark.note),
        jobs=tuple(map(_shown, group.jobs)),
        troubled=group.troubled,
        recent=group.recent,
        spark=_bars(group.weeks, 120, 24),
        lost=lasted(group.lost_s),
        gpu_hours=f"{group.lost_gpu_hours:.1f}" if known else _UNKNOWN,
        hosts=", ".join(map(_shown, group.hosts[:_SHOWN_HOSTS])) + (f" … (+{more})" if more > 0 else ""),
        first=_UNKNOWN if group.first is None else day(group.first),
        last=_UNKNOWN if group.last is None else day(group.last),
    )


def _marks(group: JobGroup, now: float, language: str) -> Iterator[str]:
    if group.new:
        yield _NEW.of(language)
    if group.back:
        yield _BACK.of(language)
    if group.remark.snoozed(now) and group.remark.snoozed_until is not None:
        yield _SNOOZED.of(language).format(date=day(group.remark.snoozed_until))


def _shown(text: str) -> str:
    return safe(text[:_MAX_CHARS])


def _bars(counts: Sequence[int], width: int, height: int) -> Markup:
    """A bar a week, the oldest first; the running one is marked. Numbers alone are drawn, no text of a log."""
    most = max([*counts, 1])
    step = width / max(1, len(counts))
    bars = []
    for place, count in enumerate(counts):
        tall = 0.0 if not count else max(2.0, (height - 2) * count / most)
        kind = ' class="now"' if place == len(counts) - 1 else ""
        bars.append(
            f'<rect{kind} x="{place * step + 1:.1f}" y="{height - 1 - tall:.1f}" width="{step - 2:.1f}"'
            f' height="{tall:.1f}"><title>{count}</title></rect>'
        )
    said = ", ".join(map(str, counts))
    return Markup(  # noqa: S704 (numbers only)
        f'<svg role="img" aria-label="{said}" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<line x1="0" x2="{width}" y1="{height - 0.5}" y2="{height - 0.5}"/>{"".join(bars)}</svg>'
    )
