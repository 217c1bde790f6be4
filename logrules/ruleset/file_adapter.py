"""What checks a file against the class that describes it, and says its JSON Schema: pydantic, for any class."""

from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

from pydantic import ConfigDict, TypeAdapter


@cache
def adapter_of(kind: type) -> TypeAdapter[Any]:
    """What checks a document against a class and says its JSON Schema; unknown keys are faults."""
    for one in _classes_below(kind):
        # A key that Python keeps for itself, such as `not`, is the field of that name with an underscore.
        config = ConfigDict(extra="forbid", alias_generator=lambda name: name.removesuffix("_"))
        setattr(one, "__pydantic_config__", config)  # noqa: B010 (no field of its own)
    return TypeAdapter(kind)


def _classes_below(kind: Any) -> set[Any]:
    """The dataclasses that a file of this one is made of."""
    found: set[Any] = set()
    todo = [kind]
    while todo:
        part = todo.pop()
        todo += get_args(part)
        if is_dataclass(part) and part not in found:
            found.add(part)
            todo += get_type_hints(part).values()
    return found
