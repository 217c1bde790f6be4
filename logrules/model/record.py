"""Dataclasses that are cheap to define: start-up defines some 160, and importing `dataclasses` alone takes 8 ms.

Only ``__init__`` is compiled, once for all records with the same number of fields. What `dataclasses` keeps
in a class is made on demand, so that its `fields`, `asdict` and `is_dataclass` work as usual.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar, dataclass_transform

if TYPE_CHECKING:
    # Under these names defaults and replaced values are checked against their fields.
    from dataclasses import field, replace
else:

    def field(*, default_factory: Callable[[], object]) -> object:
        """A field with a default that is made anew for each instance."""
        return _Factory(default_factory)

    def replace(value: Any, /, **changes: object) -> Any:
        """A copy with the given fields replaced."""
        return type(value)(**{name: getattr(value, name) for name in value.__match_args__} | changes)


__all__ = ["field", "keyed_record", "mutable_record", "record", "replace"]

_Class = TypeVar("_Class", bound=type)
_Values = Callable[[object], tuple[object, ...]]
_Store = Callable[[object, object], None]
# The names by which an ``__init__`` calls them, of the first field first.
_STORES = tuple(f"store_{place}" for place in range(64))


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(kind: _Class) -> _Class:
    """Like ``dataclass(frozen=True, slots=True)``, for a class without init-only, hidden or uncompared fields."""
    return _made(kind, _frozen)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def keyed_record(kind: _Class) -> _Class:
    """The same, made by names alone: a field without a default may stand behind one that has one."""
    return _made(kind, _frozen)


@dataclass_transform(field_specifiers=(field,))
def mutable_record(kind: _Class) -> _Class:
    """Like ``dataclass(slots=True)``, for such a class."""
    return _made(kind, _changeable)


class _Factory:
    """A default that is made anew for each instance."""

    def __init__(self, make: Callable[[], object]) -> None:
        self.make = make


class _Kept:
    """What `dataclasses` keeps in a class under a name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, _instance: object, kind: type) -> object:
        return getattr(_dataclass_of(kind), self._name)


_KEPT = {name: _Kept(name) for name in ("__dataclass_fields__", "__dataclass_params__")}


@cache
def _dataclass_of(kind: Any) -> type:
    """The dataclass with the fields of a record."""
    import dataclasses

    types = {name: of for base in reversed(kind.__mro__) for name, of in _annotated(base).items()}
    members: dict[str, Any] = {name: (name, types[name]) for name in kind.__match_args__}
    for name, default in _defaults(kind).items():
        made = dataclasses.field(default_factory=default.make) if isinstance(default, _Factory) else default
        members[name] = (name, types[name], made)
    return dataclasses.make_dataclass(kind.__name__, members.values(), init=False, repr=False, eq=False)


def _made(kind: _Class, behaviour: Callable[[_Values], Mapping[str, object]]) -> _Class:
    """The class with slots for its fields.

    All that can be is in it from the start: to put a special method into a class that is there takes as long as a third
    of the class.
    """
    inherited = getattr(kind, "__match_args__", ())
    given = vars(kind)
    own = [name for name in _annotated(kind) if name not in inherited]
    defaults = _defaults(kind) | {name: given[name] for name in own if name in given}
    names = tuple(sorted((*inherited, *own), key=lambda name: name in defaults))
    rest = {name: value for name, value in given.items() if name not in {*own, "__dict__", "__weakref__"}}
    stores: dict[str, _Store] = {}
    fixed = {
        "__init__": _initializer(kind, names, defaults, stores),
        "__slots__": tuple(own),
        "__match_args__": names,
        "__qualname__": kind.__qualname__,
    }
    made: _Class = type(kind)(
        kind.__name__, kind.__bases__, {"__repr__": _shown, **rest, **behaviour(_values_of(names)), **_KEPT, **fixed}
    )
    slots = [_store(getattr(made, name), defaults.get(name)) for name in names]
    stores.update(zip(_STORES[: len(names)], slots, strict=True))
    return made


def _changeable(values: _Values) -> Mapping[str, object]:
    """What a record does whose fields may be set."""

    def equal(self: object, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return {"__eq__": equal, "__hash__": None}


def _frozen(values: _Values) -> Mapping[str, object]:
    """What a record does whose fields are as they were made."""

    def hashed(self: object) -> int:
        return hash(values(self))

    def reduced(self: object) -> tuple[type, tuple[object, ...]]:
        return type(self), values(self)

    refusing = {"__setattr__": _refuse, "__delattr__": _refuse}
    return {**_changeable(values), "__hash__": hashed, "__reduce__": reduced, **refusing}


def _annotated(kind: type) -> Mapping[str, object]:
    """The fields that a class itself names, with their types."""
    named: Mapping[str, object] = getattr(kind, "__annotations__", {})
    return {name: of for name, of in named.items() if getattr(of, "__origin__", of) is not ClassVar}


def _defaults(kind: Any) -> dict[str, object]:
    """The defaults of a record's fields, or of those that a class has from a record."""
    names = getattr(kind, "__match_args__", ())
    values = kind.__init__.__defaults__ or () if names else ()
    return dict(zip(names[len(names) - len(values) :], values, strict=True))


def _values_of(names: Sequence[str]) -> _Values:
    """A function that returns the values of all fields of an instance."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda _: ()
    only = attrgetter(names[0])
    return lambda self: (only(self),)


def _initializer(
    kind: type, names: tuple[str, ...], defaults: Mapping[str, object], stores: dict[str, _Store]
) -> Callable[..., None]:
    """An ``__init__`` that calls what is in ``stores`` by then: the slots are there when their class is."""
    code = _code_of_init(len(names)).replace(co_varnames=("self", *names))
    found = FunctionType(code, stores, "__init__", tuple([defaults[name] for name in names if name in defaults]))
    found.__qualname__ = f"{kind.__qualname__}.__init__"
    return found


def _store(slot: Any, default: object) -> _Store:
    """A function that stores a value in a slot."""
    store: _Store = slot.__set__
    if not isinstance(default, _Factory):
        return store
    return lambda instance, value: store(instance, default.make() if value is default else value)


@cache
def _code_of_init(count: int) -> CodeType:
    """The code of an ``__init__`` with so many fields; their names are still to be filled in."""
    parameters = "".join(f", field_{place}" for place in range(count))
    body = [f"    {store}(self, field_{place})" for place, store in enumerate(_STORES[:count])] or ["    pass"]
    scope: dict[str, Any] = {}
    exec("\n".join([f"def __init__(self{parameters}):", *body]), scope)  # noqa: S102 (our own words)
    found: CodeType = scope["__init__"].__code__
    return found


def _refuse(_self: object, name: str, *assigned: object) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot {'assign to' if assigned else 'delete'} field {name!r}")


def _shown(self: Any) -> str:
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({values})"
