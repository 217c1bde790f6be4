"""Something that `logrules check` found in a rule file."""

from dataclasses import dataclass

from logrules.model.position import Position

# Keys of mappings and indices of lists, from the top of a document.
NodePath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """What is wrong and where; ``code`` says of which kind it is.

    ``removes`` is the part of the document without which it is right, where taking that out changes no diagnosis.
    """

    place: Position
    code: str
    message: str
    removes: NodePath | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.code} {self.message}"
