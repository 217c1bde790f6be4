"""Pickles of plain values only: dict, list, tuple, str, int, float, bool, None. Nothing is ever imported or called.

`pickletools` takes the bytes apart without running them; what the opcodes do is done here, for those in the table. Not
the standard library's unpickler with its imports forbidden: that still reserves memory for whatever number a hostile
pickle gives to its memo.
"""

import pickletools
from collections.abc import Callable
from itertools import islice
from typing import Any

# Of any container, of the stack, of the memo: a recorder holds some thousand calls of some twenty fields.
MAX_VALUES = 4_000_000
_MAX_INT_BITS = 128
_MARK = object()


class NotPlain(ValueError):
    """The bytes are no pickle of plain values; says why."""


def load(data: bytes) -> Any:
    """The value that the pickle holds. Raises NotPlain for everything that is damaged, or more than plain values."""
    machine, at = _Machine(), 0
    try:
        for opcode, argument, place in islice(pickletools.genops(data), MAX_VALUES):
            at = place or 0
            if opcode.name == "STOP":
                return machine.stack.pop()
            if opcode.name not in _FRAMING:
                _TABLE.get(opcode.name, _refused)(machine, argument)
    except NotPlain:
        raise
    except (IndexError, KeyError, ValueError, TypeError, AttributeError, OverflowError) as fault:
        raise NotPlain(f"it is damaged at byte {at}") from fault
    raise NotPlain("it holds too many values")


class _Machine:
    """A pickle machine with a stack, a memo, and no way to reach anything else."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def push(self, value: Any) -> None:
        """Put a value on the stack."""
        if isinstance(value, int) and value.bit_length() > _MAX_INT_BITS:
            raise NotPlain("it holds a number of too many digits")
        self.stack.append(value)

    def push_tuple(self, size: int) -> None:
        """The last so many values as one tuple."""
        values = [self.stack.pop() for _ in range(size)]
        if any(value is _MARK for value in values):
            raise NotPlain("it is damaged")
        self.push(tuple(reversed(values)))

    def group(self) -> list[Any]:
        """The values since the last mark."""
        place = len(self.stack) - 1
        while self.stack[place] is not _MARK:
            place -= 1
            if place < 0:
                raise NotPlain("it is damaged")
        values = self.stack[place + 1 :]
        del self.stack[place:]
        return values

    def top(self, kind: type) -> Any:
        """The last value, which must be of this kind."""
        if type(self.stack[-1]) is not kind:
            raise NotPlain("it is damaged")
        return self.stack[-1]

    def extend(self, values: list[Any]) -> None:
        """The values into the list below them."""
        self.top(list).extend(values)

    def set_items(self, values: list[Any]) -> None:
        """The keys and values into the dict below them."""
        self.top(dict).update(_pairs(values))

    def put(self, place: int) -> None:
        """Remember the last value under a number."""
        self.memo[place] = self.stack[-1]


def _pairs(values: list[Any]) -> dict[Any, Any]:
    return dict(zip(values[::2], values[1::2], strict=True))


def _refused(_machine: _Machine, _argument: Any) -> None:
    raise NotPlain("it asks for more than plain values")


# How the rest is written.
_FRAMING = frozenset({"PROTO", "FRAME"})
_TABLE: dict[str, Callable[[_Machine, Any], None]] = {
    "MARK": lambda machine, _: machine.stack.append(_MARK),
    "NONE": lambda machine, _: machine.push(None),
    "NEWTRUE": lambda machine, _: machine.push(True),
    "NEWFALSE": lambda machine, _: machine.push(False),
    "EMPTY_DICT": lambda machine, _: machine.push({}),
    "EMPTY_LIST": lambda machine, _: machine.push([]),
    "EMPTY_TUPLE": lambda machine, _: machine.push(()),
    "APPEND": lambda machine, _: machine.extend([machine.stack.pop()]),
    "APPENDS": lambda machine, _: machine.extend(machine.group()),
    "SETITEM": lambda machine, _: machine.set_items([machine.stack.pop(), machine.stack.pop()][::-1]),
    "SETITEMS": lambda machine, _: machine.set_items(machine.group()),
    "DICT": lambda machine, _: machine.push(_pairs(machine.group())),
    "LIST": lambda machine, _: machine.push(machine.group()),
    "TUPLE": lambda machine, _: machine.push(tuple(machine.group())),
    "TUPLE1": lambda machine, _: machine.push_tuple(1),
    "TUPLE2": lambda machine, _: machine.push_tuple(2),
    "TUPLE3": lambda machine, _: machine.push_tuple(3),
    "MEMOIZE": lambda machine, _: machine.put(len(machine.memo)),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT"), _Machine.put),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), lambda machine, place: machine.push(machine.memo[place])),
    # What stands behind these is the value itself.
    **dict.fromkeys(("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4"), _Machine.push),
    **dict.fromkeys(("FLOAT", "BINFLOAT", "UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"), _Machine.push),
    **dict.fromkeys(("SHORT_BINSTRING", "BINSTRING"), _Machine.push),
}
