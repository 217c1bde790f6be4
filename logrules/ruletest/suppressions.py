"""Comments that say which findings are meant: `# logrules: ignore=LR103 the only text of the line`.

One counts for its own line, or alone on a line for the next that is no comment; above the first key, for the file.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from logrules.model.position import Position, Problem
from logrules.model.record import record

_COMMENT = re.compile(r"#\s*logrules:\s*ignore=([A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*)[ \t]*(.*)$")
_WHOLE_FILE = 0


@record
class Ignored:
    """A code that a comment ignores, where the comment is, and the line that it speaks of (0: the whole file)."""

    code: str
    place: Position
    line: int
    reason: str


def ignores_in(text: str, path: str) -> Iterator[Ignored]:
    """The codes that the comments of a file ignore."""
    lines = text.splitlines()
    first = next((number for number, line in enumerate(lines, start=1) if not _silent(line)), len(lines) + 1)
    for number, line in enumerate(lines, start=1):
        if comment := _COMMENT.search(line):
            place = Position(path, number, comment.start() + 1)
            for code in re.split(r"\s*,\s*", comment[1]):
                yield Ignored(code, place, _line_meant(lines, number, first), comment[2].strip())


def _silent(line: str) -> bool:
    """Whether a line says nothing but a comment."""
    return not line.strip() or line.lstrip().startswith("#")


def _line_meant(lines: Sequence[str], number: int, first: int) -> int:
    if number < first:
        return _WHOLE_FILE
    if not _silent(lines[number - 1]):
        return number
    return next((one for one, line in enumerate(lines[number:], start=number + 1) if not _silent(line)), number)


def without_ignored(findings: Iterable[Problem], ignores: Sequence[Ignored]) -> Iterator[Problem]:
    """The findings that nobody ignores, and what is wrong with the comments themselves."""
    used: set[Ignored] = set()
    for finding in findings:
        meant = [one for one in ignores if _speaks_of(one, finding)]
        used.update(meant)
        if not meant:
            yield finding
    for one in ignores:
        if not one.reason:
            yield Problem(one.place, f"{one.code} is ignored without a reason", code="LR901")
        if one not in used:
            yield Problem(one.place, f"there is no {one.code} to ignore here", code="LR902")


def _speaks_of(one: Ignored, finding: Problem) -> bool:
    here = one.place.path == finding.place.path and one.line in {_WHOLE_FILE, finding.place.line}
    return here and one.code == finding.code
