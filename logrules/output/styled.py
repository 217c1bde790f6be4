"""Lines in colours on a terminal, and bare text in a pipe, which needs nothing that is slow to load."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TextIO, TypeAlias

if TYPE_CHECKING:
    from rich.console import Console

# A text and the style in which a terminal shows it.
StyledText: TypeAlias = tuple[str, str]
_TAB = 8


class Page(Protocol):
    """Something to write lines on. Texts must be free of control characters."""

    def put(self, indent: int, parts: Sequence[StyledText]) -> None:
        """Write a line; a terminal breaks it under its indent."""

    def put_whole(self, indent: int, part: StyledText) -> None:
        """Write a line that is to be copied: it is never broken."""


def page_on(out: TextIO) -> Page:
    """A page on a terminal, or on what is none. ``FORCE_COLOR`` makes a terminal of anything."""
    if os.environ.get("FORCE_COLOR") or (hasattr(out, "isatty") and out.isatty()):
        from rich.console import Console

        return TerminalPage(Console(file=out, highlight=False, markup=False, emoji=False))
    return _BarePage(out)


class _BarePage:
    def __init__(self, out: TextIO) -> None:
        self._out = out

    def put(self, indent: int, parts: Sequence[StyledText]) -> None:
        line = " " * indent + "".join(text for text, _ in parts)
        self._out.write(f"{line.expandtabs(_TAB)}\n")

    def put_whole(self, indent: int, part: StyledText) -> None:
        self.put(indent, [part])


class TerminalPage:
    """A page on a terminal that rich knows."""

    def __init__(self, console: "Console") -> None:
        self._console = console

    def put(self, indent: int, parts: Sequence[StyledText]) -> None:
        """Write a line, broken under its indent."""
        if not parts:
            self._console.print()
            return
        from rich.padding import Padding
        from rich.text import Text

        self._console.print(Padding(Text.assemble(*parts), (0, 0, 0, indent)))

    def put_whole(self, indent: int, part: StyledText) -> None:
        """Write a line that is never broken."""
        from rich.text import Text

        self._console.print(Text(" " * indent + part[0], style=part[1]), soft_wrap=True)
