"""Lines of a screen: how much room a text takes, cut to what there is; in colours on a terminal, bare in a pipe."""

import os
from collections.abc import Sequence
from enum import StrEnum
from itertools import takewhile
from operator import eq
from typing import IO, TYPE_CHECKING, Literal, TextIO, TypeAlias
from unicodedata import east_asian_width

from logrules.model.late_pattern import late_pattern

if TYPE_CHECKING:
    from rich.console import Console

_TAB = 8
# The width for which a report of one screen is laid out.
COLUMNS = 100
_LONGEST_SENTENCE = 3 * COLUMNS
# Fewer letters and digits than these say nothing beside another line: rulers, brackets, the rest of a bar.
_LEAST_SAID = 3
# More of one sign than anybody reads.
_REPEATED = late_pattern(r"([^\w.])\1{9,}")
_SENTENCE_END = late_pattern(r"(?<=[.!?])\s+|(?<=[。！？])")


def columns_of(text: str) -> int:
    """The columns of a terminal that the text takes; characters of East Asian scripts take two."""
    if text.isascii():
        return len(text.expandtabs(_TAB))
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text.expandtabs(_TAB))


def lines_taken(indent: int, text: str, columns: int, hang: int = 0) -> int:
    """The lines that the text takes of so many columns behind its indent and, from the second on, ``hang``."""
    room = max(columns - indent - hang, 1)
    return max(1, -(-(columns_of(text) - hang) // room))


def clipped(text: str, columns: int) -> str:
    """The text, cut with an ellipsis where it takes more columns than these."""
    if columns_of(text) <= columns:
        return text
    kept, used = [], 1
    for char in text.expandtabs(_TAB):
        used += columns_of(char)
        if used > columns:
            break
        kept.append(char)
    return "".join(kept) + "…"


def shortened(text: str, columns: int) -> str:
    """The text of a person, cut between two words where it takes more columns than these."""
    cut = clipped(text, columns)
    whole, blank, _ = cut.rpartition(" ")
    return f"{whole} …" if cut != text and blank and columns_of(whole) > columns // 2 else cut


def first_sentences(text: str, columns: int) -> str:
    """As many whole sentences as fit into so many columns, at least one: only one that nobody would read is cut."""
    shown = ""
    for sentence_of in _SENTENCE_END.split(text.strip()):
        joined = f"{shown} {sentence_of}" if shown and shown[-1].isascii() else shown + sentence_of
        if columns_of(joined) > columns and shown:
            break
        shown = joined
    return shortened(shown, max(columns, _LONGEST_SENTENCE))


def condensed(line: str) -> str:
    """The line with what a bar or a ruler repeats said once, so that there is room for what stands behind it."""
    return _REPEATED.sub(lambda run: run[1] * 3 + "…", line.strip())


def says_something(line: str, beside: str) -> bool:
    """Whether a line is worth showing beside another: it has words of its own behind what both begin with."""
    shared = sum(takewhile(bool, map(eq, line, beside)))
    return sum(map(str.isalnum, line[shared:])) >= _LEAST_SAID


# A text and the style in which a terminal shows it.
StyledText: TypeAlias = tuple[str, str]
_FEWEST = 80
# Narrower than this nothing can be read.
_LEAST_COLUMNS = 10


class Page:
    """Lines on what is no terminal: bare, of any length. Texts must be free of control characters.

    ``used`` are the lines that a screen of so many ``columns`` needs for what was written.
    """

    columns = COLUMNS

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self.used = 0

    def taken(self, indent: int, parts: Sequence[StyledText], hang: int = 0) -> int:
        """The lines of a screen that a line would take."""
        return lines_taken(indent, "".join(text for text, _ in parts), self.columns, hang)

    def put(self, indent: int, parts: Sequence[StyledText], hang: int = 0) -> None:
        """Write a line; a terminal breaks it under its indent and what stands in the first ``hang`` columns."""
        self.used += self.taken(indent, parts, hang)
        self._write(indent, parts, hang)

    def put_whole(self, indent: int, part: StyledText) -> None:
        """Write a line that is to be copied: it is never broken."""
        self.used += self.taken(indent, [part])
        self._write_whole(indent, part)

    def _write(self, indent: int, parts: Sequence[StyledText], _hang: int) -> None:
        line = " " * indent + "".join(text for text, _ in parts)
        self._out.write(f"{line.expandtabs(_TAB)}\n")

    def _write_whole(self, indent: int, part: StyledText) -> None:
        self._write(indent, [part], 0)


class Color(StrEnum):
    """When colours are used: as on a terminal where ``out`` is one, or whatever it is."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


def page_on(out: TextIO, color: str = Color.AUTO) -> Page:
    """A page on a terminal, or on what is none, with colours as the user wants them."""
    is_terminal = hasattr(out, "isatty") and out.isatty()
    return TerminalPage(console_on(out, color)) if is_terminal or _is_forced(color) else Page(out)


def console_on(out: TextIO, color: str = Color.AUTO, width: int | None = None) -> "Console":
    """What rich writes with. An option goes before ``NO_COLOR``, that before those that force colours."""
    from rich.console import Console

    systems: dict[str, Literal["auto", "standard"]] = {Color.AUTO: "auto", Color.ALWAYS: "standard"}
    return Console(
        file=out, width=width, force_terminal=_is_forced(color) or None, color_system=systems.get(color),
        no_color=False if color == Color.ALWAYS else None, highlight=False, markup=False, emoji=False,
    )  # fmt: skip


def _is_forced(color: str) -> bool:
    """Whether what is no terminal gets what one would."""
    forced = os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0")
    return color == Color.ALWAYS or (color == Color.AUTO and bool(forced))


class TerminalPage(Page):
    """A page on a terminal that rich knows: no wider than anybody reads, nor too narrow for a screen of it."""

    def __init__(self, console: "Console") -> None:
        super().__init__(console.file)
        self._console = console
        self.columns = max(min(console.width, COLUMNS), _FEWEST)

    def _write(self, indent: int, parts: Sequence[StyledText], hang: int) -> None:
        """Break it under its indent; without blanks at the ends of its lines, which would be copied with them."""
        from rich.text import Text

        sign, said = Text.assemble(*parts, tab_size=_TAB).divide([hang]) if hang else (Text(), Text.assemble(*parts))
        lines = said.wrap(self._console, max(self._console.width - indent - hang, _LEAST_COLUMNS), tab_size=_TAB)
        for number, line in enumerate(lines or [said]):
            line.rstrip()
            line = line[len(line.plain) - len(line.plain.lstrip()) :] if number else line  # noqa: PLW2901
            self._console.print(Text(" " * indent) + (Text(" " * hang) if number else sign) + line, soft_wrap=True)

    def _write_whole(self, indent: int, part: StyledText) -> None:
        from rich.text import Text

        self._console.print(Text(" " * indent + part[0], style=part[1]), soft_wrap=True)
