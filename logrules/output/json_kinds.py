"""Our JSON documents: how each kind of value is written, and the schema that says so, defined in one place."""

import json
from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from typing import Any, TextIO

from logrules.model.record import record, replace
from logrules.output.escape import safe
from logrules.output.numbers import moment

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def write_json(document: object, out: TextIO) -> None:
    """Write a document by itself."""
    json.dump(document, out, ensure_ascii=False, indent=1)
    out.write("\n")


@record
class JsonKind:
    """A JSON Schema, and what writes a value so that it fits, with sentences in a language.

    As a member of an object it is the attribute of its name, or what ``of`` makes of the whole in a language.
    """

    schema: dict[str, Any]
    written: Callable[[Any, str], Any] = lambda value, _language: value
    of: Callable[[Any, str], Any] | None = None

    def told(self, description: str) -> "JsonKind":
        """The same with a description."""
        return replace(self, schema={**self.schema, "description": description})

    def made(self, of: Callable[[Any, str], Any]) -> "JsonKind":
        """The same as a member that is no attribute."""
        return replace(self, of=of)


def iso_time(seconds: float | None) -> str | None:
    """The time as ISO 8601 without a zone: the log's own clock."""
    at = moment(seconds) if seconds is not None else None
    return at.replace(tzinfo=None).isoformat() if at is not None else None


# Rules say it, so that nothing in it needs to be made harmless; it may have several lines.
PLAIN = JsonKind({"type": "string"})
TEXT = JsonKind({"type": "string"}, lambda value, _: safe(value))
SENTENCE = JsonKind({"type": "string"}, lambda value, language: safe(value.of(language)))
COUNT = JsonKind({"type": "integer", "minimum": 0})
LINE = JsonKind({"type": "integer", "minimum": 1})
NUMBER = JsonKind({"type": "number"})
SHARE = JsonKind({"type": "number", "minimum": 0, "maximum": 1})
FLAG = JsonKind({"type": "boolean"})
TIME = JsonKind({"type": ["string", "null"]}, lambda value, _: iso_time(value)).told(
    "ISO 8601 in the log's own clock, null where it has none"
)


def const(value: str) -> JsonKind:
    """The one value that there may be."""
    return JsonKind({"const": value}).made(lambda _whole, _language: value)


def member_of(kind: type[StrEnum]) -> JsonKind:
    """The value of a member of an enumeration."""
    return JsonKind({"enum": [member.value for member in kind]}, lambda value, _: value.value)


def nullable(kind: JsonKind) -> JsonKind:
    """The same, or null."""
    schema = {"anyOf": [kind.schema, {"type": "null"}]}
    return JsonKind(schema, lambda value, language: None if value is None else kind.written(value, language))


def listed(kind: JsonKind) -> JsonKind:
    """A list of values of a kind."""
    schema = {"type": "array", "items": kind.schema}
    return JsonKind(schema, lambda values, language: [kind.written(value, language) for value in values])


def named(kind: JsonKind) -> JsonKind:
    """Values of a kind by names."""
    schema = {"type": "object", "additionalProperties": kind.schema}
    return JsonKind(schema, lambda values, language: {name: kind.written(it, language) for name, it in values.items()})


def shape(members: Mapping[str, JsonKind], optional: Collection[str] = ()) -> JsonKind:
    """An object with these members and no others; ``optional`` ones are left out where there is nothing to say."""

    def written(whole: Any, language: str) -> dict[str, Any]:
        values = {
            name: kind.of(whole, language) if kind.of is not None else getattr(whole, name)
            for name, kind in members.items()
        }
        said = {name: value for name, value in values.items() if value or name not in optional}
        return {name: members[name].written(value, language) for name, value in said.items()}

    required = [name for name in members if name not in optional]
    properties = {name: kind.schema for name, kind in members.items()}
    return JsonKind(
        {"type": "object", "additionalProperties": False, "required": required, "properties": properties}, written
    )
