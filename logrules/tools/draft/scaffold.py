"""A line of a log to a rule file that holds, with the words that only its author knows left to be written."""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from logrules.model.errors import LogrulesError
from logrules.model.event import Stance
from logrules.model.record import record
from logrules.parsing.clean import clean
from logrules.parsing.reader import Reader
from logrules.ruleset.pack import Pack
from logrules.ruleset.pattern import found_in_time
from logrules.ruletest.file_checks import STEP, TITLE, WHY
from logrules.ruletest.format import formatted, written
from logrules.ruletest.refusal import line_read
from logrules.sources.discover import discover
from logrules.sources.source import numbered_lines_of
from logrules.tools.draft.variable_parts import (
    Filled,
    MessagePart,
    best_literal,
    compared_parts,
    parts_of,
    pattern_of,
    shared_parts,
)

# Around the line, so many are looked at for what looks like it.
REACH = 20_000
_LONGEST_BYTES = 16_384
_WORD = re.compile(r"[^\W\d_]{2,}")
_LIMIT_S = 0.2
# Lines that are less alike than so many others are no near misses.
_MOST_TRIED = 50


@record
class Extract:
    """A line of a log as people see it, those around it without it, and the line as it was written."""

    line: str
    others: tuple[str, ...]
    written: bytes


def extract_of(path: str, number: int) -> Extract:
    """The line of this number (from 1), cleaned, and up to ``REACH`` before and behind it. Raises LogrulesError."""
    before: deque[bytes] = deque(maxlen=REACH)
    behind: list[bytes] = []
    written = None
    count = 0
    for count, raw in _lines(path):
        if count < number:
            before.append(raw)
        elif count == number and written is None:
            written = raw
        elif len(behind) < REACH:
            behind.append(raw)
        else:
            break
    if written is None:
        raise LogrulesError(f"{path}: has no line {number}, only {count}")
    line = clean(written)
    if not line.strip():
        raise LogrulesError(f"{path}:{number}: is blank")
    return Extract(line, tuple(map(clean, (*before, *behind))), written)


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    found = discover([path]).sources
    if len(found) != 1:
        raise LogrulesError(f"{path}: is not one log")
    yield from ((number, raw[:_LONGEST_BYTES]) for number, raw in numbered_lines_of(found[0]))


def near_miss(line: str, others: Sequence[str], pattern: str) -> str | None:
    """Of the lines that the pattern does not match, the one that shares most of its words with ``line``."""
    words = frozenset(_WORD.findall(line.lower()))
    ranked = sorted(dict.fromkeys(others), key=lambda other: -_alike(words, other))
    like_it = (other for other in ranked[:_MOST_TRIED] if _alike(words, other) > 0)
    return next((other for other in (*like_it, *reversed(others)) if _is_missed(pattern, other)), None)


def _is_missed(pattern: str, line: str) -> bool:
    return bool(line.strip()) and found_in_time(pattern, line, _LIMIT_S) is False


def _alike(words: frozenset[str], other: str) -> float:
    theirs = frozenset(_WORD.findall(other.lower()))
    return len(words & theirs) / len(words | theirs) if words | theirs else 0.0


_FALLBACK_CAUSE = "python-exception"
_LONGEST_PATTERN = 800
_NOTHING_LIKE_IT = "nothing of the kind"


@record
class RuleDraft:
    """A rule file: its id, and its text."""

    id: str
    text: str


def draft(
    extract: Extract,
    pack: Pack,
    logs: Sequence[Path],
    rule_id: str | None,
    cause: str | None,
    alike: Sequence[str] = (),
) -> RuleDraft:
    """A rule for the line: found by a literal that names the event, what varies captured, an example and a near miss.

    ``logs`` are what literals are measured on; the pattern holds on the messages ``alike`` too, as far as they begin
    alike. Raises LogrulesError where the line has no text to find it by, or shares none with the others.
    """
    read = line_read(Reader(pack, ()), 1, extract.line)
    message = read.message.strip()
    parts = _first_of(compared_parts(parts_of(message), alike), alike)
    if alike and not parts:
        raise LogrulesError("the lines begin with no text that all of them have: draft a rule for each kind of them")
    literal = best_literal(parts, extract.written, logs, extract.others)
    if literal is None:
        raise LogrulesError(f"the line has no text that a program would always print: `{extract.line.strip()[:100]}`")
    pattern = pattern_of(parts)
    captures = {part.name: part.text for part in parts if isinstance(part, Filled)}
    name = rule_id or f"team/{_slug(literal)}"
    near = near_miss(extract.line, extract.others, pattern if captures else re.escape(literal)) or _NOTHING_LIKE_IT
    said: dict[str, object] = {"contains": literal, **({"pattern": pattern} if captures else {})}
    if read.stance is not Stance.FACT:
        said["stance"] = [read.stance.value]
    text = _written(cause or _FALLBACK_CAUSE, said, captures, extract.line, near)
    return RuleDraft(name, formatted(text.encode(), name).decode())


def _first_of(parts: Sequence[MessagePart], alike: Sequence[str]) -> Sequence[MessagePart]:
    """As many parts as a pattern has room for and, of these, as many as the lines ``alike`` share."""
    room = next((count for count in range(len(parts), 0, -1) if len(pattern_of(parts[:count])) <= _LONGEST_PATTERN), 0)
    return shared_parts(parts[:room], alike) if alike else parts[:room]


def _slug(literal: str) -> str:
    words = re.findall(r"[a-z0-9]+", literal.lower())[:6]
    return "-".join(words) or "new-rule"


def _written(cause: str, said: Mapping[str, object], captures: Mapping[str, str], line: str, near: str) -> str:
    fires: object = {"log": line, "captures": dict(captures)} if captures else line
    rule = {
        "cause": cause,
        "title": TITLE,
        "why": WHY,
        "signals": {"said": said if len(said) > 1 else said["contains"]},
        "fixes": [{"do": STEP}],
        "examples": {"fires": fires, "silent": near},
    }
    body = written(rule)
    notes = {
        "cause: ": "`logrules explain --causes` lists them all",
        "title:": "what it means",
        "signals:": "how it is recognised; does every version of the program print this text?",
        "fixes:": "names of steps (`logrules explain --steps`), or steps of its own; default: those of the cause",
        "examples:": "lines of the log: remove what others must not see",
    }
    return "".join(_noted(row, notes) for row in body.splitlines(keepends=True))


def _noted(row: str, notes: Mapping[str, str]) -> str:
    note = next((text for start, text in notes.items() if row.startswith(start)), None)
    return f"# {note}\n{row}" if note else row
