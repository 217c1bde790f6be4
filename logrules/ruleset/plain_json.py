"""Frozen dataclasses to JSON values and back: the form in which a pack is cached.

A dataclass becomes ``{"$": name, ...its fields}``, a tuple a list,
an enumeration member its value under its class's name, a path its text. Nothing but the classes given is ever built.
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
        parts = {item.name: to_plain(getattr(value, item.name)) for item in fields(value)}
        return {_TAG: type(value).__name__, **parts}
    if isinstance(value, tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    return value


def from_plain(value: Any, classes: Mapping[str, type]) -> Any:
    """The value that ``to_plain`` was given. Raises KeyError, TypeError or ValueError for anything else."""
    if isinstance(value, list):
        return tuple([from_plain(item, classes) for item in value])
    if not isinstance(value, dict):
        return value
    if _TAG not in value:
        return {key: from_plain(item, classes) for key, item in value.items()}
    kind = classes[value[_TAG]]
    if issubclass(kind, StrEnum | Path):
        return kind(value["value"])
    return kind(**{key: from_plain(item, classes) for key, item in value.items() if key != _TAG})
