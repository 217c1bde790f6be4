"""The lines in which a secret may stand, with those round them: all that has to be looked at closely.

Each secret has something without which no rule finds it: a name, the beginning of an issuer's form, a long piece drawn
by lot, an option, an escape, a sign that joins texts. In logs one line in ten has one of these.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from logrules.tools.bundle.cut_lines import Joint
from logrules.tools.bundle.distant_names import logins
from logrules.tools.bundle.form_places import begun_places, secrets_of_prefixes
from logrules.tools.bundle.name_places import LAST_WORDS, last_words, name_places
from logrules.tools.bundle.put_together import joined_places
from logrules.tools.bundle.respelled import SPELT_OTHERWISE
from logrules.tools.bundle.secret_forms import command_secrets, odd_secrets, surrounded_secrets
from logrules.tools.bundle.secret_looks import MIN_HINTED, drawn_by_lot, is_unusual
from logrules.tools.bundle.text_view import Piece, TextView, view_of

# What follows a name may stand on the lines below: of a block, a list or a table on many.
_ABOVE, _BELOW, _BLOCK, _ROWS = 2, 5, 40, 10_000
# Keys and resources are blocks of this many lines, known by a line at either end.
_KEY = re.compile(r"private key|private-lines|kind: ?\"?secret|\"kind\": ?\"secret")
_KEY_LINES = 200
_OPENS_BLOCK = re.compile(r"[\"'`)\]]{0,3}[ \t]*[:=,|>\[({<\\-][^\w\n]{0,12}|[\"'`)\]]{0,3}[ \t]*(?:\\|<<).{0,20}")
_INSERTS = re.compile(r"\) ?values\b")
# The head of a column that a name ends.
_HEAD_CELL = re.compile(rf"[\s\"'`*]*[\w .\-]{{0,40}}?(?:{LAST_WORDS})[\s\"'`*]*")
_ALIGNED_HEAD = re.compile(r"[ \t]*[\w.#-]+(?:(?: {2}|\t)[ \t]*[\w.#-]+)+[ \t]*")
_HASH = re.compile(r"[0-9a-f]{30}|[A-Z0-9]{16}")
# So much on either side of where a line was cut.
_JOINT_CHARS = 60
_SEPARATORS = "\t|;,"
_LONG = re.compile(r"[A-Za-z0-9_~+=-]{16,}")


def suspect_lines(text: str, joints: Sequence[Joint]) -> TextView | None:
    """The lines that may hold a secret, and those round them; None if there are none. ``joints`` are of the text."""
    # Of all letters only this one would become two.
    lower = text.replace("İ", "I").lower()
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    kept = bytearray(len(starts))
    for place in _places(text, joints):
        at = bisect_right(starts, place) - 1
        _keep(kept, at - 1, at + _ABOVE)
    for place in name_places(text):
        at = bisect_right(starts, place) - 1
        _keep(kept, at - _ABOVE, _end_of_block(lower, starts, place, at))
    for found in _KEY.finditer(lower):
        at = bisect_right(starts, found.start()) - 1
        _keep(kept, at - _KEY_LINES, at + _KEY_LINES)
    pieces = list(_stretches(text, starts, kept))
    return view_of(pieces, joint=0) if pieces else None


def _keep(kept: bytearray, first: int, last: int) -> None:
    first, end = max(0, first), min(len(kept), last + 1)
    kept[first:end] = b"\1" * (end - first)


def _stretches(text: str, starts: Sequence[int], kept: bytearray) -> Iterator[Piece]:
    """Neighbouring lines as one piece, and an empty line between those that are no neighbours."""
    at = kept.find(1)
    while at >= 0:
        behind = kept.find(0, at)
        start = starts[at]
        end = starts[behind] if 0 <= behind < len(starts) else len(text)
        if start < len(text):
            yield text[start : min(end, len(text))], start, min(end, len(text))
            yield "\n", min(end, len(text)), min(end, len(text))
        at = kept.find(1, behind) if behind >= 0 else -1


def _end_of_block(lower: str, starts: Sequence[int], place: int, at: int) -> int:
    """The last line on which the value of a name that ends at a place, on this line, may stand."""
    line = _line(lower, starts, at)
    if _OPENS_BLOCK.fullmatch(lower, place, starts[at] + len(line)) or (_INSERTS.search(line)):
        return at + _BLOCK
    separator = max(_SEPARATORS, key=line.count)
    cells = line.count(separator)
    is_headed = cells and any(map(_HEAD_CELL.fullmatch, line.split(separator)))
    columns = len(line.split()) if _ALIGNED_HEAD.fullmatch(line) else 0
    last = at
    while (is_headed or columns) and last + 1 < len(starts) and last - at < _ROWS:
        row = _line(lower, starts, last + 1)
        if not (cells and row.count(separator) == cells) and len(row.split()) not in {columns, columns + 1}:
            break
        last += 1
    return max(last, at + _BELOW)


def _line(text: str, starts: Sequence[int], at: int) -> str:
    return text[starts[at] : starts[at + 1] - 1] if at + 1 < len(starts) else ""


def _places(text: str, joints: Iterable[Joint]) -> Iterator[int]:
    """Where something stands without which there is no secret, but for names."""
    yield from begun_places(text)
    yield from (start for start, _, _ in secrets_of_prefixes(text))
    yield from (found.start() for found in _LONG.finditer(text) if _is_drawn(found[0]))
    yield from (found.start() for found in SPELT_OTHERWISE.finditer(text))
    yield from (start for start, _, _ in (*odd_secrets(text), *surrounded_secrets(text)))
    yield from (start for start, _ in (*command_secrets(text), *logins(text)))
    yield from joined_places(text)
    for line, end, start in joints:
        last, rest = text[max(line, end - _JOINT_CHARS) : end], text[start : start + _JOINT_CHARS]
        if _is_suspect(last + rest.partition("\n")[0]):
            yield end
            yield start


def _is_suspect(text: str) -> bool:
    is_drawn = any(_is_drawn(found[0]) for found in _LONG.finditer(text))
    return is_drawn or any(last_words(text.lower())) or any(secrets_of_prefixes(text)) or any(command_secrets(text))


def _is_drawn(token: str) -> bool:
    """Whether it may be a part of a secret without a name: long, and of letters as chance has them, or of a hash."""
    return drawn_by_lot(token) >= MIN_HINTED and (is_unusual(token) or _HASH.search(token) is not None)
