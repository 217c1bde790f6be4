"""The forms of a report for other programs: ours, and those that installed packages bring (see `cli.extension`).

Here are those that the standard library can write; what takes a package of its own, as the page does, is a tool.
"""

from collections.abc import Callable, Mapping
from typing import TextIO, TypeAlias

from logrules.model.report import Report
from logrules.ruleset.entry_points import FORMS, entry_points, loaded

# Writes a report to a file, in a language, with commands for a shell.
Form: TypeAlias = Callable[[Report, TextIO, str, str], None]
_OURS = {
    "markdown": "logrules.output.markdown:render_markdown",
    "sarif": "logrules.output.sarif:render_sarif",
    "junit": "logrules.output.junit:render_junit",
    "github": "logrules.output.github:render_github",
    "trace": "logrules.output.trace:render_trace",
    "jsonl": "logrules.output.jsonl:render_jsonl",
}


def forms() -> Mapping[str, str]:
    """Where each form is written, by its name."""
    return {**dict(entry_points(FORMS)), **_OURS}


def form_of(name: str) -> Form:
    """What writes a report in a form of `forms`. Raises LogrulesError where it cannot be loaded."""
    found: Form = loaded(name, forms()[name])
    return found
