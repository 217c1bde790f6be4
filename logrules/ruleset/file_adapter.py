"""What checks a file against the class that describes it, by pydantic for any class; its JSON Schema, and its keys."""

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, TypeAdapter


@cache
def adapter_of(kind: type) -> TypeAdapter[Any]:
    """What checks a document against a class and says its JSON Schema; unknown keys are faults."""
    for one in _classes_below(kind):
        # A key that Python keeps for itself, such as `not`, is the field of that name with an underscore.
        config = ConfigDict(extra="forbid", alias_generator=_key)
        setattr(one, "__pydantic_config__", config)  # noqa: B010 (no field of its own)
    return TypeAdapter(kind)


def keys_at(kind: Any, path: Sequence[str | int]) -> frozenset[str]:
    """The keys of a mapping at this place of a file of this class."""
    if is_dataclass(kind):
        parts = _parts_of(kind)
        if not path:
            return frozenset(parts)
        return keys_at(parts[str(path[0])], path[1:]) if path[0] in parts else frozenset()
    args, within = get_args(kind), get_origin(kind)
    if within is tuple or within is list:
        args, path = args[:1], path[1:]
    elif within is dict or within is Mapping:
        args, path = args[1:], path[1:]
    return frozenset(key for arg in args for key in keys_at(arg, path))


@cache
def keys_anywhere(kind: type) -> frozenset[str]:
    """The keys of a file of this class, wherever they may stand."""
    return frozenset(key for one in _classes_below(kind) for key in _parts_of(one))


def _parts_of(kind: Any) -> Mapping[str, Any]:
    """What stands behind each key of a class."""
    return {_key(name): part for name, part in get_type_hints(kind).items()}


def _key(name: str) -> str:
    return name.removesuffix("_")


def _classes_below(kind: Any) -> set[Any]:
    """The dataclasses that a file of this one is made of."""
    found: set[Any] = set()
    todo = [kind]
    while todo:
        part = todo.pop()
        todo += get_args(part)
        if is_dataclass(part) and part not in found:
            found.add(part)
            todo += _parts_of(part).values()
    return found
