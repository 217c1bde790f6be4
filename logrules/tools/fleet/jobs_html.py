"""What became of many jobs as one page to forward: trends, kinds of failures, hosts; it asks no network."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import TextIO

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from logrules.model.report import Text
from logrules.model.version import __version__
from logrules.output.escape import safe
from logrules.output.numbers import duration
from logrules.tools.fleet.job import BY, WEEKS, JobGroup, Remark, SeenJob, grouped, recurrence
from logrules.tools.fleet.jobs_text import day

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
    page = _environment(now, language).from_string(template)
    out.write(
        page.render(
            language=language,
            words=_WORDS,
            summary=_summary(jobs, now, language),
            made=f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M} UTC",
            version=__version__,
            trend=_bars(recurrence([job.at for job in jobs if job.summary.troubled], (), now).weeks, 640, 120),
            sections=[_section(by, grouped(jobs, by, now, remarks), now, everything=everything) for by in order],
            hidden=lambda count: _HIDDEN.of(language).format(count=count, shown=_MAX_ROWS),
        )
    )
    out.write("\n")


def _environment(now: float, language: str) -> Environment:
    """What the template makes of the parts of a group."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "said": lambda text: text.of(language),
        "shown": _shown,
        "marks": lambda group: list(_marks(group, now, language)),
        "bars": lambda weeks: _bars(weeks, 120, 24),
        "lasted": duration,
        "gpu_hours": _gpu_hours,
        "hosts": _hosts,
        "day": lambda moment: _UNKNOWN if moment is None else day(moment),
    }
    return environment


def _summary(jobs: Sequence[SeenJob], now: float, language: str) -> str:
    failed = [job for job in jobs if job.summary.troubled]
    hours = [job.summary.lost_gpu_hours for job in failed]
    return _SUMMARY.of(language).format(
        troubled=len(failed),
        jobs=len(jobs),
        recent=recurrence([job.at for job in failed], (), now).recent,
        lost=duration(sum(job.summary.lost_s or 0.0 for job in failed)),
        hours=f"{sum(one for one in hours if one is not None):.1f}",
        unknown=sum(one is None for one in hours),
    )


def _section(by: str, groups: Sequence[JobGroup], now: float, *, everything: bool) -> Mapping[str, object]:
    """What is shown of the groups of one kind, and how many are not."""
    failed = [group for group in groups if group.troubled]
    shown = [group for group in failed if everything or not group.remark.snoozed(now)][:_MAX_ROWS]
    title, head = _SECTIONS[by]
    return {"by": by, "title": title, "head": head, "groups": shown, "hidden": len(failed) - len(shown)}


def _gpu_hours(group: JobGroup) -> str:
    return f"{group.lost_gpu_hours:.1f}" if group.gpus_unknown < group.troubled else _UNKNOWN


def _hosts(group: JobGroup) -> str:
    more = len(group.hosts) - _SHOWN_HOSTS
    return ", ".join(map(_shown, group.hosts[:_SHOWN_HOSTS])) + (f" … (+{more})" if more > 0 else "")


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
