"""Where secrets stand that have a form of their own, or are known by what stands round them: whole, cut, wrapped."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import takewhile

import regex

from logrules.tools.bundle.name_places import matches_at, places_of
from logrules.tools.bundle.random_tokens import is_plain_json
from logrules.tools.bundle.secret_forms import MAX_FORM_CHARS, Form, secret_forms, surrounded_forms
from logrules.tools.bundle.secret_looks import (
    MIN_SIGNED,
    drawn_by_lot,
    is_by_chance,
    is_no_word,
    is_nothing,
)
from logrules.tools.bundle.text_view import TextView

# Texts are cut here or later; what begins like a secret at the end of a shorter line is not the rest of one.
_CUT_CHARS = 100
_MIN_LOTTED = 12
_MIN_WRAPPED = 8
_ALPHANUMERIC = regex.compile(r"[A-Za-z0-9]*+")

Span = tuple[int, int, str]


def secrets_of_forms(view: str, joined: TextView) -> Iterator[Span]:
    """Where they stand in the view (start, end, kind), also where ``joined``, the same in one line, has them."""
    yield from ((*match.span(group), kind) for kind, match, group in _surrounded(view))
    for form in secret_forms():
        yield from _of_form(form, view)
        if len(joined.starts) > 1:
            yield from _of_wrapped(form, joined)
    for kind, match, group in _surrounded(joined.text) if len(joined.starts) > 1 else ():
        is_wrapped = len(joined.spans(match.start(), match.end() + 1)) > 1
        if is_wrapped and match.end(group) > match.start(group) and not is_nothing(match[group]):
            yield from ((*part, kind) for part in _drawn_parts(view, joined.spans(*match.span(group))))


def _surrounded(view: str) -> Iterator[tuple[str, "regex.Match[str]", int | str]]:
    """What is known by what stands round it: kind, match, and the group that is the secret."""
    lower = view.lower()
    for kind in surrounded_forms():
        if kind.hint in lower:
            group = "secret" if "secret" in kind.pattern.groupindex else 0
            yield from ((kind.name, found, group) for found in kind.pattern.finditer(view))


def _drawn_parts(view: str, parts: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The first part and those that go on with it, up to the first that may be a word of another line."""
    yield parts[0]
    yield from takewhile(lambda part: drawn_by_lot(view[slice(*part)]) >= _MIN_WRAPPED, parts[1:])


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


def _of_wrapped(form: Form, joined: TextView) -> Iterator[Span]:
    """Secrets of the form that lines are wrapped in the middle of, a span a line."""
    text = joined.text
    for begin, stop in _wrapped(form, joined):
        parts = joined.spans(begin, stop)
        size = parts[0][1] - parts[0][0]
        first, rest = text[begin : begin + size], text[begin + size : stop]
        if len(parts) == 1 or (form.maybe_words and _is_name(_behind_prefix(form, first), rest)):
            continue
        place = begin
        for start, end in parts:
            piece = text[place : place + end - start]
            # A whole secret that the next line's first word seems to go on.
            if place - begin >= form.least and drawn_by_lot(piece) < _MIN_WRAPPED:
                break
            yield start, end, form.name
            place += end - start


def _wrapped(form: Form, joined: TextView) -> Iterator[tuple[int, int]]:
    places = places_of(form.prefixes, joined.text)
    yield from (found.span() for found in _found(form, form.wrapped, joined.text, places))
    for place in places if form.begins_with_prefix else ():
        at = bisect_right(joined.starts, place)
        if joined.starts[at - 1] != place or at == len(joined.starts):
            continue
        # What begins a line is no part of the last word of the line before.
        found = form.wrapped.match(joined.text[place : place + MAX_FORM_CHARS])
        if (
            found is not None
            and drawn_by_lot(_behind_prefix(form, joined.text[place : joined.starts[at]])) >= _MIN_WRAPPED
        ):
            yield place, place + found.end()


def _is_name(first: str, rest: str) -> bool:
    """Whether what ends a line is a name and no beginning of what stands on the next, which may be drawn by lot."""
    if drawn_by_lot(first) >= min(len(first), _MIN_WRAPPED) or is_by_chance(rest):
        return False
    # So little says nothing of itself: `9048`, `igmsbzkxu`.
    goes_on = _ALPHANUMERIC.match(rest)[0]  # type: ignore[index]  # (it fits the empty text too)
    is_short = first.isalnum() and len(first) < _MIN_LOTTED
    return not (is_short and (drawn_by_lot(goes_on) >= MIN_SIGNED or (goes_on.islower() and is_no_word(goes_on))))


def _behind_prefix(form: Form, text: str) -> str:
    return text[max((len(prefix) for prefix in form.prefixes if text.startswith(prefix)), default=0) :]
