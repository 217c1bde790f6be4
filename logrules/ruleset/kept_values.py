"""Values of ours in the user's cache folder, as `marshal` writes plain ones: four times as fast to read as JSON.

A dataclass becomes ``{"$": name, "row": its fields in order}``, a tuple a list unless it holds plain values alone, a
tuple of dataclasses of one kind ``{"$": name, "rows": …, "nested": the places of fields that must be built}``, an
enumeration member its value under its class's name. Each row of a `LongTable` is bytes of its own, so
that it can be built alone. Names say in which module a class is; nothing is ever built but dataclasses, enumerations
and long tables of ours. A compiled pack is kept so, under the digest of all that it was made of; beside it the patterns
of all packs.
"""

import marshal
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from logrules.ruleset.cache_files import SPOILT, keep, kept
from logrules.ruleset.long_tables import LongTable
from logrules.ruleset.pack import Pack
from logrules.ruleset.pattern import VERSION, forms_made, let_go_of_stored, use_stored

Value = TypeVar("Value")

_DIGITS = 32
_ENDING = f".marshal{marshal.version}"


def keep_value(kind: str, digest: str, value: object) -> None:
    """Keep a value of a kind for the next start, under the digest of what it was made of."""
    keep(kind, kept_name(kind, digest), marshal.dumps(to_plain(value)))


def kept_value(kind: str, digest: str, form: type[Value]) -> Value | None:
    """The value that was kept under this digest, if it is still one of ``form``."""
    body = kept(kept_name(kind, digest))
    if body is None:
        return None
    try:
        # It is what we wrote, as its owner, its mode and its checksum say.
        found = from_plain(marshal.loads(body))  # noqa: S302
    except SPOILT:
        return None
    return found if isinstance(found, form) else None


def kept_name(kind: str, digest: str) -> str:
    """The name of the file in which a value is kept, of this version of its form."""
    return f"{kind}-{digest[:_DIGITS]}{_ENDING}"


_TAG = "$"
_OURS = "logrules."
_NESTED = frozenset((list, dict))
_SCALARS = frozenset((str, int, float, bool, bytes, type(None)))


def to_plain(value: object) -> Any:
    """The plain value of a frozen dataclass, tuple, mapping, enumeration member or scalar."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, tuple):
        return _sequence(value)
    if isinstance(value, LongTable):
        rows = [packed(row) for row in value]
        return {_TAG: _name(type(value)), "kept": rows, "summary": to_plain(value.summary)}
    if isinstance(value, StrEnum):
        return {_TAG: _name(type(value)), "value": value.value}
    if _has_fields(type(value)):
        return {_TAG: _name(type(value)), "row": _row(value)}
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    return value


def _sequence(value: tuple[object, ...]) -> object:
    # Most hold nothing but texts.
    if _SCALARS.issuperset(map(type, value)):
        return value
    kind = type(value[0])
    if len(value) > 1 and _has_fields(kind) and all(type(item) is kind for item in value):
        return _table(value)
    items = [to_plain(item) for item in value]
    return items if any(map(_is_nested, items)) else tuple(items)


def _row(value: Any) -> list[object]:
    # The fields, in the order in which `from_plain` gives them; asking `fields` for them each time takes longer.
    return [to_plain(getattr(value, name)) for name in value.__match_args__]


def _table(value: tuple[object, ...]) -> dict[str, object]:
    rows = [_row(item) for item in value]
    nested = [place for place, column in enumerate(zip(*rows, strict=True)) if any(map(_is_nested, column))]
    return {_TAG: _name(type(value[0])), "nested": nested, "rows": rows}


def _is_nested(value: object) -> bool:
    return type(value) in _NESTED


def _has_fields(kind: type) -> bool:
    """Whether a class is a dataclass; to ask `dataclasses` would load it."""
    return "__dataclass_fields__" in vars(kind)


def _name(kind: type) -> str:
    return f"{kind.__module__.removeprefix(_OURS)}:{kind.__qualname__}"


@cache
def _kind(name: str) -> Any:
    module, _, qualname = name.partition(":")
    found = getattr(import_module(_OURS + module), qualname, None)
    if not (isinstance(found, type) and (_has_fields(found) or issubclass(found, StrEnum | LongTable))):
        raise ValueError(f"{name} is not ours")
    return found


def from_plain(value: Any) -> Any:
    """The value that ``to_plain`` was given. Raises ImportError, KeyError, TypeError or ValueError for another."""
    if isinstance(value, list):
        return tuple(_built(value))
    if not isinstance(value, dict):
        return value  # a tuple too: what `marshal` read is what it was
    name = value.get(_TAG)
    if name is None:
        return dict(zip(value, _built(value.values()), strict=True))
    kind = _kind(name)
    if "value" in value:
        return kind(value["value"])
    if "row" in value:
        return kind(*_built(value["row"]))
    if "kept" in value:
        return kind.from_kept(value["kept"], unpacked, from_plain(value["summary"]))
    for row in value["rows"]:
        for place in value["nested"]:
            row[place] = from_plain(row[place])
    return tuple([kind(*row) for row in value["rows"]])


def _built(plain: Iterable[Any]) -> list[Any]:
    # Most hold nothing but texts and numbers: to ask here saves a call for each.
    return [from_plain(item) if type(item) in _NESTED else item for item in plain]


def packed(value: object) -> bytes:
    """A value as bytes that can be kept as a part of another."""
    # The old form of `marshal` depends on values alone, not on who else holds them.
    return marshal.dumps(to_plain(value), 2)


def unpacked(body: bytes) -> Any:
    """The value that was packed so."""
    return from_plain(marshal.loads(body))  # noqa: S302 (part of what `kept_value` read)


# A pack has 3,000. Beyond this most are those of rules that were edited since: those in use are kept anew.
MOST_PATTERNS = 10_000


def cached_pack(digest: str) -> Pack | None:
    """The pack that was kept under this digest, or None. No pattern that was kept need be compiled again."""
    use_stored(_kept_patterns())
    found = kept_value("pack", digest, Pack)
    return found if found is not None and found.digest == digest else None


def keep_pack(found: Pack) -> None:
    """Keep a compiled pack, and the patterns that were compiled with it, for the next start."""
    keep_value("pack", found.digest, found)
    keep_patterns()


def keep_patterns() -> None:
    """Keep the patterns that this process compiled itself beside those that were kept before."""
    new = forms_made()
    if new:
        known = _kept_patterns()
        known = {**(known if len(known) + len(new) <= MOST_PATTERNS else {}), **new}
        keep_value("patterns", VERSION, known)
        let_go_of_stored(known)


def _kept_patterns() -> Mapping[str, bytes]:
    return kept_value("patterns", VERSION, dict) or {}
