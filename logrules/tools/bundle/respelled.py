r"""Lines as they read once escapes are resolved and the parts of a quoted text are joined.

Secrets that were spelt otherwise (`\u0068f_…`, `"hf_" + "…"`, `%68f_…`) look there like what they are.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import regex

# Between parts of one text, as languages and shells join them: side by side, by a sign, on the next line, as
# arguments of what joins them, by a second assignment, and by what fills a gap.
_QUOTE = r"""\\*["'`]"""
_JOINT = rf"""
    (?<=[\w+/=.~-])
    (?: {_QUOTE} [ \t]{{0,40}} (?: \.\.? | [+&] | \|\| | \\ )?+
          (?: [ \t]{{0,40}} \r?\n [ \t]{{1,40}} | [ \t]{{0,40}} ) [bBrRfFuU]{{0,2}} {_QUOTE}
      | (?<=(?:\bconcat\w*!?|\bjoin|\bpaste\w?)\([^\n()]{{0,200}}) {_QUOTE} \s?,\s? {_QUOTE}
      | {_QUOTE}? \s?;\s? \$?\w{{1,40}} \s? [+.]= \s? {_QUOTE}?
      | %s {_QUOTE} \s? % \s? \(? {_QUOTE}
    )
    (?=[\w+/=.~-])
"""
_SPELT = regex.compile(
    rf"""
      (?<!\\) \\++ (?:
          u \{{ (?P<hex>[0-9a-fA-F]{{2,6}}) \}} | u (?P<hex>[0-9a-fA-F]{{4}}) | x (?P<hex>[0-9a-fA-F]{{2}})
        | (?P<octal>[01][0-7]{{2}}) | (?P<escape>) (?=[_.~-]) )
    | % (?:25){{0,2}}+ (?P<hex>[2-7][0-9a-fA-F]) (?<=5[fF]|2[dDeE]|3\d|4[1-9a-fA-F]|5[0-9aA]|6[1-9a-fA-F]|7[0-9aA])
    | & (?:amp;)?+ \# (?: [xX] (?P<hex>[0-9a-fA-F]{{2,5}}) | (?P<decimal>\d{{2,6}}) ) ;
    | (?: (?<= =[0-9A-F]{{2}} ) = (?P<hex>[2-7][0-9A-F]) | = (?P<hex>[2-7][0-9A-F]) (?= =[2-7][0-9A-F] ) )
    | (?P<joint> {_JOINT} )
    """,
    regex.VERBOSE,
)
_BASES = {"hex": 16, "octal": 8, "decimal": 10}
_LAST_OF_ALL = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Respelled:
    """A text of pieces: where each begins in it, and from where to where it stands in what it is a view of."""

    text: str
    starts: tuple[int, ...]
    origins: tuple[tuple[int, int], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of this text stands in the other one."""
        first, last = (bisect_right(self.starts, place) - 1 for place in (start, end - 1))
        is_whole = last + 1 < len(self.starts) and self.starts[last + 1] == end
        behind = self.origins[last][1] if is_whole else self.origins[last][0] + end - self.starts[last]
        return self.origins[first][0] + start - self.starts[first], behind


def respelled(view: str) -> Respelled | None:
    """The lines in which something is spelt otherwise, each with the one before it; None if there are none."""
    pieces = list(_pieces(view))
    starts = accumulate((len(text) for text, _, _ in pieces), initial=0)
    origins = tuple((start, end) for _, start, end in pieces)
    return Respelled("".join(text for text, _, _ in pieces), tuple(starts)[:-1], origins) if pieces else None


def _pieces(view: str) -> Iterator[tuple[str, int, int]]:
    """Texts that are not empty, with where they stand in the view."""
    last = line_end = 0
    for found in _SPELT.finditer(view):
        char = _char(found)
        if char is None:
            continue
        if found.start() >= line_end:
            if line_end:
                yield view[last:line_end] + "\n\n", last, line_end
            line = view.rfind("\n", 0, found.start())
            last = max(line_end, view.rfind("\n", 0, max(0, line)) + 1)
        if last < found.start():
            yield view[last : found.start()], last, found.start()
        if char:
            yield char, found.start(), found.end()
        last = found.end()
        line_end = view.find("\n", last)
        line_end = len(view) if line_end < 0 else line_end
    if line_end:
        yield view[last:line_end] + "\n", last, line_end


def _char(found: "regex.Match[str]") -> str | None:
    """What is meant: a character, nothing where parts are joined, None for what no secret has."""
    if found["joint"] is not None or found["escape"] is not None:
        return ""
    code = next(int(found[name], base) for name, base in _BASES.items() if found[name] is not None)
    char = chr(code) if code <= _LAST_OF_ALL else "\0"
    return char if char.isprintable() and not char.isspace() else None
