"""What a misspelt name in a file may have meant."""

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from functools import cache


def near_hint(name: str, known: Collection[str]) -> str | None:
    """The known name that is most like it, as a question; None where none is."""
    near = get_close_matches(name, known, n=1)
    return f"did you mean `{near[0]}`?" if near else None


@cache
def keys_of(kind: type) -> frozenset[str]:
    """The keys that a file of this class may have, at any depth."""
    from pydantic import TypeAdapter

    return frozenset(_properties(TypeAdapter(kind).json_schema()))


def _properties(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        properties = schema.get("properties")
        yield from properties if isinstance(properties, dict) else ()
        schema = list(schema.values())
    for part in schema if isinstance(schema, list) else ():
        yield from _properties(part)
