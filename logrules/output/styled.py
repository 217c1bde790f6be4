"""Lines in colours on a terminal, and bare text in a pipe, which needs nothing that is slow to load."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TextIO, TypeAlias

from logrules.output.display_width import COLUMNS

if TYPE_CHECKING:
    from rich.console import Console

# A text and the style in which a terminal shows it.
StyledText: TypeAlias = tuple[str, str]
_TAB = 8
_FEWEST = 80
# Narrower than this nothing can be read.
_LEAST_COLUMNS = 10


class Page(Protocol):
    """Something to write lines on, laid out in so many ``columns``. Texts must be free of control characters."""

    @property
    def columns(self) -> int:
        """How wide a line may be."""

    def put(self, indent: int, parts: Sequence[StyledText], hang: int = 0) -> None:
        """Write a line; a terminal breaks it under its indent and what stands in the first ``hang`` columns."""

    def put_whole(self, indent: int, part: StyledText) -> None:
        """Write a line that is to be copied: it is never broken."""


def page_on(out: TextIO) -> Page:
    """A page on a terminal, or on what is none. ``FORCE_COLOR`` makes a terminal of anything."""
    if os.environ.get("FORCE_COLOR") or (hasattr(out, "isatty") and out.isatty()):
        from rich.console import Console

        return TerminalPage(Console(file=out, highlight=False, markup=False, emoji=False))
    return _BarePage(out)


class _BarePage:
    columns = COLUMNS

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def put(self, indent: int, parts: Sequence[StyledText], hang: int = 0) -> None:  # noqa: ARG002 (nothing is broken)
        line = " " * indent + "".join(text for text, _ in parts)
        self._out.write(f"{line.expandtabs(_TAB)}\n")

    def put_whole(self, indent: int, part: StyledText) -> None:
        self.put(indent, [part])


class TerminalPage:
    """A page on a terminal that rich knows."""

    def __init__(self, console: "Console") -> None:
        self._console = console

    @property
    def columns(self) -> int:
        """Those of the terminal, unless it is wider than anybody reads or too narrow for a screen to hold a report."""
        return max(min(self._console.width, COLUMNS), _FEWEST)

    def put(self, indent: int, parts: Sequence[StyledText], hang: int = 0) -> None:
        """Write a line, broken under its indent; without blanks at its end, which would be copied with it."""
        from rich.text import Text

        sign, said = Text.assemble(*parts, tab_size=_TAB).divide([hang]) if hang else (Text(), Text.assemble(*parts))
        lines = said.wrap(self._console, max(self._console.width - indent - hang, _LEAST_COLUMNS), tab_size=_TAB)
        for number, line in enumerate(lines or [said]):
            line.rstrip()
            self._console.print(Text(" " * indent) + (Text(" " * hang) if number else sign) + line, soft_wrap=True)

    def put_whole(self, indent: int, part: StyledText) -> None:
        """Write a line that is never broken."""
        from rich.text import Text

        self._console.print(Text(" " * indent + part[0], style=part[1]), soft_wrap=True)
