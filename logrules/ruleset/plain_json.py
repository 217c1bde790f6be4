"""Frozen dataclasses to JSON values and back: the form in which a pack is cached.

A dataclass becomes ``{"$": name, "row": its fields in order}``, a tuple a list, a tuple of dataclasses of one kind
``{"$": name, "rows": …, "nested": the places of fields that are more than plain values}``, an enumeration member its
value under its class's name, a path its text. Nothing but the classes given is ever built.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

_TAG = "$"


def to_plain(value: object) -> object:
    """The JSON value of a frozen dataclass, tuple, mapping, enumeration member or scalar."""
    if isinstance(value, StrEnum):
        return {_TAG: type(value).__name__, "value": value.value}
    if isinstance(value, Path):
        return {_TAG: Path.__name__, "value": str(value)}
    if is_dataclass(value):
        return {_TAG: type(value).__name__, "row": _row(value)}
    if isinstance(value, tuple):
        return _table(value) if _is_table(value) else [to_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    return value


def _row(value: Any) -> list[object]:
    return [to_plain(getattr(value, item.name)) for item in fields(value)]


def _is_table(value: tuple[object, ...]) -> bool:
    return len(value) > 1 and is_dataclass(value[0]) and all(type(item) is type(value[0]) for item in value)


def _table(value: tuple[object, ...]) -> dict[str, object]:
    rows = [_row(item) for item in value]
    nested = [place for place, column in enumerate(zip(*rows, strict=True)) if any(map(_is_nested, column))]
    return {_TAG: type(value[0]).__name__, "nested": nested, "rows": rows}


def _is_nested(value: object) -> bool:
    return isinstance(value, list | dict)


def from_plain(value: Any, classes: Mapping[str, type]) -> Any:
    """The value that ``to_plain`` was given. Raises KeyError, TypeError or ValueError for anything else."""
    if isinstance(value, list):
        # Most lists hold nothing but texts.
        return tuple([from_plain(item, classes) if isinstance(item, list | dict) else item for item in value])
    if not isinstance(value, dict):
        return value
    if _TAG not in value:
        return {key: from_plain(item, classes) for key, item in value.items()}
    kind = classes[value[_TAG]]
    if issubclass(kind, StrEnum | Path):
        return kind(value["value"])
    if "row" in value:
        return kind(*[from_plain(item, classes) for item in value["row"]])
    for row in value["rows"]:
        for place in value["nested"]:
            row[place] = from_plain(row[place], classes)
    return tuple([kind(*row) for row in value["rows"]])
