"""Secrets that were recognised once, found wherever else they stand."""

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import quote, unquote

from logrules.tools.bundle.value_kinds import drawn_by_lot

# A cut secret is told from a word by so many of its characters.
_HEAD_CHARS = 6
_MIN_CHARS = 8
_MAX_CHARS = 1_024
_MIN_PHRASE = 16
_ENDS = "\n\r\"'…\\"


class KnownSecrets:
    """Secrets by their beginnings: finding them takes time in proportion to the text, however many there are."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._lengths: defaultdict[str, set[int]] = defaultdict(set)

    def learn(self, secret: str, kind: str) -> None:
        """Remember a secret, in the spellings of URLs and JSON too, unless it may be a word that stands elsewhere."""
        for spelt in dict.fromkeys((secret, quote(secret, safe=""), unquote(secret), json.dumps(secret)[1:-1])):
            if _MIN_CHARS <= len(spelt) <= _MAX_CHARS and "\n" not in spelt and _is_telling(spelt):
                self._kinds.setdefault(spelt, kind)
                self._lengths[spelt[:_HEAD_CHARS]].add(len(spelt))

    def spans(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where they stand (start, end, kind), also where a line or a string ends inside of one."""
        if not self._kinds:
            return
        ordered = sorted(self._kinds)
        longest_first = {head: sorted(lengths, reverse=True) for head, lengths in self._lengths.items()}
        place, last = 0, len(text) - _HEAD_CHARS
        while place <= last:
            lengths = longest_first.get(text[place : place + _HEAD_CHARS])
            length = self._length(text, place, lengths, ordered) if lengths else 0
            if length:
                yield place, place + length, self._kinds.get(text[place : place + length], "cut-off secret")
            place += length or 1

    def _length(self, text: str, place: int, lengths: list[int], ordered: list[str]) -> int:
        for length in lengths:
            if text[place : place + length] in self._kinds:
                return length
        ahead = text[place : place + lengths[0]]
        cut = min((at for end in _ENDS if (at := ahead.find(end, _HEAD_CHARS)) >= 0), default=len(ahead))
        at_end = cut < len(ahead) or place + cut == len(text)
        at = bisect_left(ordered, ahead[:cut])
        return cut if at_end and at < len(ordered) and ordered[at].startswith(ahead[:cut]) else 0


def _is_telling(secret: str) -> bool:
    """Whether a secret cannot be a word, a name or a path that stands elsewhere by chance."""
    if all(char.isalnum() or char in "_-./:" for char in secret):
        return drawn_by_lot(secret) >= _MIN_CHARS or _is_phrase(secret)
    return any(map(str.isalpha, secret))


def _is_phrase(secret: str) -> bool:
    """Whether words and numbers make a password: long, with capitals, small letters and digits, and no path."""
    kinds = (str.isupper, str.islower, str.isdecimal)
    return len(secret) >= _MIN_PHRASE and not set("/.:") & set(secret) and all(any(map(kind, secret)) for kind in kinds)
