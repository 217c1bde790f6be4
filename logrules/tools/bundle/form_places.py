"""Where secrets stand that have a form of their own, or are known by what stands round them: whole or cut."""

from collections.abc import Iterator
from functools import cache

import regex

from logrules.tools.bundle.name_places import matches_at, places_of
from logrules.tools.bundle.random_tokens import is_plain_json
from logrules.tools.bundle.secret_forms import Form, secret_forms, surrounded_forms
from logrules.tools.bundle.secret_looks import MIN_SIGNED, drawn_by_lot, is_by_chance, is_no_word

# Texts are cut here or later; what begins like a secret at the end of a shorter line is not the rest of one.
_CUT_CHARS = 100
_MIN_LOTTED = 12
_MIN_WRAPPED, _MIN_REST = 8, 6
_ALPHANUMERIC = regex.compile(r"[A-Za-z0-9]*+")

Span = tuple[int, int, str]


def secrets_of_forms(view: str) -> Iterator[Span]:
    """Where they stand in the view (start, end, kind)."""
    yield from ((*match.span(group), kind) for kind, match, group in _surrounded(view))
    for form in secret_forms():
        yield from _of_form(form, view)


def _surrounded(view: str) -> Iterator[tuple[str, "regex.Match[str]", int | str]]:
    """What is known by what stands round it: kind, match, and the group that is the secret."""
    lower = view.lower()
    for kind in surrounded_forms():
        if kind.hint in lower:
            group = "secret" if "secret" in kind.pattern.groupindex else 0
            yield from ((kind.name, found, group) for found in kind.pattern.finditer(view))


def _of_form(form: Form, view: str) -> Iterator[Span]:
    places = places_of(form.prefixes, view)
    for found in _found(form, form.pattern, view, places):
        is_secret = not form.maybe_words or drawn_by_lot(_behind_prefix(form, found[0])) >= _MIN_LOTTED
        if is_secret and not is_plain_json(found[0]):
            yield *found.span(), form.name
    for found in matches_at(form.beginning, view, places):
        drawn = drawn_by_lot(_behind_prefix(form, found[0]))
        is_told_short = drawn >= _MIN_WRAPPED and view.startswith(("...", "…"), found.end())
        far = found.start() - _CUT_CHARS
        if is_told_short or (drawn and far >= 0 and "\n" not in view[far : found.start()]):
            yield *found.span(), form.name


def _found(form: Form, pattern: "regex.Pattern[str]", text: str, places: list[int]) -> Iterator["regex.Match[str]"]:
    if form.begins_with_prefix:
        return matches_at(pattern, text, places)
    return pattern.finditer(text) if places else iter(())


def _behind_prefix(form: Form, text: str) -> str:
    return text[max((len(prefix) for prefix in form.prefixes if text.startswith(prefix)), default=0) :]


def begins_secret(text: str, rest: str) -> bool | None:
    """Whether ``rest`` goes on, on the next line, with the secret that a text ends in; None if it ends in none."""
    found = _begun().search(text)
    form = next((form for form in secret_forms() if found and found["prefix"] in form.prefixes), None)
    if found is None or form is None:
        return None
    first, drawn = found["first"], drawn_by_lot(found["first"])
    if not form.maybe_words or drawn >= min(len(first), _MIN_WRAPPED):
        is_number = first.isdecimal() and len(first) < _MIN_REST
        are_capitals = first.isupper() and rest.isupper() and len(rest) >= _MIN_WRAPPED
        return not is_number and (drawn_by_lot(rest) >= _MIN_REST or is_no_word(rest) or are_capitals)
    # So little says nothing of itself: `9048`, `igmsbzkxu`.
    goes_on = _ALPHANUMERIC.match(rest)[0]  # type: ignore[index]  # (it fits the empty text too)
    is_rest = drawn_by_lot(goes_on) >= MIN_SIGNED or (goes_on.islower() and is_no_word(goes_on)) or is_by_chance(rest)
    return first.isalnum() and len(first) < _MIN_LOTTED and is_rest


@cache
def _begun() -> "regex.Pattern[str]":
    """What ends in the beginning of a secret of a form."""
    prefixes = {prefix for form in secret_forms() if form.begins_with_prefix for prefix in form.prefixes}
    either = "|".join(regex.escape(prefix) for prefix in sorted(prefixes, key=len, reverse=True))
    return regex.compile(rf"(?<![A-Za-z0-9])(?P<prefix>{either})(?P<first>[\w+/=.~-]*)$")
