"""Texts without their secrets: learned from all of them first, then taken out of all of them.

1. A text is read with plain characters (`plain_text`), but for lines that only tell other numbers (`repeated_lines`).
2. It is read again in other words (a `text_view`): without what all lines begin with (`line_heads`), with its cut lines
   whole (`cut_lines`), as records tell it (`record_texts`), as escapes and programs mean it (`unescape`,
   `evaluated_texts`).
3. In each of these candidates are found: by issuers' forms (`issued_forms`), by what stands round them
   (`table_patterns`), and beside, near and below the names of secrets (`named_values`, `distant_names`,
   `secret_tables`).
4. Whether one is a secret is decided by one sum (`score`), of its name, its place and its look (`value_kinds`).
5. What was found anywhere is looked for everywhere (`known_secrets`), and all is replaced here.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from logrules.model.errors import LogrulesError
from logrules.tools.bundle.cut_lines import whole_lines
from logrules.tools.bundle.distant_names import secrets_near_names
from logrules.tools.bundle.issued_forms import issued_secrets, random_tokens
from logrules.tools.bundle.known_secrets import KnownSecrets
from logrules.tools.bundle.line_heads import without_line_heads
from logrules.tools.bundle.named_values import named_secrets
from logrules.tools.bundle.plain_text import folded, without_controls
from logrules.tools.bundle.private_details import ADDRESS, private_details
from logrules.tools.bundle.record_texts import texts_of_records
from logrules.tools.bundle.repeated_lines import RepeatedLines
from logrules.tools.bundle.secret_names import name_ends, name_places
from logrules.tools.bundle.secret_tables import secret_cells
from logrules.tools.bundle.table_patterns import secrets_of_commands, secrets_of_patterns
from logrules.tools.bundle.text_view import TextView
from logrules.tools.bundle.unescape import respelled
from logrules.tools.bundle.value_kinds import is_nothing

# A pattern of the user's own may backtrack without end.
_TIMEOUT_S = 5.0
# JSON within JSON within a record, and escapes in that.
_MAX_DEPTH = 2
_MIN_WORD = 3
_OWN = "a pattern of yours"
_MARK = regex.compile(r"\[redacted: [^\]\n]{1,60}\]")
_LINE_END = regex.compile("\n")
_STARS = frozenset("*xX.•")

Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Taken:
    """What was taken out: how many of a kind in a place, and on which lines of it (the first ones)."""

    place: str
    kind: str
    count: int
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A text, the parts of it that were looked at (each with its lines that were cut), and what was recognised."""

    view: str
    parts: tuple[tuple[TextView, TextView | None], ...]
    spans: tuple[Span, ...]


