"""Lines in colours on a terminal, and bare text in a pipe, which needs nothing that is slow to load."""

import os
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, TextIO, TypeAlias

from logrules.output.display_width import COLUMNS, lines_taken

if TYPE_CHECKING:
    from rich.console import Console

# A text and the style in which a terminal shows it.
StyledText: TypeAlias = tuple[str, str]
_TAB = 8
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


def page_on(out: TextIO) -> Page:
    """A page on a terminal, or on what is none. ``FORCE_COLOR`` makes a terminal of anything."""
    if os.environ.get("FORCE_COLOR") or (hasattr(out, "isatty") and out.isatty()):
        from rich.console import Console

        return TerminalPage(Console(file=out, highlight=False, markup=False, emoji=False))
    return Page(out)


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
            self._console.print(Text(" " * indent) + (Text(" " * hang) if number else sign) + line, soft_wrap=True)

    def _write_whole(self, indent: int, part: StyledText) -> None:
        from rich.text import Text

        self._console.print(Text(" " * indent + part[0], style=part[1]), soft_wrap=True)
