"""Messages that the SDK cannot read and passes over in silence: whoever waits for an answer gets an error."""

import json
from types import TracebackType
from typing import TYPE_CHECKING, Self

from anyio import EndOfStream
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream

_LONGEST_ID = 100


class AnsweredStream:
    """The messages of a stream that can be read; each of the others is answered with an error."""

    def __init__(
        self, messages: "ReadStream[SessionMessage | Exception]", answers: "WriteStream[SessionMessage]"
    ) -> None:
        self._messages = messages
        self._answers = answers

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        while isinstance(item := await self._messages.receive(), Exception):
            await self._answers.send(SessionMessage(_refusal(item)))
        return item

    async def aclose(self) -> None:
        """Close the stream."""
        await self._messages.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
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


def _refusal(fault: Exception) -> JSONRPCError:
    """The answer to what could not be read, under the id that it has, if it has one."""
    # Pydantic's, which only the room of rule files may import.
    errors = getattr(fault, "errors", None)
    said = errors(include_url=False, include_context=False)[0] if errors is not None else None
    is_json = said is not None and said["type"] != "json_invalid"
    message = "no request of JSON-RPC" if is_json else "no JSON in UTF-8, or a lone half of a UTF-16 pair in it"
    error = ErrorData(code=INVALID_REQUEST if is_json else PARSE_ERROR, message=message)
    return JSONRPCError(jsonrpc="2.0", id=_id_in(said["input"] if said else None), error=error)


def _id_in(message: object) -> str | int | None:
    """The id of a request; Python's own reader also takes halves of pairs."""
    try:
        found = json.loads(message) if isinstance(message, str) else message
    except (ValueError, RecursionError):
        return None
    given = found.get("id") if isinstance(found, dict) else None
    if isinstance(given, str) and given.isprintable() and len(given) <= _LONGEST_ID:
        return given
    return given if isinstance(given, int) and not isinstance(given, bool) else None
