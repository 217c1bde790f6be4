"""A compiled pack on disk: JSON in the user's cache folder, under the digest of everything it was made of.

Behind the pack, on a line of its own, follow the cards of its rules: they are most of the bytes, and a report shows
three of them. Each is decoded when it is asked for; so are compiled patterns, in a file beside it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from logrules.ruleset.cache_files import keep, kept
from logrules.ruleset.pack import Pack
from logrules.ruleset.pattern import VERSION, compiled_so_far, stored_form, stored_so_far, use_stored
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
    """The pack that was kept under this digest, or None. Patterns that were kept with it need not be compiled again."""
    body = kept(_name(digest))
    if body is None:
        return None
    head, _, stored = body.partition(b"\n")
    try:
        plain = json.loads(head)
        found = from_plain(plain["pack"])
        cards = _texts(plain["cards"], stored)
    except (AttributeError, ImportError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(found, Pack) or found.digest != digest:
        return None
    use_stored(_kept_patterns(digest))
    return replace(found, cards=cards)


def keep_pack(found: Pack) -> None:
    """Keep a compiled pack, and the patterns that were compiled with it, for the next start."""
    stored = bytearray()
    plain = {"cards": _append(stored, found.cards), "pack": to_plain(replace(found, cards={}))}
    keep("pack", _name(found.digest), _json(plain) + b"\n" + stored)
    keep_patterns(found.digest)


def keep_patterns(digest: str) -> None:
    """Keep the patterns that this process knows and that were not kept before under the digest of their pack."""
    known = _kept_patterns(digest)
    # A pack that was put together from another one has most of its patterns from there.
    new = {pattern: form for pattern, form in stored_so_far().items() if pattern not in known}
    for pattern, made in compiled_so_far().items():
        if pattern not in known and (form := stored_form(made)) is not None:
            new[pattern] = form
    if not new:
        return
    stored = bytearray()
    places = _append(stored, {**known, **new})
    keep("patterns", _patterns_name(digest), _json({"version": VERSION, "patterns": places}) + b"\n" + stored)


def _kept_patterns(digest: str) -> Mapping[str, str]:
    body = kept(_patterns_name(digest))
    if body is None:
        return {}
    head, _, stored = body.partition(b"\n")
    try:
        plain = json.loads(head)
        return _texts(plain["patterns"], stored) if plain["version"] == VERSION else {}
    except (AttributeError, ValueError, KeyError, TypeError, RecursionError):
        return {}


def _texts(places: Mapping[str, tuple[int, int]], stored: bytes) -> StoredTexts:
    return StoredTexts({name: (int(start), int(end)) for name, (start, end) in places.items()}, stored)


def _append(stored: bytearray, texts: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Put the texts behind what is there; their places."""
    places: dict[str, tuple[int, int]] = {}
    for name, text in texts.items():
        start = len(stored)
        stored += text.encode()
        places[name] = (start, len(stored))
    return places


def _json(plain: object) -> bytes:
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()


def _patterns_name(digest: str) -> str:
    return f"patterns-{digest[:32]}.json"


def _name(digest: str) -> str:
    return f"pack-{digest[:32]}.json"
