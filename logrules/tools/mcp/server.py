"""The tools as a server of the Model Context Protocol, by its official SDK."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations

from logrules.model.errors import LogrulesError
from logrules.model.version import __version__
from logrules.output.escape import safe_lines
from logrules.ruleset.pack import Pack
from logrules.tools.mcp.tools import Tools
from logrules.tools.mcp.unreadable import AnsweredStream

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

    @server.tool(annotations=_LOOKS)
    def diagnose(path: str | list[str], language: Literal["en", "zh"] = "en") -> dict[str, Any]:
        """Diagnose one job: a log, several, or a folder of rank logs. Status, phase, ranked causes, evidence, fixes."""
        return _answered(lambda: tools.diagnose(_several(path), language))

    @server.tool(annotations=_LOOKS)
    def timeline(path: str | list[str]) -> dict[str, Any]:
        """The phases that each worker went through, with line numbers."""
        return _answered(lambda: tools.timeline(_several(path)))

    @server.tool(annotations=_LOOKS)
    def rules(query: str = "") -> dict[str, Any]:
        """Search the rules by id, cause or title."""
        return _answered(lambda: tools.rules(query))

    @server.tool(annotations=_LOOKS)
    def explain(name: str, language: Literal["en", "zh"] = "en") -> str:
        """The whole card of a rule, a cause or a phase: what it means, how to tell it apart, fixes, sources."""
        return _answered(lambda: tools.explain(name, language))

    _add_resources(server, tools)
    return server


def _add_resources(server: MCPServer, tools: Tools) -> None:
    """What a client may read without a call: reports on logs by their paths, rules, and what versions these are of."""

    @server.resource("logrules://versions", mime_type=_JSON)
    def versions() -> dict[str, Any]:
        """The versions of logrules, of its reports and of its rules."""
        return tools.versions()

    @server.resource("logrules://rules", mime_type=_JSON)
    def every_rule() -> list[dict[str, str]]:
        """All rules with their causes and titles."""
        return tools.every_rule()

    @server.resource("logrules://rules/{+name}", mime_type="text/plain")
    def card(name: str) -> str:
        """The whole card of a rule, a cause or a phase."""
        return _answered(lambda: tools.explain(name), ResourceError)

    @server.resource("logrules://reports/{+path}", mime_type=_JSON)
    def report(path: str) -> dict[str, Any]:
        """The report on a log or a folder of logs."""
        return _answered(lambda: tools.diagnose([path]), ResourceError)


def serve(root: Path, pack: Pack) -> None:
    """Serve on standard input and output until the client goes."""
    server_of(Tools(root, pack)).run("stdio")


def _several(path: str | list[str]) -> list[str]:
    return [path] if isinstance(path, str) else path


def _answered(ask: Callable[[], _Answer], refusal: type[ToolError | ResourceError] = ToolError) -> _Answer:
    try:
        return ask()
    except LogrulesError as fault:
        raise refusal(safe_lines(str(fault))) from None
