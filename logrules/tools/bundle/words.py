"""Whether a text is made of words and numbers, as names in code are, or of letters drawn by lot, as secrets are."""

import re

_PIECES = re.compile(r"[A-Za-z0-9]+")
# A word, maybe with a number behind it (`layer12`), in any of the usual cases, or a number, or a short mixture (`4x`).
_WORDLIKE = re.compile(r"(?:[A-Z]?[a-z]+){1,4}\d{0,6}|[A-Z]+\d{0,6}|\d+|0x[0-9a-fA-F]+|\d{1,4}[a-zA-Z]{1,3}")
_MAX_WORD = 24


def drawn_by_lot(text: str) -> int:
    """How many of the characters belong to pieces that are no words and no numbers."""
    return sum(len(piece) for piece in _PIECES.findall(text) if not _is_word(piece))


def _is_word(piece: str) -> bool:
    return len(piece) <= _MAX_WORD and _WORDLIKE.fullmatch(piece) is not None
