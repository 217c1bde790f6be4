"""Pickles of plain values only: dict, list, tuple, str, int, float, bool, None. Nothing is ever imported or called.

Not the standard library's unpickler with its imports forbidden: that still reserves memory for whatever number a
hostile pickle gives to its memo. Here an opcode that is not in the table is the end of the reading.
"""

import struct
from collections.abc import Callable
from typing import Any

# Of any container, of the stack, of the memo: a recorder holds some thousand calls of some twenty fields.
MAX_VALUES = 4_000_000
_MAX_INT_BYTES = 16
_MARK = object()


class NotPlain(ValueError):
    """The bytes are no pickle of plain values; says why."""


def load(data: bytes) -> Any:
    """The value that the pickle holds. Raises NotPlain for everything that is damaged, or more than plain values."""
    reader = _Reader(data)
    try:
        return reader.run()
    except NotPlain:
        raise
    except (IndexError, KeyError, ValueError, TypeError, AttributeError, struct.error, OverflowError) as fault:
        raise NotPlain(f"it is damaged at byte {reader.at}") from fault


class _Reader:
    """A pickle machine with a stack, a memo, and no way to reach anything else."""

    def __init__(self, data: bytes) -> None:
        self.at = 0
        self._data = data
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def run(self) -> Any:
        data, table, stop = self._data, _TABLE, ord(".")
        for _ in range(MAX_VALUES):
            code = data[self.at]
            self.at += 1
            if code == stop:
                return self._stack.pop()
            does = table.get(code)
            if does is None:
                raise NotPlain(f"it asks for more than plain values (opcode {code:#04x})")
            does(self)
        raise NotPlain("it holds too many values")

    def take(self, size: int) -> bytes:
        """The next bytes, all of them."""
        start, self.at = self.at, self.at + size
        if size < 0 or self.at > len(self._data):
            raise NotPlain("it is cut short")
        return self._data[start : self.at]

    def line(self) -> str:
        """The rest of the line, as the oldest protocol writes it."""
        end = self._data.index(b"\n", self.at)
        start, self.at = self.at, end + 1
        return self._data[start:end].decode("raw-unicode-escape")

    def number(self, form: str) -> int:
        """The next number of this `struct` form."""
        return int(struct.unpack(form, self.take(struct.calcsize(form)))[0])

    def push(self, value: Any) -> None:
        """Put a value on the stack."""
        self._stack.append(value)

    def push_long(self, size: int) -> None:
        """A whole number of so many bytes."""
        if size > _MAX_INT_BYTES:
            raise NotPlain("it holds a number of too many digits")
        self.push(int.from_bytes(self.take(size), "little", signed=True))

    def push_text(self, size: int) -> None:
        """Text of so many bytes."""
        self.push(self.take(size).decode("utf-8", "replace"))

    def push_tuple(self, size: int) -> None:
        """The last so many values as one tuple."""
        values = [self._stack.pop() for _ in range(size)]
        if any(value is _MARK for value in values):
            raise NotPlain("it is damaged")
        self.push(tuple(reversed(values)))

    def mark(self) -> None:
        """Remember where a group of values begins."""
        self._stack.append(_MARK)

    def group(self) -> list[Any]:
        """The values since the last mark."""
        stack = self._stack
        place = len(stack) - 1
        while stack[place] is not _MARK:
            place -= 1
            if place < 0:
                raise NotPlain("it is damaged")
        values = stack[place + 1 :]
        del stack[place:]
        return values

    def append(self) -> None:
        """The last value into the list below it."""
        value = self._stack.pop()
        self._top(list).append(value)

    def extend(self) -> None:
        """The values since the mark into the list below it."""
        values = self.group()
        self._top(list).extend(values)

    def set_item(self) -> None:
        """The last key and value into the dict below them."""
        value, key = self._stack.pop(), self._stack.pop()
        self._top(dict)[key] = value

    def set_items(self) -> None:
        """The keys and values since the mark into the dict below it."""
        values = self.group()
        self._top(dict).update(zip(values[::2], values[1::2], strict=True))

    def put(self, place: int) -> None:
        """Remember the last value under a number."""
        self._memo[place] = self._stack[-1]

    def get(self, place: int) -> None:
        """The value that is remembered under a number."""
        self.push(self._memo[place])

    def memoize(self) -> None:
        """Remember the last value under the next number."""
        self.put(len(self._memo))

    def _top(self, kind: type) -> Any:
        if type(self._stack[-1]) is not kind:
            raise NotPlain("it is damaged")
        return self._stack[-1]


def _pairs(values: list[Any]) -> dict[Any, Any]:
    return dict(zip(values[::2], values[1::2], strict=True))


def _protocol_0_int(text: str) -> int | bool:
    if text in ("00", "01"):
        return text == "01"
    if len(text) > 2 * _MAX_INT_BYTES:
        raise NotPlain("it holds a number of too many digits")
    return int(text.removesuffix("L"))


_TABLE: dict[int, Callable[[_Reader], Any]] = {
    0x80: lambda r: r.take(1),  # PROTO
    0x95: lambda r: r.take(8),  # FRAME: how long the next stretch is
    ord("("): _Reader.mark,
    ord("N"): lambda r: r.push(None),
    0x88: lambda r: r.push(True),
    0x89: lambda r: r.push(False),
    ord("I"): lambda r: r.push(_protocol_0_int(r.line())),
    ord("L"): lambda r: r.push(_protocol_0_int(r.line())),
    ord("J"): lambda r: r.push(r.number("<i")),
    ord("K"): lambda r: r.push(r.number("<B")),
    ord("M"): lambda r: r.push(r.number("<H")),
    0x8A: lambda r: r.push_long(r.number("<B")),
    0x8B: lambda r: r.push_long(r.number("<i")),
    ord("F"): lambda r: r.push(float(r.line())),
    ord("G"): lambda r: r.push(struct.unpack(">d", r.take(8))[0]),
    ord("V"): lambda r: r.push(r.line()),
    ord("X"): lambda r: r.push_text(r.number("<I")),
    0x8C: lambda r: r.push_text(r.number("<B")),
    0x8D: lambda r: r.push_text(r.number("<Q")),
    ord("U"): lambda r: r.push_text(r.number("<B")),
    ord("T"): lambda r: r.push_text(r.number("<i")),
    ord("}"): lambda r: r.push({}),
    ord("]"): lambda r: r.push([]),
    ord(")"): lambda r: r.push(()),
    ord("a"): _Reader.append,
    ord("e"): _Reader.extend,
    ord("s"): _Reader.set_item,
    ord("u"): _Reader.set_items,
    ord("d"): lambda r: r.push(_pairs(r.group())),
    ord("l"): lambda r: r.push(r.group()),
    ord("t"): lambda r: r.push(tuple(r.group())),
    0x85: lambda r: r.push_tuple(1),
    0x86: lambda r: r.push_tuple(2),
    0x87: lambda r: r.push_tuple(3),
    ord("q"): lambda r: r.put(r.number("<B")),
    ord("r"): lambda r: r.put(r.number("<I")),
    ord("p"): lambda r: r.put(int(r.line())),
    0x94: _Reader.memoize,
    ord("h"): lambda r: r.get(r.number("<B")),
    ord("j"): lambda r: r.get(r.number("<I")),
    ord("g"): lambda r: r.get(int(r.line())),
}
