"""What checks a file against the class that describes it, and says its JSON Schema: pydantic, for any class."""

from dataclasses import is_dataclass
from functools import cache
from typing import Any

from pydantic import ConfigDict, TypeAdapter


@cache
def adapter_of(kind: type) -> TypeAdapter[Any]:
    """What checks a document against a class and says its JSON Schema; unknown keys are faults."""
    for one in _classes_below(kind):
        if is_dataclass(one):
            # A key that Python keeps for itself, such as `not`, is the field of that name with an underscore.
            config = ConfigDict(extra="forbid", alias_generator=lambda name: name.removesuffix("_"))
            setattr(one, "__pydantic_config__", config)  # noqa: B010 (no field of its own)
    return TypeAdapter(kind)


def _classes_below(kind: type) -> set[Any]:
    from typing import get_args, get_type_hints

    found: set[Any] = {kind}
    todo = [kind]
    while todo:
        for hint in get_type_hints(todo.pop(), include_extras=False).values():
            for part in (hint, *get_args(hint)):
                if is_dataclass(part) and part not in found:
                    found.add(part)
                    todo.append(part)  # type: ignore[arg-type]
    return found
