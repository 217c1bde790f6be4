"""Where something is in a file, and what is wrong there."""

from logrules.model.record import record

# Keys of mappings and indices of lists, from the top of a document.
NodePath = tuple[str | int, ...]


@record
class Position:
    """A position in a file; line and column count from 1. Line 0 means the whole file, or a folder."""

    path: str
    line: int = 1
    column: int = 1

    def __lt__(self, other: "Position") -> bool:
        return (self.path, self.line, self.column) < (other.path, other.line, other.column)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path


# Of what is wrong: a file may be quoted in it, and its parts are as long as somebody made them.
MAX_SAID_CHARS = 500


@record
class Problem:
    """A fault in a file: where, what, what to do about it, and its ``code``, as `logrules check` explains it.

    ``removes`` is the part of the document to remove, if that fixes it without changing any diagnosis.
    """

    place: Position
    message: str
    hint: str | None = None
    code: str = "LR001"
    removes: NodePath | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.said}"

    @property
    def said(self) -> str:
        """What is wrong and what to do about it, at a length that a person reads."""
        cut = self.message[MAX_SAID_CHARS:] and "…"
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.message[:MAX_SAID_CHARS]}{cut}{hint}"
