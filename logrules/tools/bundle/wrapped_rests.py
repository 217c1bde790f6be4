"""What goes on below a secret that the end of a line cut in two."""

from collections.abc import Iterable, Iterator

import regex

from logrules.tools.bundle.secret_looks import drawn_by_lot
from logrules.tools.bundle.text_view import TextView

_REST = regex.compile(r"[\w+/.~@#$!%^&*-]++={0,2}+(?=[\s\"'`,;)\]}]|$)")
_MIN_DRAWN = 6
# A line that is as long as a terminal is wide, or as the line before it, was cut there, whatever it goes on with.
_TERMINAL = 80
_MIN_WIDTH = 60

Span = tuple[int, int, str]


def wrapped_rests(view: str, joined: TextView, secrets: Iterable[Span]) -> Iterator[Span]:
    """The rests (start, end, kind) of those ``secrets`` that end where ``joined`` goes on."""
    behind = dict(zip((end for _, end in joined.origins), joined.origins[1:], strict=False))
    for _, secret_end, kind in secrets:
        end = secret_end
        while (goes_on := behind.pop(end, None)) is not None:
            rest = _REST.match(view, *goes_on)
            if rest is None or not (drawn_by_lot(rest[0]) >= _MIN_DRAWN or _is_cut_at_width(view, end)):
                break
            yield *rest.span(), kind
            end = rest.end()


def _is_cut_at_width(view: str, end: int) -> bool:
    line = view.rfind("\n", 0, end) + 1
    before = view.rfind("\n", 0, max(0, line - 1)) + 1
    width = len(view[line : view.find("\n", end)].rstrip("\r"))
    return width == _TERMINAL or (width >= _MIN_WIDTH and line > 0 and width == line - 1 - before)
