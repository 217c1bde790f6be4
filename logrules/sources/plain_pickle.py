"""Pickles of plain values only: dict, list, tuple, str, int, float, bool, None. Nothing is ever imported or called.

`pickletools` takes the bytes apart without running them, and the value is made here, of the opcodes below and no
others. The standard library's reader would import and call what a pickle names, reserve memory for whatever number a
hostile one gives to its memo, and take without end for a tuple of one tuple twice, of one tuple twice, and so on, where
that is the key of a dict.
"""

import pickletools
import sys
from collections.abc import Sequence
from itertools import islice
from typing import Any

# Of opcodes, of the stack, of the memo: a recorder holds some thousand calls of some twenty fields, each with a stack.
MAX_VALUES = 3_000_000
# About what the bytes and their values may take in memory, with what it takes to check them.
MAX_MEMORY = 108 << 20
# The same where what is shared, such as the frames of calls from one place, counts as often as it stands there.
_MAX_SPREAD = 40_000_000
_MAX_INT_BITS = 128
# Numbers of any size can be chosen so that a dict takes quadratic time for them; these number ranks and groups.
_MAX_KEY = 1_000_000
_NUMBERS = frozenset({"INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4"})
_TEXTS = frozenset({"UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "SHORT_BINSTRING", "BINSTRING"})
_ARGUMENTS = _NUMBERS | _TEXTS | {"FLOAT", "BINFLOAT"}
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_CONTAINERS = (dict, list, tuple)
# What an opcode makes takes so many bytes, beside its place on the stack; of a text or a number, also its own size.
_PLACE_BYTES = 8
_BYTES_OF = {"EMPTY_DICT": 250, "DICT": 250, "EMPTY_LIST": 150, "LIST": 150}
_BYTES_OF |= dict.fromkeys(("EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"), 150)
_BYTES_OF |= dict.fromkeys(("MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT"), 60)
# What is put behind a mark waits in a list, until it is taken from there.
_BYTES_OF |= {"MARK": 80, "APPENDS": -80, "SETITEMS": -80}


class NotPlain(ValueError):
    """The bytes are no pickle of plain values; says why."""


def load(data: bytes) -> Any:
    """The value that the pickle holds. Raises NotPlain for everything that is damaged, or more than plain values."""
    machine = _Machine()
    at, taken = 0, len(data)
    try:
        for opcode, argument, place in islice(pickletools.genops(data), MAX_VALUES):
            at, name = place or 0, opcode.name
            if name == "STOP":
                return _bounded(machine.stack.pop())
            taken += _PLACE_BYTES + _BYTES_OF.get(name, 0)
            taken += sys.getsizeof(argument) if name in _ARGUMENTS else 0
            if taken > MAX_MEMORY:
                break
            machine.run(name, argument)
    except NotPlain:
        raise
    # What is damaged may be anything: each opcode has faults of its own.
    except Exception as fault:
        raise NotPlain(f"it is damaged at byte {at}") from fault
    raise NotPlain("it holds too many values")


class _Machine:
    """Makes plain values: on the ``stack`` is what came behind the last mark, what came before it waits."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self._waiting: list[list[Any]] = []
        self._memo: dict[int, Any] = {}

    def run(self, opcode: str, argument: Any) -> None:
        """Do what the opcode says. Raises NotPlain for what makes no plain value, any error for what is damaged."""
        match opcode:
            case "PROTO" | "FRAME":
                pass
            case "MARK":
                self._waiting.append(self.stack)
                self.stack = []
            case "APPEND" | "APPENDS":
                added = self._last(1) if opcode == "APPEND" else self._behind_mark()
                list.extend(self.stack[-1], added)
            case "SETITEM" | "SETITEMS":
                added = self._last(2) if opcode == "SETITEM" else self._behind_mark()
                dict.update(self.stack[-1], _dict_of(added))
            case "MEMOIZE" | "PUT" | "BINPUT" | "LONG_BINPUT":
                self._memo[len(self._memo) if opcode == "MEMOIZE" else argument] = self.stack[-1]
            case _:
                made = self._made(opcode, argument)
                self.stack.append(made)

    def _made(self, opcode: str, argument: Any) -> Any:
        if opcode in _ARGUMENTS:
            if opcode in _NUMBERS and argument.bit_length() > _MAX_INT_BITS:
                raise NotPlain("it holds a number of too many digits")
            return argument
        match opcode:
            case "NONE" | "NEWTRUE" | "NEWFALSE":
                return _CONSTANTS[opcode]
            case "GET" | "BINGET" | "LONG_BINGET":
                return self._memo[int(argument)]
            case "EMPTY_DICT" | "DICT":
                return {} if opcode == "EMPTY_DICT" else _dict_of(self._behind_mark())
            case "EMPTY_LIST" | "LIST":
                return [] if opcode == "EMPTY_LIST" else self._behind_mark()
            case "EMPTY_TUPLE" | "TUPLE":
                return () if opcode == "EMPTY_TUPLE" else tuple(self._behind_mark())
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                return tuple(self._last(int(opcode[-1])))
        raise NotPlain("it asks for more than plain values")

    def _behind_mark(self) -> list[Any]:
        behind, self.stack = self.stack, self._waiting.pop()
        return behind

    def _last(self, count: int) -> list[Any]:
        return [self.stack.pop() for _ in range(count)][::-1]


def _dict_of(flat: Sequence[Any]) -> dict[Any, Any]:
    """Keys and values by turns. To hash a tuple of tuples may take without end, so that none is a key."""
    if not all(isinstance(key, str) or (isinstance(key, int) and abs(key) <= _MAX_KEY) for key in flat[::2]):
        raise NotPlain("it has a key that is no plain one")
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _bounded(value: Any) -> Any:
    """The value, if it is no larger than what it is made of. Raises NotPlain for one that shares parts without end."""
    sizes: dict[int, int] = {}
    waiting = [(value, False)]
    while waiting:
        one, measured = waiting.pop()
        parts = [*one.keys(), *one.values()] if isinstance(one, dict) else one
        inner = [part for part in parts if isinstance(part, _CONTAINERS)] if isinstance(one, _CONTAINERS) else []
        if measured:
            sizes[id(one)] = size = 1 + len(parts) - len(inner) + sum(sizes[id(part)] for part in inner)
            if size > _MAX_SPREAD:
                raise NotPlain("it holds too many values")
        elif id(one) not in sizes and isinstance(one, _CONTAINERS):
            sizes[id(one)] = 0
            waiting.append((one, True))
            waiting.extend((part, False) for part in inner)
        elif sizes.get(id(one)) == 0:
            raise NotPlain("it holds itself")
    return value
