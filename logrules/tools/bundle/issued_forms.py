"""Secrets that begin with an issuer's prefix, whole or cut, and what looks like an issuer's that no table has."""

import base64
import binascii
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import regex

from logrules.parsing.literal_matcher import LiteralMatcher, matcher_of
from logrules.ruleset.bounded_read import packaged_table
from logrules.tools.bundle.score import Name, Relation, is_secret
from logrules.tools.bundle.secret_names import matches_at
from logrules.tools.bundle.value_kinds import MIN_HINTED, MIN_SIGNED, drawn_by_lot, is_by_chance, is_no_word

_ALPHABETS = {
    "a": "[A-Za-z0-9]", "w": "[A-Za-z0-9_-]", "W": "[A-Za-z0-9_-]", "x": "[A-Za-z0-9_.-]", "b": "[A-Za-z0-9+/_=-]",
    "h": "[0-9a-fA-F]", "H": "[0-9a-fA-F-]", "U": "[A-Z0-9]", "d": "[0-9]", "l": "[a-z0-9]", "v": "[A-Z0-9-]",
    "e": "[A-Za-z0-9_=.+/-]", "s": "[A-Za-z0-9_/=+.-]", "t": "[A-Za-z0-9.]",
}  # fmt: skip
# Of these, chance makes short ones; nothing of the same alphabet may go on behind them.
_EXACT = "UhHlda"
_MAX_FORM_CHARS = 4_096
# Not inside a word. What looks like one may be the rest of an escape: `\n`, `%3D`, `\u003d`, a colour without its ESC.
START = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9a-fA-F]{4})|(?<=\\x[0-9a-fA-F]{2})"
    r"|(?<=\[[\d;]{0,8}m)|(?<==3D))"
)
# Texts are cut here or later; what begins like a secret at the end of a shorter line is not the rest of one.
_CUT_CHARS = 100
_MIN_LOTTED, _MIN_WRAPPED, _MIN_REST = 12, 8, 6
_LETTER = re.compile("[A-Za-z0-9]")
_ALPHANUMERIC = regex.compile(r"[A-Za-z0-9]*+")
_LONG = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{24,4096}+")
_NOWHERE = sys.maxsize, sys.maxsize
# Fingerprints, public keys, certificates and pictures may be known, in base64 by how it begins; servers number requests
# and answers, and services calls.
_PUBLIC = regex.compile(
    r"""
      (?: \b(?:sha\d{1,3}(?:-\d{3})?|md5)[:\- ]
        | /(?:cache|blobs|snapshots|objects|archive-v\d)/ | \bssh-\w{1,40}[ ] | ;base64, ) [\w+/-]++
    | (?<![\w-]) [\w-]{0,40}(?:id(?:-2)?|etag|digest|checksum|fingerprint|image|audio|video)
        ["']?[:=][ ]?["']? (?:sha\d{1,3}:)? [\w+/-]++
    | (?-i: iVBORw0KGgo | /9j/ | R0lGOD | UklGR | JVBERi0 | AAAA[BCE]3NzaC1
        | LS0tLS1CRUdJTiB(?:DRVJU|QVUJMSUM) ) [\w+/-]++
    | (?<![\w-])(?: _Z | (?: (?:chat)?cmpl|req|resp|msg|call|run|file|batch|step|thread|asst|toolu|gen)[-_] ) [\w-]++
    """,
    regex.VERBOSE | regex.IGNORECASE,
)

Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class _Form:
    """A kind of secret that is known by how it begins.

    ``whole`` is all of it, ``begun`` one that was cut off at the end of a text. ``maybe_words`` says that ordinary
    names may look alike.
    """

    kind: str
    prefixes: tuple[str, ...]
    whole: "regex.Pattern[str]"
    begun: "regex.Pattern[str]"
    maybe_words: bool


@dataclass(frozen=True, slots=True)
class _Forms:
    """All forms, what finds their prefixes in one pass, and of each prefix its forms, the prefixes in order."""

    rows: tuple[_Form, ...]
    matcher: LiteralMatcher
    by_prefix: dict[str, list[int]]
    prefixes: tuple[str, ...]


def issued_secrets(view: str) -> Iterator[Span]:
    """Where secrets stand that begin with the prefix of a form (start, end, kind), or with the beginning of one."""
    forms = _forms()
    places: defaultdict[int, list[int]] = defaultdict(list)
    # One byte for each character: no prefix has another one.
    for end, number in forms.matcher.find(view.encode("ascii", "replace")):
        prefix = forms.prefixes[number]
        for form in forms.by_prefix[prefix]:
            places[form].append(end - len(prefix))
    for number, starts in sorted(places.items()):
        yield from _of_form(forms.rows[number], view, sorted(starts))


