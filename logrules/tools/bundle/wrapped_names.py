"""Values beside names that the end of a line parts from them, or that it cuts in two."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import regex

from logrules.tools.bundle.name_places import ANY_NAME, MAX_NAME_CHARS
from logrules.tools.bundle.named_values import named_secrets
from logrules.tools.bundle.secret_looks import MIN_HINTED, drawn_by_lot, is_nothing
from logrules.tools.bundle.text_view import TextView
from logrules.tools.bundle.wrapped_rests import is_cut_at_width

Span = tuple[int, int, str]

# So far behind where a name begins its value begins at the latest, or is cut in front of what shows what it is.
_MAX_CHARS = MAX_NAME_CHARS + 24
_MIN_WIDTH = 30
# How a line begins that goes on with a name: the rest of it, and a sign, a comma or a blank.
_REST_OF_NAME = regex.compile(r"[A-Za-z_.-]{1,40}+(?:[\"'`]?+[ \t]?+[=:,]|[ \t])")
_IN_NAME = regex.compile(r"[A-Za-z_.-]")
# A line that sets another name to a value goes on with nothing.
_OWN_NAME = regex.compile(r"[A-Za-z_][\w.-]{0,60}+[\"']?[ \t]?[=:](?!=*$)")


def values_of_wrapped_names(view: str, joined: TextView, places: Sequence[int]) -> Iterator[Span]:
    """Where they stand in the view (start, end, kind), a span a line; ``places`` are those of the names in it."""
    if len(joined.starts) == 1:
        return
    parted = dict.fromkeys(_parted(joined, places), False)
    cut = dict.fromkeys(_cut(joined), True)
    both = sorted((parted | cut).items())
    starts = [place for place, _ in both]
    for start, end, kind in named_secrets(joined.text, starts):
        parts = joined.spans(start, end)
        at = bisect_right(starts, start) - 1
        piece = bisect_right(joined.starts, start) - 1
        # A sign that the end of a line cuts in two says as much as a name that it cuts.
        is_quoted = joined.starts[piece] == start and joined.text[start - 1] in "\"'"
        begun = joined.text[joined.starts[piece] : start]
        is_sure = (
            both[at][1] or is_quoted or (starts[at] < joined.starts[piece] < start and not any(map(str.isalnum, begun)))
        )
        kept = _kept(view, parts, is_sure=is_sure, is_rest=joined.starts[piece] == start)
        yield from ((*part, kind) for part in kept)


def _kept(view: str, parts: list[tuple[int, int]], *, is_sure: bool, is_rest: bool) -> list[tuple[int, int]]:
    """The parts of a value up to the first that is rather what another line begins with."""
    kept: list[tuple[int, int]] = []
    if not is_rest and is_nothing(view[slice(*parts[0])]):
        return kept
    for number, (start, end) in enumerate(parts):
        if number or (is_rest and not is_sure):
            break_at = parts[number - 1][1] if number else view.rfind("\n", 0, start)
            if _OWN_NAME.match(view, start, end) or not _goes_on(view, start, end, break_at):
                break
        kept.append((start, end))
    # A value that ends with its line is found in the line.
    return kept if is_sure or is_rest or len(kept) > 1 else []


def _goes_on(view: str, start: int, end: int, break_at: int) -> bool:
    """Whether what begins a line is the rest of the one before, which is long, rather than a word of its own."""
    width = break_at - view.rfind("\n", 0, break_at) - 1
    is_drawn = width >= _MIN_WIDTH and drawn_by_lot(view[start:end]) >= MIN_HINTED
    return is_drawn or is_cut_at_width(view, break_at)


def _parted(joined: TextView, places: Sequence[int]) -> Iterator[int]:
    """Where names stand in the joined text behind which, or a short piece of a value further, a line ends."""
    origins = [start for start, _ in joined.origins]
    for place in places:
        at = bisect_right(origins, place) - 1
        if at + 1 < len(origins) and 0 <= joined.origins[at][1] - place <= _MAX_CHARS:
            yield joined.starts[at] + place - origins[at]


def _cut(joined: TextView) -> Iterator[int]:
    """Where names stand in the joined text in which a line ends."""
    text = joined.text
    for joint in joined.starts[1:]:
        rest = _REST_OF_NAME.match(text, joint) if _IN_NAME.match(text, joint - 1) else None
        if rest is None:
            continue
        for found in ANY_NAME.finditer(text, max(0, joint - MAX_NAME_CHARS), rest.end(), overlapped=True):
            if found.start() < joint < found.end():
                yield found.start()
