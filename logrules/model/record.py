"""Dataclasses that are cheap to define: a start defines some 160, and `dataclass` compiles up to six methods of each.

Here ``__init__`` alone is compiled, when the first instance is made. All else does what it does in a dataclass
with slots; `dataclasses.fields`, `replace` and `is_dataclass` work as ever.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

_Class = TypeVar("_Class", bound=type)
_Values = Callable[[object], tuple[object, ...]]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(kind: _Class) -> _Class:
    """What ``dataclass(frozen=True, slots=True)`` makes of a class whose fields are all given, compared and shown."""
    made, values = _made(kind)

    def hashed(self: object) -> int:
        return hash(values(self))

    def state(self: object) -> tuple[object, ...]:
        return values(self)

    made.__hash__ = hashed
    made.__setattr__, made.__delattr__ = _set, _delete
    made.__getstate__, made.__setstate__ = state, _restore
    found: _Class = made
    return found


@dataclass_transform(field_specifiers=(field,))
def mutable_record(kind: _Class) -> _Class:
    """What ``dataclass(slots=True)`` makes of such a class."""
    found: _Class = _made(kind)[0]
    return found


def _made(kind: type) -> tuple[Any, _Values]:
    """The dataclass with slots, and what gives the values of all fields of an instance."""
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(kind)
    values = _values_of([member.name for member in fields(made)])

    def equal(self: object, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def first(self: object, *given: object, **named: object) -> None:
        made.__init__ = _initializer(made)
        made.__init__(self, *given, **named)

    made.__init__, made.__eq__, made.__hash__ = first, equal, None
    if "__repr__" not in made.__dict__:
        made.__repr__ = _shown
    return made, values


def _values_of(names: list[str]) -> _Values:
    """What gives the values of all fields of an instance."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda _: ()
    only = attrgetter(names[0])
    return lambda self: (only(self),)


def _initializer(made: Any) -> Callable[..., None]:
    """The ``__init__`` of a record, compiled from the names of its fields and nothing else."""
    members = fields(made)
    scope: dict[str, Any] = {"_MISSING": MISSING}
    for member in members:
        scope[f"_set_{member.name}"] = getattr(made, member.name).__set__
        scope[f"_default_{member.name}"] = member.default
        scope[f"_factory_{member.name}"] = member.default_factory
    parameters = ", ".join(["self", *map(_parameter, members)])
    body = [f"    _set_{member.name}(self, {_value(member)})" for member in members]
    exec("\n".join([f"def __init__({parameters}):", *(body or ["    pass"])]), scope)  # noqa: S102 (our own words)
    found: Callable[..., None] = scope["__init__"]
    return found


def _parameter(member: Field[Any]) -> str:
    if member.default is not MISSING:
        return f"{member.name}=_default_{member.name}"
    return member.name if member.default_factory is MISSING else f"{member.name}=_MISSING"


def _value(member: Field[Any]) -> str:
    if member.default_factory is MISSING:
        return member.name
    return f"_factory_{member.name}() if {member.name} is _MISSING else {member.name}"


def _set(_self: object, name: str, _value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(_self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _restore(self: Any, state: tuple[object, ...]) -> None:
    """Fill an instance that was copied or sent to another process."""
    for member, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, member.name, value)


def _shown(self: Any) -> str:
    values = ", ".join(f"{member.name}={getattr(self, member.name)!r}" for member in fields(self))
    return f"{type(self).__qualname__}({values})"
