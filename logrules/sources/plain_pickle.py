"""Pickles of plain values only: dict, list, tuple, str, int, float, bool, None. Nothing is ever imported or called.

`pickletools` takes the bytes apart without running them, and only what is made of the opcodes below is then read by the
standard library, whose reader has no way to a function either. By itself it would reserve memory for whatever number a
hostile pickle gives to its memo, and take without end for a tuple of one tuple twice, of one tuple twice, and so on,
where that is the key of a dict.
"""

import io
import pickle
import pickletools
import sys
from collections.abc import Sequence
from itertools import islice
from typing import Any, NoReturn

# Of opcodes, of the stack, of the memo: a recorder holds some thousand calls of some twenty fields, each with a stack.
MAX_VALUES = 3_000_000
# About what the bytes and their values may take in memory, with what it takes to check them.
MAX_MEMORY = 108 << 20
# The same where what is shared, such as the frames of calls from one place, counts as often as it stands there.
_MAX_SPREAD = 40_000_000
_MAX_INT_BITS = 128
_NUMBERS = frozenset({"INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4"})
_MEMO = frozenset({"PUT", "BINPUT", "LONG_BINPUT"})
_TUPLES = frozenset({"EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"})
_CONTAINERS = (dict, list, tuple)
# What an opcode makes takes so many bytes, beside its place on the stack; of a text or a number, also its own size.
_PLACE_BYTES = 8
_BYTES_OF = {"EMPTY_DICT": 250, "DICT": 250, "EMPTY_LIST": 150, "LIST": 150, "MEMOIZE": 60}
_BYTES_OF |= dict.fromkeys(_TUPLES, 150) | dict.fromkeys(_MEMO, 60)
# Where, of what these opcodes take from the stack, the first key is.
_KEYED = {"SETITEM": 1, "SETITEMS": 2, "DICT": 1}
_PLAIN = frozenset(
    {
        *("PROTO", "FRAME", "STOP", "MARK", "NONE", "NEWTRUE", "NEWFALSE", *_NUMBERS, *_MEMO),
        *("EMPTY_DICT", "EMPTY_LIST", "APPEND", "APPENDS", "SETITEM", "SETITEMS", "DICT", "LIST", *_TUPLES),
        *("MEMOIZE", "GET", "BINGET", "LONG_BINGET", "FLOAT", "BINFLOAT"),
        *("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "SHORT_BINSTRING", "BINSTRING"),
    }
)


class NotPlain(ValueError):
    """The bytes are no pickle of plain values; says why."""


class _PlainReader(pickle.Unpickler):
    def find_class(self, _module: str, _name: str) -> NoReturn:
        raise NotPlain("it asks for more than plain values")


def load(data: bytes) -> Any:
    """The value that the pickle holds. Raises NotPlain for everything that is damaged, or more than plain values."""
    try:
        _check(data)
        return _bounded(_PlainReader(io.BytesIO(data), encoding="latin-1").load())
    except NotPlain:
        raise
    # What is damaged may be anything: each opcode has faults of its own.
    except Exception as fault:
        raise NotPlain("it is damaged") from fault


def _check(data: bytes) -> None:
    """Raise NotPlain unless the opcodes make nothing but plain values that memory has room for."""
    keys = _Keys()
    at, taken = 0, len(data)
    try:
        for opcode, argument, place in islice(pickletools.genops(data), MAX_VALUES):
            at = place or 0
            if opcode.name == "STOP":
                return
            _refuse(opcode.name, argument)
            taken += _PLACE_BYTES + _BYTES_OF.get(opcode.name, 0)
            taken += sys.getsizeof(argument) if isinstance(argument, str) or opcode.name in _NUMBERS else 0
            if taken > MAX_MEMORY:
                break
            keys.follow(opcode, argument)
    except NotPlain:
        raise
    except Exception as fault:
        raise NotPlain(f"it is damaged at byte {at}") from fault
    raise NotPlain("it holds too many values")


def _refuse(opcode: str, argument: Any) -> None:
    """Raise NotPlain for what is no part of a plain value, or takes more memory than one."""
    if opcode not in _PLAIN:
        raise NotPlain("it asks for more than plain values")
    if opcode in _NUMBERS and argument.bit_length() > _MAX_INT_BITS:
        raise NotPlain("it holds a number of too many digits")
    if opcode in _MEMO and argument >= MAX_VALUES:
        raise NotPlain("it remembers too many values")


class _Keys:
    """Follows what the opcodes put on the stack, as far as it takes to know that no key is a tuple."""

    def __init__(self) -> None:
        # Whether each is a tuple; None is a mark.
        self._stack: list[bool | None] = []
        self._memo: dict[int, bool | None] = {}

    def follow(self, opcode: pickletools.OpcodeInfo, argument: Any) -> None:
        """Take the next opcode. Raises NotPlain for a key that is a tuple, LookupError for what is damaged."""
        if opcode.name in _MEMO:
            self._memo[argument] = self._stack[-1]
        elif opcode.name == "MEMOIZE":
            self._memo[len(self._memo)] = self._stack[-1]
        elif opcode.name.endswith("GET"):
            self._stack.append(self._memo[int(argument)])
        else:
            taken = self._taken(opcode.stack_before)
            if opcode.name in _KEYED and True in taken[_KEYED[opcode.name] :: 2]:
                raise NotPlain("it has a key that is no plain one")
            kinds = (None if one is pickletools.markobject else opcode.name in _TUPLES for one in opcode.stack_after)
            self._stack.extend(kinds)

    def _taken(self, before: Sequence[pickletools.StackObject]) -> list[bool | None]:
        taken: list[bool | None] = []
        for one in reversed(before):
            if one is not pickletools.stackslice:
                taken.append(self._stack.pop())
                continue
            while self._stack[-1] is not None:
                taken.append(self._stack.pop())
        return taken[::-1]


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
