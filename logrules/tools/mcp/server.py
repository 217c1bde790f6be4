"""The tools as a server of the Model Context Protocol, by its official SDK, which answers what the SDK cannot read."""

import json
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from anyio import EndOfStream
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    CallToolResult,
    ErrorData,
    InputRequiredResult,
    JSONRPCError,
    ToolAnnotations,
)

from logrules.model.errors import LogrulesError
from logrules.model.version import __version__
from logrules.output.escape import safe_lines
from logrules.ruleset.pack import Pack
from logrules.tools.mcp.tools import Tools

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")

_ABOUT = "Says where a machine-learning training run is stuck or why it failed, from its logs. Start with diagnose."
_JSON = "application/json"
_LOOKS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


class _StrictServer(MCPServer):
    """A server that refuses an argument that no tool has, where the SDK would pass over it in silence."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call the tool. Raises ToolError, with the arguments that there are, for one that it does not have."""
        known = {tool.name: list(tool.input_schema.get("properties", {})) for tool in await self.list_tools()}
        unknown = [given for given in arguments if name in known and given not in known[name]]
        if unknown:
            raise ToolError(f"{name} has no argument `{unknown[0][:100]}`; it has: {', '.join(known[name])}")
        return await super().call_tool(name, arguments, context)

    async def run_stdio_async(self) -> None:
        """Serve on standard input and output, and answer what is no message too."""
        inner = self._lowlevel_server
        async with stdio_server() as (messages, answers):
            await inner.run(AnsweredStream(messages, answers), answers, inner.create_initialization_options())


def server_of(tools: Tools) -> MCPServer:
    """The server; a mistake of the client is answered in one sentence."""
    server = _StrictServer("logrules", version=__version__, instructions=_ABOUT, log_level="ERROR")

    for tool in (tools.diagnose, tools.timeline, tools.rules, tools.explain):
        server.tool(annotations=_LOOKS)(_refusing(tool, ToolError))
    _add_resources(server, tools)
    return server


def _add_resources(server: MCPServer, tools: Tools) -> None:
    """What a client may read without a call: reports on logs by their paths, rules, and what versions these are of."""
    server.resource("logrules://versions", mime_type=_JSON)(tools.versions)
    server.resource("logrules://rules", mime_type=_JSON)(tools.every_rule)
    explained, diagnosed = _refusing(tools.explain, ResourceError), _refusing(tools.diagnose, ResourceError)

    @server.resource("logrules://rules/{+name}", mime_type="text/plain")
    def card(name: str) -> str:
        """The whole card of a rule, a cause or a phase."""
        return explained(name)

    @server.resource("logrules://reports/{+path}", mime_type=_JSON)
    def report(path: str) -> dict[str, Any]:
        """The report on a log or a folder of logs."""
        return diagnosed(path)


def serve(root: Path, pack: Pack) -> None:
    """Serve on standard input and output until the client goes."""
    server_of(Tools(root, pack)).run("stdio")


def _refusing(ask: Callable[_Asked, _Answer], refusal: type[ToolError | ResourceError]) -> Callable[_Asked, _Answer]:
    """The same, with a mistake of the client as a refusal of the protocol."""

    @wraps(ask)
    def answered(*asked: _Asked.args, **named: _Asked.kwargs) -> _Answer:
        try:
            return ask(*asked, **named)
        except LogrulesError as fault:
            raise refusal(safe_lines(str(fault))) from None

    return answered


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
