"""What became of many jobs as one page to forward: trends, kinds of failures, hosts; it asks no network."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import TextIO

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from logrules.model.version import __version__
from logrules.output.escape import safe
from logrules.output.numbers import duration
from logrules.ruleset.bounded_read import packaged_table
from logrules.tools.fleet.job import BY, WEEKS, JobGroup, Remark, SeenJob, grouped, losses, recurrence
from logrules.tools.fleet.jobs_text import day

_MAX_ROWS = 100
_MAX_CHARS = 400
_SHOWN_HOSTS = 6
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
    folder = files("logrules.tools.fleet") / "page"
    page = _environment(now, language).from_string((folder / "fleet.html.j2").read_text(encoding="utf-8"))
    out.write(
        page.render(
            language=language,
            words=packaged_table("logrules.tools.fleet", "page/words.toml"),
            weeks=WEEKS,
            summary=_summary(jobs, now),
            made=f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M} UTC",
            version=__version__,
            trend=_bars(recurrence([job.at for job in jobs if job.summary.troubled], (), now).weeks, 640, 120),
            sections=[_section(by, grouped(jobs, by, now, remarks), now, everything=everything) for by in order],
        )
    )
    out.write("\n")


def _environment(now: float, language: str) -> Environment:
    """What the template makes of the parts of a group."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "said": lambda sentence, **facts: sentence[language].format(**facts),
        "shown": _shown,
        "bars": lambda weeks: _bars(weeks, 120, 24),
        "lasted": duration,
        "gpu_hours": _gpu_hours,
        "hosts": _hosts,
        "day": lambda moment: _UNKNOWN if moment is None else day(moment),
    }
    environment.tests["snoozed"] = lambda group: group.remark.snoozed(now)
    return environment


def _summary(jobs: Sequence[SeenJob], now: float) -> Mapping[str, object]:
    found = losses(job.summary for job in jobs)
    return {
        "troubled": found.troubled,
        "jobs": len(jobs),
        "recent": recurrence([job.at for job in jobs if job.summary.troubled], (), now).recent,
        "lost": duration(found.lost_s),
        "hours": f"{found.lost_gpu_hours:.1f}",
        "unknown": found.gpus_unknown,
    }


def _section(by: str, groups: Sequence[JobGroup], now: float, *, everything: bool) -> Mapping[str, object]:
    """What is shown of the groups of one kind, and how many are not."""
    failed = [group for group in groups if group.troubled]
    shown = [group for group in failed if everything or not group.remark.snoozed(now)][:_MAX_ROWS]
    return {"by": by, "groups": shown, "hidden": len(failed) - len(shown), "most": _MAX_ROWS}


def _gpu_hours(group: JobGroup) -> str:
    return f"{group.lost_gpu_hours:.1f}" if group.gpus_unknown < group.troubled else _UNKNOWN


def _hosts(group: JobGroup) -> str:
    more = len(group.hosts) - _SHOWN_HOSTS
    return ", ".join(map(_shown, group.hosts[:_SHOWN_HOSTS])) + (f" … (+{more})" if more > 0 else "")


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
