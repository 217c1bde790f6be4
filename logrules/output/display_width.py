"""How much of a screen a text takes."""

from unicodedata import east_asian_width

_TAB = 8


def columns_of(text: str) -> int:
    """The columns of a terminal that the text takes; characters of East Asian scripts take two."""
    if text.isascii():
        return len(text.expandtabs(_TAB))
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text.expandtabs(_TAB))


def lines_taken(indent: int, text: str, columns: int) -> int:
    """The lines of a terminal with so many columns that the text takes behind its indent."""
    return max(1, -(-columns_of(text) // (columns - indent)))


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
