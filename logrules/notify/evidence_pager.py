"""The log at the place of the evidence, in the pager of the user, or the lines about it."""

import os
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from logrules.model.report import Evidence, Report
from logrules.output.escape import safe

_AROUND = 5
_MAX_CHARS = 500
_MAX_LINE = 50_000_000
# Those that take `+LINE`.
_NUMBERED = ("less", "more", "most", "vim", "vi", "view", "nano")


def evidence_file(report: Report, path_of: Callable[[str], Path | None]) -> tuple[Path, int] | None:
    """The file and line of the first evidence that stands in a file here, of what is suspected first.

    ``path_of`` says where a log of a name lies.
    """
    lines: list[Evidence] = [line for one in report.diagnoses for line in one.evidence]
    places = ((path, line.line) for line in lines if (path := path_of(line.source)) is not None)
    return next((place for place in places if place[0].is_file()), None)


def pager_command(path: Path, line: int, env: Mapping[str, str]) -> Sequence[str]:
    """The pager of the user at that line."""
    words = shlex.split(env.get("PAGER", "")) or ["less"]
    at = [f"+{line}"] if os.path.basename(words[0]) in _NUMBERED else []  # noqa: PTH119
    return [*words, *at, "--", str(path.absolute())]


def open_pager(path: Path, line: int, env: Mapping[str, str]) -> bool:
    """Show it until the user is done; whether there was a pager to do so."""
    with open("/dev/tty", "rb") as terminal:  # noqa: PTH123 (no path of ours)
        try:
            done = subprocess.run(pager_command(path, line, env), stdin=terminal, check=False)  # noqa: S603 (theirs)
        except OSError:
            return False
    return done.returncode == 0


def lines_around(path: Path, line: int) -> Iterator[str]:
    """The lines about the place, numbered, the place marked."""
    first = max(line - _AROUND, 1)
    if line > _MAX_LINE:
        return
    with path.open(encoding="utf-8", errors="replace") as log:
        for number, text in enumerate(islice(log, first - 1, line + _AROUND), first):
            yield f"{'>' if number == line else ' '} {number:>6} {safe(text.rstrip()[:_MAX_CHARS])}"
