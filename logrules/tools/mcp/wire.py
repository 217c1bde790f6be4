"""Messages on standard input and output, one a line: bounded, each answered, and gone once the client is gone.

The SDK's own transport reads a line however long it is, takes in requests without end, passes over what it cannot
read, and does not see that nobody reads its answers any more.
"""

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

import anyio
from anyio import BrokenResourceError, EndOfStream, to_thread
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter

from logrules.tools.mcp.refusals import refusal, refusal_of_length, refusal_of_nameless

# 64 paths of the greatest length that a system has fill half of it.
MAX_MESSAGE_BYTES = 512 << 10
# Of so many requests and bytes the answers are waited for before another message is read.
MAX_WAITING, MAX_WAITING_BYTES = 32, 2 << 20
_READ_BYTES = 64 << 10
_WRITE_BYTES = 4 << 10
_STUCK_MS = 2_000
_HAS_POLL = hasattr(select, "poll")


class Wire:
    """The messages that a client sends, and the way back to it: a stream to read and to write in one.

    ``fault`` is why an answer could not be written, where that is not that the client went.
    """

    def __init__(self, given: int, answered: int) -> None:
        self.fault: OSError | None = None
        self._given, self._answered = given, answered
        self._lines = _lines(given, answered)
        self._waiting: dict[str | int, int] = {}
        self._fewer = anyio.Event()
        self._writing = anyio.Lock()
        self._is_gone = False

    async def receive(self) -> SessionMessage:
        """The next message that is one; what is none is answered with an error."""
        while True:
            while self._has_enough():
                self._fewer = anyio.Event()
                await self._fewer.wait()
            line = None if self._is_gone else await to_thread.run_sync(next, self._lines, None, abandon_on_cancel=True)
            if line is None:
                raise EndOfStream
            read = _read(line)
            if isinstance(read, JSONRPCError):
                await self.send(SessionMessage(read))
                continue
            if isinstance(read, JSONRPCRequest):
                self._waiting[read.id] = len(line)
            elif isinstance(read, JSONRPCNotification) and read.method == "notifications/cancelled":
                # A cancelled request is never answered.
                self._no_longer_waits((read.params or {}).get("requestId"))
            return SessionMessage(read)

    async def send(self, item: SessionMessage) -> None:
        """Write a message. Raises BrokenResourceError where nobody reads it."""
        message = item.message
        data = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        async with self._writing:
            if not self._is_gone:
                await to_thread.run_sync(self._write, data)
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._no_longer_waits(message.id)
        if self._is_gone:
            self._fewer.set()
            raise BrokenResourceError

    async def aclose(self) -> None:
        """Nothing: the descriptors are not its own."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _has_enough(self) -> bool:
        is_full = len(self._waiting) >= MAX_WAITING or sum(self._waiting.values()) > MAX_WAITING_BYTES
        return is_full and not self._is_gone

    def _no_longer_waits(self, name: object) -> None:
        if isinstance(name, str | int):
            self._waiting.pop(name, None)
        self._fewer.set()

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                _wait_for_reader(self._answered, self._given)
                # What a pipe is ready for is as much.
                left = left[os.write(self._answered, left[:_WRITE_BYTES]) :]
        except OSError as fault:
            self._is_gone = True
            self.fault = None if isinstance(fault, BrokenPipeError | ConnectionError) else fault
        self._is_gone = self._is_gone or bool(left)


@contextmanager
def standard_wire() -> Iterator[Wire]:
    """The wire on standard input and output. What else is printed goes to standard error meanwhile.

    Raises OSError where one of them is closed.
    """
    sys.stdout.flush()
    given, answered = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 (a device)
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    try:
        yield Wire(given, answered)
    finally:
        # A thread may still wait on the descriptors: they are never closed, so that no other file takes their numbers.
        os.dup2(given, 0)
        os.dup2(answered, 1)


def _read(line: bytes) -> JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError:
    """What a line says, or the error that answers it."""
    if len(line) > MAX_MESSAGE_BYTES:
        return refusal_of_length(line, MAX_MESSAGE_BYTES)
    try:
        read = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError as fault:
        return refusal(fault, line)
    if isinstance(read, JSONRPCNotification) and b'"id"' in line:
        return refusal_of_nameless(line) or read
    return read


def _lines(given: int, answered: int) -> Iterator[bytes]:
    """Lines that are not empty; of one that is too long the beginning and the end.

    The last ends with what is given, and all with the reader of what is answered.
    """
    held = bytearray()
    while data := _more(given, answered):
        *whole, rest = data.split(b"\n")
        for piece in whole:
            held += piece
            if held.strip():
                yield bytes(held)
            held.clear()
        held += rest
        if len(held) > MAX_MESSAGE_BYTES + 2 * _READ_BYTES:
            del held[MAX_MESSAGE_BYTES:-_READ_BYTES]
    if held.strip():
        yield bytes(held)


def _more(given: int, answered: int) -> bytes:
    """The next bytes; none at the end, or if nobody reads the answers any more."""
    try:
        if _HAS_POLL:
            either = select.poll()
            either.register(given, select.POLLIN)
            either.register(answered, 0)
            if any(place == answered and state & select.POLLERR for place, state in either.poll()):
                return b""
        return os.read(given, _READ_BYTES)
    except OSError:
        return b""


def _wait_for_reader(answered: int, given: int) -> None:
    """Wait until something can be written. Raises BrokenPipeError where nobody reads and nobody writes either."""
    if not _HAS_POLL:
        return
    reader, writer = select.poll(), select.poll()
    reader.register(answered, select.POLLOUT)
    writer.register(given, 0)
    while not reader.poll(_STUCK_MS):
        if any(state & select.POLLHUP for _, state in writer.poll(0)):
            raise BrokenPipeError
