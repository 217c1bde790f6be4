"""The page: verdict, diagnoses, timeline, metrics; both languages and both shells in one file that asks no network."""

import base64
import hashlib
from collections.abc import Iterator
from functools import partial
from importlib.resources import files
from types import SimpleNamespace
from typing import TextIO

from logrules.model.record import record
from logrules.model.report import Diagnosis, Evidence, Fix, Report, Text
from logrules.model.version import __version__
from logrules.output import messages as words
from logrules.output import verdict
from logrules.output.escape import safe
from logrules.output.json_kinds import iso_time
from logrules.output.numbers import certainty_in_words, ranks_in_words
from logrules.output.rank_sentences import coverage, sentences
from logrules.output.shell import commands
from logrules.ruleset.bounded_read import packaged_table
from logrules.tools.extras import HTML, needed
from logrules.tools.page.log_data import page_data
from logrules.tools.page.plots import MAX_WAITS, Mark, curve_svg, scale_of, timeline_svg, wait_anchor
from logrules.tools.page.rank_strip import cells_of, missing_ranks, phases_shown, rank_summary, strip_svg

with needed(HTML, "an HTML page"):
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

_MAX_LINE = 2_000
_MAX_SPANS = 400
_LANGUAGES = ("en", "zh")
_SCRIPTS = ("page.js", "timeline.js", "log.js")


@record
class Shown:
    """A diagnosis with the anchor that marks link to."""

    anchor: str
    one: Diagnosis
    evidence: tuple[tuple[str, Evidence], ...]


def render_html(report: Report, out: TextIO, language: str, shell: str = "bash") -> None:
    """Write the page; ``language`` and ``shell`` are what it shows at first."""
    shown = [_shown(number, one) for number, one in enumerate(report.diagnoses, start=1)]
    marks = [Mark(anchor, line, one.one.severity) for one in shown for anchor, line in one.evidence]
    scale = scale_of(report)
    folder = files("logrules.tools.page") / "assets"
    script = "".join((folder / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    style = (folder / "page.css").read_text(encoding="utf-8")
    anchors = {(line.source, line.line): anchor for one in reversed(shown) for anchor, line in reversed(one.evidence)}
    cells = cells_of(report)
    comparison = report.comparison
    missing = missing_ranks(cells, comparison.world if comparison else None)
    label = rank_summary(cells, language)
    page = _environment().from_string((folder / "page.html.j2").read_text(encoding="utf-8"))
    out.write(
        page.render(
            report=report, shown=shown, scale=scale,
            status=verdict.status_word(report), status_color=verdict.status_color(report),
            phase=verdict.phase_in_words(report), unusual_title=verdict.unusual_title(report),
            headline=Text.told(partial(verdict.headline, report)),
            words=words, said=_said(), language=language, shell=shell, version=__version__,
            timeline=Markup(timeline_svg(report, marks, scale)),  # noqa: S704 (drawn here)
            spans=report.timeline[:_MAX_SPANS], phases=phases_shown(report),
            ranks=Markup(strip_svg(cells, missing, label, scale)), ranks_said=label,  # noqa: S704 (drawn here)
            data=Markup(page_data(report, scale, anchors)),  # noqa: S704 (nothing in it closes its element)
            log_lines=_log_lines(report),
            waits=[(wait_anchor(number), wait) for number, wait in enumerate(report.waits[:MAX_WAITS])],
            sides=[(Text.told(partial(coverage, comparison)), ()), *sentences(comparison)] if comparison else [],
            curves=[(curve.metric, Markup(curve_svg(curve, scale))) for curve in report.curves],  # noqa: S704 (drawn here)
            style=Markup(style), script=Markup(script), script_hash=_hash(script),  # noqa: S704 (our own files)
        )
    )  # fmt: skip
    out.write("\n")


def _said() -> SimpleNamespace:
    """What the page says of its own accord."""
    rows = packaged_table("logrules.tools.page", "assets/words.toml")
    return SimpleNamespace(**{name: Text(**row) for name, row in rows.items()})


def _log_lines(report: Report) -> dict[str, str] | None:
    """How many lines of the log are on the page, of how many."""
    if report.log is None or not report.log.lines:
        return None
    return {"shown": f"{len(report.log.lines):,}", "total": f"{report.log.total:,}"}


def _shown(number: int, one: Diagnosis) -> Shown:
    lines = tuple((f"d{number}-e{place}", line) for place, line in enumerate(one.evidence, start=1))
    return Shown(f"d{number}", one, lines)


def _environment() -> Environment:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "both": both, "safe_text": _line, "ranks": ranks_in_words, "time": iso_time, "copyable": _copyable,
        "certainty": lambda one: Text.told(partial(certainty_in_words, one)),
        "restart_advised": verdict.is_restart_advised, "effects_told": verdict.effects_told,
    }  # fmt: skip
    return environment


def both(text: Text, **values: object) -> Markup:
    """A sentence in both languages, of which the page shows one."""
    span = Markup('<span lang="{0}" class="{0}">{1}</span>')
    said = ((language, text.of(language)) for language in _LANGUAGES)
    return Markup("").join(span.format(one, safe(it.format(**values) if values else it)) for one, it in said)


def _line(text: str) -> str:
    return safe(text[:_MAX_LINE])


def _copyable(fix: Fix) -> Iterator[tuple[str, str]]:
    """What can be copied: (which shell shows it, text)."""
    for shell in ("bash", "powershell"):
        lines = list(commands(fix, shell))
        if lines:
            yield shell, "\n".join(map(safe, lines))
    code = [fix.code] if fix.code else []
    for text in (*fix.flags, *(f"{key}: {value}" for key, value in fix.config.items()), *code):
        yield "any", "\n".join(map(safe, text.splitlines()))


def _hash(script: str) -> str:
    """How the page's policy names its only script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
