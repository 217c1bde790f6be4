"""Pickles of plain values only: dict, list, tuple, str, int, float, bool, None. Nothing is ever imported or called.

`pickletools` takes the bytes apart without running them, and only what is made of the opcodes below is then read by the
standard library, whose reader has no way to a function either. By itself it would reserve memory for whatever number a
hostile pickle gives to its memo.
"""

import io
import pickle
import pickletools
from itertools import islice
from typing import Any, NoReturn

# Of any container, of the stack, of the memo: a recorder holds some thousand calls of some twenty fields.
MAX_VALUES = 4_000_000
_MAX_INT_BITS = 128
_NUMBERS = frozenset({"INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4"})
_MEMO = frozenset({"PUT", "BINPUT", "LONG_BINPUT"})
_PLAIN = frozenset(
    {
        *("PROTO", "FRAME", "STOP", "MARK", "NONE", "NEWTRUE", "NEWFALSE", *_NUMBERS, *_MEMO),
        *("EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "APPEND", "APPENDS", "SETITEM", "SETITEMS", "DICT", "LIST"),
        *("TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "MEMOIZE", "GET", "BINGET", "LONG_BINGET", "FLOAT", "BINFLOAT"),
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
    at = 0
    try:
        for opcode, argument, place in islice(pickletools.genops(data), MAX_VALUES):
            at = place or 0
            if opcode.name == "STOP":
                return _PlainReader(io.BytesIO(data), encoding="latin-1").load()
            _refuse(opcode.name, argument)
    except NotPlain:
        raise
    # What is damaged may be anything: each opcode has faults of its own.
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
