"""A compiled pack on disk: JSON in the user's cache folder, under the digest of everything it was made of.

Behind the pack, on a line of its own, follow the cards of its rules: they are most of the bytes, and a report shows
three of them. Each is decoded when it is asked for.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from logrules.ruleset.cache_files import keep, kept
from logrules.ruleset.pack import Pack
from logrules.ruleset.plain_json import from_plain, to_plain


class StoredTexts(Mapping[str, str]):
    """Texts by name, each at its place (start and end, in bytes) in what was read."""

    def __init__(self, places: Mapping[str, tuple[int, int]], stored: bytes) -> None:
        self._places = places
        self._stored = stored

    def __getitem__(self, name: str) -> str:
        """The text of this name."""
        start, end = self._places[name]
        return self._stored[start:end].decode()

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self._places)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._places)


def cached_pack(digest: str) -> Pack | None:
    """The pack that was kept under this digest, or None."""
    body = kept(_name(digest))
    if body is None:
        return None
    head, _, stored = body.partition(b"\n")
    try:
        plain = json.loads(head)
        found = from_plain(plain["pack"])
        cards = StoredTexts({name: (int(start), int(end)) for name, (start, end) in plain["cards"].items()}, stored)
    except (AttributeError, ImportError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return replace(found, cards=cards) if isinstance(found, Pack) and found.digest == digest else None


def keep_pack(found: Pack) -> None:
    """Keep a compiled pack for the next start."""
    stored = bytearray()
    places: dict[str, tuple[int, int]] = {}
    for name, text in found.cards.items():
        start = len(stored)
        stored += text.encode()
        places[name] = (start, len(stored))
    plain = {"cards": places, "pack": to_plain(replace(found, cards={}))}
    head = json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()
    keep("pack", _name(found.digest), head + b"\n" + stored)


def _name(digest: str) -> str:
    return f"pack-{digest[:32]}.json"
