"""What checks a file against the class that describes it, by pydantic for any class: its JSON Schema, its keys.

What is wrong is told in our words, and with its places.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError

from logrules.model.errors import PackError
from logrules.model.position import Problem
from logrules.ruleset.bounded_read import read_named
from logrules.ruleset.bounds import MAX_FILE_BYTES
from logrules.ruleset.duration import FORM
from logrules.ruleset.misspelling import near_hint
from logrules.ruleset.yaml_reader import Document, parse_document

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


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


Kind = TypeVar("Kind")
_Path: TypeAlias = tuple[str | int, ...]
# What is told of one file: whoever mends so many looks again, and each is compared with all that may be meant.
MAX_FAULTS = 200

# What should stand there, by how the kind of fault begins.
_EXPECTED = {
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "keys with values",
    "model_type": "keys with values",
    "dataclass_type": "keys with values",
    "bool_": "true or false",
    "int_": "a whole number",
    "float_": "a number",
}
_ONE_OF = frozenset({"enum", "literal_error"})
_UNKNOWN_KEY = frozenset({"extra_forbidden", "unexpected_keyword_argument"})
_MISSING = frozenset({"missing", "missing_argument"})


def checked_file(path: Path, kind: type[Kind]) -> tuple[Document, Kind]:
    """A file and what it says, by the model of its kind. Raises PackError with every problem in it."""
    document = parse_document(read_named(path, MAX_FILE_BYTES), str(path))
    return document, validated(document, kind)


def validated(document: Document, kind: type[Kind]) -> Kind:
    """What a document says, by the model of its kind. Raises PackError with every problem in it."""
    if not isinstance(document.data, dict):
        raise PackError([Problem(document.place(()), "is not a mapping of keys to values", code="LR002")])
    try:
        found: Kind = adapter_of(kind).validate_python(document.data)  # type: ignore[arg-type]  # (a class can be hashed)
    except ValidationError as fault:
        raise PackError(list(_problems_of(document, fault, kind))) from None
    return found


def _problems_of(document: Document, fault: ValidationError, kind: type) -> Iterator[Problem]:
    """What a model found wrong with a document. Where one of several things may stand it is one problem."""
    expected: dict[_Path, list[str]] = {}
    below: set[_Path] = set()
    errors = fault.errors(include_url=False, include_input=False)
    for error in errors[:MAX_FAULTS]:
        at = _real(error["loc"], document.data, missing=error["type"] in _MISSING)
        below.update(at[:depth] for depth in range(len(at)))
        if error["type"] == "too_short" and at in below:
            continue  # an entry that has a fault of its own was not counted
        words = _expected(error)
        if words is not None:
            expected.setdefault(at, []).append(words)
        else:
            hint = _key_meant(kind, at) if error["type"] in _UNKNOWN_KEY and at else None
            yield _problem(document, at, _message(error), hint, error["type"])
    for at, alternatives in expected.items():
        # One of the things that may stand there fits but for what is said of its parts.
        if at not in below:
            yield _problem(document, at, f"expects {' or '.join(dict.fromkeys(alternatives))}")
    if len(errors) > MAX_FAULTS:
        yield _problem(document, (), f"has {len(errors) - MAX_FAULTS} further faults")


def _key_meant(kind: type, at: _Path) -> str | None:
    """What an unknown key may have been meant to be, of those that may stand there; one of elsewhere is spelt right."""
    name = str(at[-1])
    return None if name in keys_anywhere(kind) else near_hint(name, keys_at(kind, at[:-1]))


def _problem(
    document: Document, at: Sequence[str | int], message: str, hint: str | None = None, error: str = ""
) -> Problem:
    name = ".".join(map(str, at))
    return Problem(document.place(at), f"`{name}`: {message}" if name else message, hint, _code(error, at))


def _real(loc: Sequence[Any], data: Any, *, missing: bool) -> _Path:
    """The path as the document has it: without the names of the models that were tried at a place."""
    found: list[str | int] = []
    for place, part in enumerate(loc):
        if (isinstance(data, Mapping) and part in data) or (
            isinstance(data, Sequence) and isinstance(part, int) and part < len(data) and not isinstance(data, str)
        ):
            data = data[part]
        elif not (missing and place == len(loc) - 1):
            continue
        found.append(part)
    return tuple(found)


def _expected(error: "ErrorDetails") -> str | None:
    """What should stand there; None for what is wrong in another way."""
    if error["type"] in _ONE_OF:
        return str(error["ctx"]["expected"])
    return next((words for kind, words in _EXPECTED.items() if error["type"].startswith(kind)), None)


def _message(error: "ErrorDetails") -> str:
    said = error.get("ctx", {})
    match error["type"]:
        case kind if kind in _UNKNOWN_KEY:
            return "unknown key"
        case kind if kind in _MISSING:
            return "is missing"
        case "string_too_short" | "too_short":
            return (
                "is empty" if said["min_length"] == 1 else f"has fewer than {said['min_length']} {_parts_of_it(error)}"
            )
        case "string_too_long" | "too_long":
            return f"has more than {said['max_length']} {_parts_of_it(error)}"
        case "string_pattern_mismatch":
            pattern = said["pattern"]
            return "is no length of time, such as 30s or 12m" if pattern == FORM else f"is not of the form `{pattern}`"
        case _:
            return error["msg"].removeprefix("Value error, ")


def _parts_of_it(error: "ErrorDetails") -> str:
    return "characters" if error["type"].startswith("string") else "entries"


def _code(error: str, at: Sequence[str | int]) -> str:
    """Missing examples are told apart from other faults."""
    of_examples = at and at[-1] in {"examples", "fires", "silent", "samples"} and error in {"missing", "too_short"}
    return "LR110" if of_examples else "LR002"
