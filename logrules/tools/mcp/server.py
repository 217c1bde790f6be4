"""The tools as a server of the Model Context Protocol, by its official SDK."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

from logrules.model.errors import LogrulesError
from logrules.ruleset.pack import Pack
from logrules.tools.mcp.tools import Tools

_Answer = TypeVar("_Answer")

_ABOUT = "Says where a machine-learning training run is stuck or why it failed, from its logs. Start with diagnose."
_LOOKS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def server_of(tools: Tools) -> MCPServer:
    """The server; a mistake of the client is answered in one sentence."""
    server = MCPServer("logrules", instructions=_ABOUT, log_level="ERROR")

    @server.tool(annotations=_LOOKS)
    def diagnose(path: str, language: Literal["en", "zh"] = "en") -> dict[str, Any]:
        """Diagnose a log file or a folder of rank logs: status, phase, ranked causes with evidence lines and fixes."""
        return _answered(lambda: tools.diagnose(path, language))

    @server.tool(annotations=_LOOKS)
    def timeline(path: str) -> dict[str, Any]:
        """The phases that each worker went through, with line numbers."""
        return _answered(lambda: tools.timeline(path))

    @server.tool(annotations=_LOOKS)
    def rules(query: str = "") -> dict[str, Any]:
        """Search the rules by id, cause or title."""
        return _answered(lambda: tools.rules(query))

    @server.tool(annotations=_LOOKS)
    def explain(name: str, language: Literal["en", "zh"] = "en") -> str:
        """The whole card of a rule, a cause or a phase: what it means, how to tell it apart, fixes, sources."""
        return _answered(lambda: tools.explain(name, language))

    return server


def serve(root: Path, pack: Pack) -> None:
    """Serve on standard input and output until the client goes."""
    server_of(Tools(root, pack)).run("stdio")


def _answered(ask: Callable[[], _Answer]) -> _Answer:
    try:
        return ask()
    except LogrulesError as fault:
        raise ToolError(str(fault)) from None
