"""How `scan` and `history` list jobs, in the form that was asked for, and which moments their options name."""

import argparse
import re
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO

from logrules.cli import shared_options as shared
from logrules.model.errors import LogrulesError
from logrules.ruleset.duration import UNITS_S
from logrules.tools.extras import HTML, needed

if TYPE_CHECKING:
    from logrules.tools.fleet.job import Remark, SeenJob

BY = ("fingerprint", "cause", "host", "user-frame")


def add_list_options(parser: argparse.ArgumentParser) -> None:
    """How jobs are listed, and where results are kept."""
    parser.add_argument("--group", choices=BY, help="group jobs by what they have in common")
    parser.add_argument("--all", action="store_true", help="with --group: also snoozed groups")
    shared.add_format_option(parser, "jsonl", "html")
    shared.add_language_options(parser)
    shared.add_color_option(parser)
    shared.add_history_option(parser)


def print_jobs(jobs: "Sequence[SeenJob]", remarks: "Mapping[str, Remark]", options: argparse.Namespace) -> None:
    """The list or the groups, in the form that was asked for, to where it was asked for. Raises LogrulesError."""
    shared.write_output(options, lambda out: _render(jobs, remarks, options, out))


def _render(
    jobs: "Sequence[SeenJob]", remarks: "Mapping[str, Remark]", options: argparse.Namespace, out: TextIO
) -> None:
    from logrules.tools.fleet import jobs_json, jobs_text
    from logrules.tools.fleet.job import grouped

    now = time.time()  # noqa: TID251 (the command line looks at the clock)
    if options.format == "html":
        _page(jobs, remarks, options, now, out)
        return
    if not options.group:
        summaries = [one.summary for one in jobs]
        if options.format == "jsonl":
            jobs_json.render_jobs(summaries, out)
        else:
            jobs_text.render_jobs(summaries, out, options.lang, shared.chosen_color(options))
        return
    groups = grouped(jobs, options.group, now, remarks)
    shown = [group for group in groups if options.all or not group.remark.snoozed(now)]
    if options.format == "jsonl":
        jobs_json.render_groups(shown, out)
    else:
        hidden = len(groups) - len(shown)
        color = shared.chosen_color(options)
        jobs_text.render_groups(shown, out, options.lang, options.group, hidden=hidden, color=color)


def _page(
    jobs: "Sequence[SeenJob]", remarks: "Mapping[str, Remark]", options: argparse.Namespace, now: float, out: TextIO
) -> None:
    with needed(HTML, "--format html"):
        from logrules.tools.fleet.jobs_html import render_page
    render_page(
        jobs, remarks, now, out, first=options.group or "fingerprint", everything=options.all, language=options.lang
    )


def moment(text: str) -> float:
    """Seconds since the epoch of ``24h``, ``7d`` ago or ``2025-06-01[T12:00]`` (UTC). Raises LogrulesError."""
    return _at("--since", text, -1)


def coming(text: str) -> float:
    """Seconds since the epoch of ``24h``, ``7d`` from now or of a date (UTC). Raises LogrulesError."""
    return _at("--snooze", text, 1)


def _at(option: str, text: str, direction: int) -> float:
    """A date, or so long from now in one of the directions."""
    if span := re.fullmatch(r"(\d{1,6})([mhdw])", text):
        return time.time() + direction * int(span[1]) * UNITS_S[span[2]]  # noqa: TID251 (the command line looks at the clock)
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise LogrulesError(f"{option} {text}: say 24h, 7d or a date such as 2025-06-01") from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
