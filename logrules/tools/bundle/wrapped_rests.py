"""What goes on below a secret that the end of a line cut in two."""

from collections.abc import Iterable, Iterator

import regex

from logrules.tools.bundle.secret_looks import drawn_by_lot, has_mixture
from logrules.tools.bundle.text_view import TextView

_REST = regex.compile(r"[\w+/.~@#$!%^&*-]++={0,2}+(?=[\s\"'`,;)\]}]|$)")
# The rest of a quoted value, up to where its quote is closed.
_QUOTED_REST = regex.compile(r"[^\s\"'`]{1,400}+(?=[\"'`])")
_MIN_DRAWN = 6
# A line that is as long as a terminal is wide, or as the line before it, was cut there, whatever it goes on with.
_TERMINAL = 80
_MIN_WIDTH = 30

# A box is cut where no more than its padding parts a text from its frame.
_FRAMED = regex.compile(r" ?[|│┃](?: ?[|│┃])?(?=\n)")
# So is a message of rich, by the place in the source that stands behind it.
_BESIDE_SOURCE = regex.compile(r" \w[\w.]{0,60}\.py:\d{1,6}[ \t]*(?=\n)")
_QUOTES = frozenset("\"'`")

Span = tuple[int, int, str]


def wrapped_rests(view: str, joined: TextView, secrets: Iterable[Span]) -> Iterator[Span]:
    """The rests (start, end, kind) of those ``secrets`` that end where ``joined`` goes on."""
    behind = dict(zip((end for _, end in joined.origins), joined.origins[1:], strict=False))
    for start, secret_end, kind in secrets:
        end, quote = secret_end, view[start - 1 : start]
        while (goes_on := behind.pop(end, None)) is not None:
            rest = _rest(view, goes_on, quote)
            if rest is None or not (
                (quote in _QUOTES and view[rest.end() : rest.end() + 1] == quote)
                or drawn_by_lot(rest[0]) >= _MIN_DRAWN
                or (_is_below_a_head(view, end, goes_on[0]) and has_mixture(rest[0]))
                or is_cut_at_width(view, end)
            ):
                break
            yield *rest.span(), kind
            end = rest.end()


def _rest(view: str, goes_on: tuple[int, int], quote: str) -> "regex.Match[str] | None":
    closed = _QUOTED_REST.match(view, *goes_on) if quote in _QUOTES else None
    return closed if closed is not None and view[closed.end()] == quote else _REST.match(view, *goes_on)


def _is_below_a_head(view: str, end: int, start: int) -> bool:
    """Whether lines that begin alike go on here, and the first one is long enough to have been cut."""
    return view[start - 1] != "\n" and end - view.rfind("\n", 0, end) > _MIN_WIDTH


def is_cut_at_width(view: str, end: int) -> bool:
    """Whether the line in which a text ends was cut there: it is as wide as a terminal, its neighbour or its frame."""
    line = view.rfind("\n", 0, end) + 1
    before = view.rfind("\n", 0, max(0, line - 1)) + 1
    stop = view.find("\n", end)
    if _BESIDE_SOURCE.match(view, end):
        return True
    if (frame := _FRAMED.match(view, end)) is not None:
        return frame.end() - line == view.find("\n", frame.end() + 1) - frame.end() - 1
    width = len(view[line:stop].rstrip("\r"))
    return width == _TERMINAL or (width >= _MIN_WIDTH and line > 0 and width == line - 1 - before)