def random_tokens(text: str) -> Iterator[Span]:
    """Where tokens stand that chance made, and that nothing says to be public (start, end, kind)."""
    # Both are found from left to right: a line full of tokens is gone through but once.
    public, known = _PUBLIC.finditer(text), (0, 0)
    for found in _LONG.finditer(text):
        if is_secret(Name.NONE, Relation.ALONE, found[0]) and not is_plain_json(found[0]):
            while known[1] <= found.start():
                known = next((one.span() for one in public), _NOWHERE)
            if known[0] > found.start():
                yield *found.span(), "random token"


def is_plain_json(token: str) -> bool:
    """Whether it is JSON in base64 that holds no secret, as the launcher of DeepSpeed gives hosts and their devices."""
    if not token.startswith("eyJ"):
        return False
    try:
        text = base64.urlsafe_b64decode(token.rstrip("=") + "=" * (-len(token.rstrip("=")) % 4)).decode()
        json.loads(text)
    except (binascii.Error, ValueError):
        return False
    return drawn_by_lot(text) < MIN_HINTED


def begins_secret(text: str, rest: str) -> bool | None:
    """Whether ``rest`` goes on, on the next line, with the secret that a text ends in; None if it ends in none."""
    begun = _begun_form(text)
    if begun is None:
        return None
    form, first = begun
    if not form.maybe_words or drawn_by_lot(first) >= min(len(first), _MIN_WRAPPED):
        is_number = first.isdecimal() and len(first) < _MIN_REST
        are_capitals = first.isupper() and rest.isupper() and len(rest) >= _MIN_WRAPPED
        return not is_number and (drawn_by_lot(rest) >= _MIN_REST or is_no_word(rest) or are_capitals)
    # So little says nothing of itself: `9048`, `igmsbzkxu`.
    goes_on = _ALPHANUMERIC.match(rest)[0]  # type: ignore[index]  # (it fits the empty text too)
    is_rest = drawn_by_lot(goes_on) >= MIN_SIGNED or (goes_on.islower() and is_no_word(goes_on)) or is_by_chance(rest)
    return first.isalnum() and len(first) < _MIN_LOTTED and is_rest


def _of_form(form: _Form, view: str, places: Sequence[int]) -> Iterator[Span]:
    for found in matches_at(form.whole, view, places):
        rest = _behind_prefix(form, found[0])
        is_sure = not form.maybe_words or is_secret(Name.NONE, Relation.BEHIND_PREFIX, rest)
        if is_sure and not is_plain_json(found[0]):
            yield *found.span(), form.kind
    for found in matches_at(form.begun, view, places):
        drawn = drawn_by_lot(_behind_prefix(form, found[0]))
        is_told_short = drawn >= _MIN_WRAPPED and view.startswith(("...", "…"), found.end())
        far = found.start() - _CUT_CHARS
        if is_told_short or (drawn and far >= 0 and "\n" not in view[far : found.start()]):
            yield *found.span(), form.kind


def _behind_prefix(form: _Form, text: str) -> str:
    return text[max((len(prefix) for prefix in form.prefixes if text.startswith(prefix)), default=0) :]


def _begun_form(text: str) -> tuple[_Form, str] | None:
    """The first and longest form whose beginning a text of no blanks ends in, and what stands behind its prefix."""
    forms, begun = _forms(), None
    for end, number in forms.matcher.find(text.encode("ascii", "replace")):
        prefix = forms.prefixes[number]
        start = end - len(prefix)
        is_first = begun is None or (start, -end) < begun[:2]
        if is_first and not _LETTER.match(text, max(0, start - 1), start):
            begun = start, -end, prefix
    return None if begun is None else (forms.rows[forms.by_prefix[begun[2]][0]], text[-begun[1] :])


@cache
def _forms() -> _Forms:
    rows = tuple(_form(*row) for row in packaged_table("logrules.tools.bundle", "secret_forms.toml")["forms"])
    by_prefix: defaultdict[str, list[int]] = defaultdict(list)
    for number, form in enumerate(rows):
        for prefix in form.prefixes:
            by_prefix[prefix].append(number)
    matcher = matcher_of([(prefix.encode(), number, False) for number, prefix in enumerate(by_prefix)])
    return _Forms(rows, matcher, dict(by_prefix), tuple(by_prefix))


def _form(kind: str, prefixes: str, alphabet: str, least: int, most: int) -> _Form:
    # Only one prefix ends in a blank: it stands alone in its row.
    starts = (prefixes,) if prefixes.endswith(" ") else tuple(prefixes.split())
    either = "|".join(regex.escape(start, special_only=True) for start in starts)
    letters = _ALPHABETS[alphabet]
    behind = rf"(?!-?{_ALPHABETS['h']})" if alphabet == "H" else rf"(?!{letters})"
    head = rf"{START}(?:{either})"
    secret = rf"{head}{letters}{{{least},{most or _MAX_FORM_CHARS}}}{behind if most and alphabet in _EXACT else ''}"
    begun = rf"{head}{letters}*(?=…|\.\.\.|\\*[\"']|$)"
    return _Form(kind, starts, regex.compile(secret), regex.compile(begun, regex.MULTILINE), alphabet == "W")