class Redactor:
    """Takes secrets, and what names people and networks, out of texts.

    ``own`` are further patterns, ``keep`` which private details may stay (`private_details.KEEPABLE`). Raises
    LogrulesError for a pattern that is none.
    """

    def __init__(self, own: Sequence[str] = (), keep: Iterable[str] = ()) -> None:
        self._own = [_compiled(pattern) for pattern in own]
        self._keep = frozenset(keep)

    def redact(self, texts: Mapping[str, str]) -> tuple[dict[str, str], list[Taken]]:
        """The texts by their names, each secret replaced by its kind in brackets; and what was taken out.

        Lines stay lines: a secret that spans several leaves as many. Terminal sequences and unseen characters go.
        """
        plain = {name: without_controls(text) for name, text in texts.items()}
        readings = {name: self._read(folded(text)) for name, text in plain.items()}
        known = KnownSecrets()
        for one in readings.values():
            for start, end, kind in one.spans:
                known.learn(one.view[start:end], kind)
        addresses: dict[str, int] = {}
        clean: dict[str, str] = {}
        taken: list[Taken] = []
        for name, one in readings.items():
            spans = [*one.spans, *_known_spans(one, known), *private_details(one.view, self._keep)]
            merged = _merged(spans, one.view)
            clean[name] = _replaced(plain[name], one.view, merged, addresses)
            taken += _counted(name, one.view, merged)
        return clean, taken

    def _read(self, view: str) -> "_Reading":
        """What is recognised; patterns of the user's own are looked for in every line, all others where they may be."""
        lines = RepeatedLines(view, name_ends(view))
        parts: list[tuple[TextView, TextView | None]] = []
        spans: list[Span] = list(self._everything(view, whole_lines(view))) if self._own else []
        part = lines.distinct()
        while part is not None:
            whole = whole_lines(part.text)
            parts.append((part, whole))
            found = self._everything(part.text, whole) if not self._own else ()
            spans += [(*piece, kind) for start, end, kind in found for piece in part.spans(start, end)]
            part = lines.like(spans)
        return _Reading(view, tuple(parts), tuple(spans))

    def _everything(self, view: str, whole: TextView | None, depth: int = 0) -> Iterator[Span]:
        """What is recognised in a text, in its lines as they were before they were cut, in what it spells or holds."""
        places = name_places(view)
        yield from self._recognised(view, places)
        if depth == _MAX_DEPTH:
            return
        others = (without_line_heads(view, places), whole, texts_of_records(view), respelled(view))
        for other in filter(None, others):
            its_whole = whole_lines(other.text) if depth + 1 < _MAX_DEPTH else None
            for start, end, kind in self._everything(other.text, its_whole, depth + 1):
                parts = other.spans(start, end)
                # What stands for no value may end a line that was not cut.
                first = view[slice(*parts[0])]
                if len(parts) == 1 or len(first) < _MIN_WORD or not is_nothing(first):
                    yield from ((*part, kind) for part in parts)

    def _recognised(self, view: str, places: Sequence[int]) -> Iterator[Span]:
        for pattern in self._own:
            yield from _of_own(pattern, view)
        yield from secrets_of_patterns(view)
        yield from issued_secrets(view)
        yield from named_secrets(view, places)
        yield from secrets_near_names(view, places)
        yield from secret_cells(view, places)
        yield from secrets_of_commands(view)
        yield from random_tokens(view)


def mark(kind: str) -> str:
    """What stands where a secret stood."""
    return f"[redacted: {kind}]"


def _of_own(pattern: "regex.Pattern[str]", view: str) -> Iterator[Span]:
    group = "secret" if "secret" in pattern.groupindex else 0
    try:
        found = [(*match.span(group), _OWN) for match in pattern.finditer(view, timeout=_TIMEOUT_S)]
    except TimeoutError:
        raise LogrulesError(f"the pattern {pattern.pattern} takes too long; nothing was written") from None
    yield from found


def _known_spans(reading: _Reading, known: KnownSecrets) -> Iterator[Span]:
    yield from known.spans(reading.view)
    for part, whole in reading.parts:
        for start, end, kind in known.spans(whole.text) if whole is not None else ():
            yield from ((*piece, kind) for one in whole.spans(start, end) for piece in part.spans(*one))  # type: ignore[union-attr]


def _merged(spans: Iterable[Span], view: str) -> list[Span]:
    """In order, those that touch as one, without those that were marks or blanks before."""
    marks = [found.span() for found in _MARK.finditer(view)]
    ends = [end for _, end in marks]
    merged: list[Span] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        at = bisect_right(ends, start)
        if end <= start or set(view[start:end]) <= _STARS or (at < len(marks) and marks[at][0] < end):
            continue
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), merged[-1][2])
        else:
            merged.append((start, end, kind))
    return merged


def _replaced(text: str, view: str, spans: Sequence[Span], addresses: dict[str, int]) -> str:
    parts, last = [], 0
    for start, end, kind in spans:
        # The same address is the same number everywhere: which ranks share a host is what a reader needs.
        number = f" {addresses.setdefault(view[start:end], len(addresses) + 1)}" if kind == ADDRESS else ""
        parts += [text[last:start], mark(kind + number), "\n" * text.count("\n", start, end)]
        last = end
    return "".join([*parts, text[last:]])


def _counted(place: str, view: str, spans: Sequence[Span]) -> Iterator[Taken]:
    if not spans:
        return
    starts = [found.start() for found in _LINE_END.finditer(view)]
    counts = Counter(kind for _, _, kind in spans)
    for kind, count in sorted(counts.items()):
        lines = sorted({bisect_right(starts, start) + 1 for start, _, one in spans if one == kind})
        yield Taken(place, kind, count, tuple(lines[:20]))


def _compiled(pattern: str) -> "regex.Pattern[str]":
    try:
        return regex.compile(pattern, regex.DOTALL)
    except regex.error as fault:
        raise LogrulesError(f"--redact {pattern}: not a regular expression ({fault})") from None
