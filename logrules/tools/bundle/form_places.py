"""Where secrets stand that have a form of their own, or are known by what stands round them: whole or cut."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

import regex

from logrules.parsing.literal_matcher import LiteralMatcher, matcher_of
from logrules.tools.bundle.looks import MIN_SIGNED, drawn_by_lot, is_by_chance, is_no_word
from logrules.tools.bundle.name_places import matches_at
from logrules.tools.bundle.random_tokens import is_plain_json
from logrules.tools.bundle.score import Name, Place, is_secret
from logrules.tools.bundle.secret_forms import Form, odd_secrets, secret_forms, surrounded_secrets

# Texts are cut here or later; what begins like a secret at the end of a shorter line is not the rest of one.
_CUT_CHARS = 100
_MIN_LOTTED = 12
_MIN_WRAPPED, _MIN_REST = 8, 6
# No prefix is shorter.
_SHORTEST = 2
_WORD_START = re.compile(r"(?<![A-Za-z0-9]).", re.DOTALL)
_ALPHANUMERIC = regex.compile(r"[A-Za-z0-9]*+")

Span = tuple[int, int, str]


def secrets_of_forms(view: str) -> Iterator[Span]:
    """Where they stand in the view (start, end, kind)."""
    yield from surrounded_secrets(view)
    yield from secrets_of_prefixes(view)
    yield from (found for found in odd_secrets(view) if not is_plain_json(view[found[0] : found[1]]))


def secrets_of_prefixes(view: str) -> Iterator[Span]:
    """Where secrets stand that begin with the prefix of a form (start, end, kind), or with the beginning of one."""
    by_form: defaultdict[int, list[int]] = defaultdict(list)
    for place, _, forms in _prefix_places(view):
        for form in forms:
            by_form[form].append(place)
    for form, starts in sorted(by_form.items()):
        yield from _of_form(secret_forms()[form], view, sorted(starts))


def _prefix_places(view: str) -> Iterator[tuple[int, int, list[int]]]:
    """Where prefixes of forms begin and end, and whose they are."""
    matcher, forms, lengths = _matcher()
    # One byte for each character: no prefix has another one.
    for end, number in matcher.find(view.encode("ascii", "replace")):
        yield end - lengths[number], end, forms[number]


@cache
def _matcher() -> tuple[LiteralMatcher, list[list[int]], list[int]]:
    """What finds all prefixes in one pass, and of each prefix its forms and its length."""
    forms: defaultdict[str, list[int]] = defaultdict(list)
    for number, form in enumerate(secret_forms()):
        for prefix in form.prefixes:
            forms[prefix].append(number)
    literals = [(prefix.encode(), number, False) for number, prefix in enumerate(forms)]
    return matcher_of(literals), [*forms.values()], [*map(len, forms)]


def _of_form(form: Form, view: str, places: Sequence[int]) -> Iterator[Span]:
    for found in matches_at(form.pattern, view, places):
        rest = _behind_prefix(form, found[0])
        if (not form.maybe_words or is_secret(Name.NONE, Place.BEHIND_PREFIX, rest)) and not is_plain_json(found[0]):
            yield *found.span(), form.name
    for found in matches_at(form.beginning, view, places):
        drawn = drawn_by_lot(_behind_prefix(form, found[0]))
        is_told_short = drawn >= _MIN_WRAPPED and view.startswith(("...", "…"), found.end())
        far = found.start() - _CUT_CHARS
        if is_told_short or (drawn and far >= 0 and "\n" not in view[far : found.start()]):
            yield *found.span(), form.name


def _behind_prefix(form: Form, text: str) -> str:
    return text[max((len(prefix) for prefix in form.prefixes if text.startswith(prefix)), default=0) :]


def begins_secret(text: str, rest: str) -> bool | None:
    """Whether ``rest`` goes on, on the next line, with the secret that a text ends in; None if it ends in none."""
    begun = _begun_form(text)
    if begun is None:
        return None
    form, first = begun
    drawn = drawn_by_lot(first)
    if not form.maybe_words or drawn >= min(len(first), _MIN_WRAPPED):
        is_number = first.isdecimal() and len(first) < _MIN_REST
        are_capitals = first.isupper() and rest.isupper() and len(rest) >= _MIN_WRAPPED
        return not is_number and (drawn_by_lot(rest) >= _MIN_REST or is_no_word(rest) or are_capitals)
    # So little says nothing of itself: `9048`, `igmsbzkxu`.
    goes_on = _ALPHANUMERIC.match(rest)[0]  # type: ignore[index]  # (it fits the empty text too)
    is_rest = drawn_by_lot(goes_on) >= MIN_SIGNED or (goes_on.islower() and is_no_word(goes_on)) or is_by_chance(rest)
    return first.isalnum() and len(first) < _MIN_LOTTED and is_rest


def _begun_form(text: str) -> tuple[Form, str] | None:
    """The form whose beginning a text of no blanks ends in, and what stands behind its prefix."""
    starts = _prefixes()
    for found in _WORD_START.finditer(text):
        at = found.start()
        for prefix, form in starts.get(text[at : at + _SHORTEST], ()):
            if text.startswith(prefix, at):
                return form, text[at + len(prefix) :]
    return None


@cache
def _prefixes() -> dict[str, list[tuple[str, Form]]]:
    """Prefixes with their forms, the longest first, by their first characters."""
    by_start: defaultdict[str, list[tuple[str, Form]]] = defaultdict(list)
    for form in secret_forms():
        for prefix in form.prefixes:
            by_start[prefix[:_SHORTEST]].append((prefix, form))
    for those in by_start.values():
        those.sort(key=lambda one: -len(one[0]))
    return dict(by_start)
