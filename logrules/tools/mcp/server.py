"""What agents may ask of logrules, and the server of it: the Model Context Protocol by its official SDK."""

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations

from logrules.engine.run import replay
from logrules.model.errors import LogrulesError
from logrules.model.report import Report
from logrules.model.version import __version__
from logrules.output.escape import safe_lines
from logrules.output.report_json import SCHEMA as REPORT_SCHEMA
from logrules.output.report_json import report_document
from logrules.output.rule_page import render_rule, render_word
from logrules.ruleset.pack import Pack, Rule
from logrules.ruleset.rule_text import causes_of, phases_of, title_of
from logrules.sources.discover import discover
from logrules.sources.file import FileSource

MAX_PATHS = 64
MAX_DIAGNOSES = 5
MAX_EVIDENCE = 5
MAX_LINE_CHARS = 500
MAX_SPANS = 200
MAX_RULES = 50
MAX_CARD_CHARS = 8_000
DIGEST_CHARS = 12


class Tools:
    """The tools over one folder and one pack of rules."""

    def __init__(self, root: Path, pack: Pack) -> None:
        self._root = root.resolve()
        self._pack = pack

    def diagnose(self, paths: Sequence[str], language: str = "en") -> dict[str, Any]:
        """Status, phase and ranked diagnoses of one job's logs or folders of logs, with evidence and fixes."""
        report = self._report(paths)
        document = report_document(report, language)
        for one in document["diagnoses"]:
            one["evidence"] = [_short(line) for line in one["evidence"][:MAX_EVIDENCE]]
            for other in one["consequences"]:
                other["evidence"] = [_short(line) for line in other["evidence"]]
        return {
            "status": document["status"],
            "phase": document["phase"],
            "lines": document["lines"],
            "diagnoses": document["diagnoses"][:MAX_DIAGNOSES],
            "more_diagnoses": max(0, len(document["diagnoses"]) - MAX_DIAGNOSES),
            "unusual": [_short(line) for line in document["unusual"][:MAX_EVIDENCE]],
            "notes": document["notes"][:MAX_EVIDENCE],
            "versions": self.versions(),
        }

    def timeline(self, paths: Sequence[str]) -> dict[str, Any]:
        """Which worker was in which phase, from which line to which."""
        spans = report_document(self._report(paths), "en")["timeline"]
        return {"spans": spans[:MAX_SPANS], "more_spans": max(0, len(spans) - MAX_SPANS)}

    def versions(self) -> dict[str, Any]:
        """What answers: the version of logrules, the schema of its reports, the rules by their number and digest."""
        return {
            "logrules": __version__,
            "report": REPORT_SCHEMA,
            "rules": len(self._pack.rules),
            "rules_digest": self._pack.digest[:DIGEST_CHARS],
        }

    def every_rule(self) -> list[dict[str, str]]:
        """All rules with their causes and titles."""
        return [self._named(rule) for rule in self._pack.rules]

    def rules(self, query: str = "") -> dict[str, Any]:
        """The rules whose id, cause or title holds the query."""
        asked = query.lower()
        found = [one for one in self.every_rule() if asked in " ".join(one.values()).lower()]
        return {"rules": found[:MAX_RULES], "more_rules": max(0, len(found) - MAX_RULES)}

    def explain(self, name: str, language: str = "en") -> str:
        """The card of a rule, a cause or a phase. Raises LogrulesError where nothing is called so."""
        out = io.StringIO()
        rules = {rule.id: rule for rule in self._pack.rules}
        words = {word.id: word for word in (*phases_of(self._pack), *causes_of(self._pack))}
        if name in rules:
            render_rule(rules[name], self._pack, out, language, "bash")
        elif name in words:
            render_word(words[name], self._pack, out, language)
        else:
            raise LogrulesError(f"no rule, cause or phase is called `{name[:100]}`")
        return out.getvalue()[:MAX_CARD_CHARS]

    def _named(self, rule: Rule) -> dict[str, str]:
        return {"rule": rule.id, "cause": rule.cause, "title": title_of(self._pack, rule.id).en}

    def _report(self, paths: Sequence[str]) -> Report:
        named = [self._allowed(path) for path in paths[: MAX_PATHS + 1]]
        if not named or len(named) > MAX_PATHS:
            raise LogrulesError(f"name between 1 and {MAX_PATHS} logs or folders")
        found = discover([str(path) for path in named], within=self._root)
        for source in found.sources:
            # What flight-recorder dumps tell has no path of its own: they were read already, below the folder.
            if isinstance(source, FileSource):
                # A pattern may have matched a link that leads out of the folder, or a pipe that nobody writes to.
                self._allowed(str(source.path))
        report = replay(found.sources, self._pack, notes=found.notes)
        if not report.lines:
            raise LogrulesError("there is not a line in it")
        return report

    def _allowed(self, path: str) -> Path:
        """The path, resolved, below the root. Raises LogrulesError where it is not."""
        try:
            resolved = (self._root / path).resolve()
        except (OSError, ValueError, RuntimeError):
            raise LogrulesError("not a usable path") from None
        if not resolved.is_relative_to(self._root):
            raise LogrulesError("the path lies outside the folder that may be read")
        if resolved.exists() and not (resolved.is_file() or resolved.is_dir()):
            raise LogrulesError("the path is neither a file nor a folder")
        return resolved


def _short(line: dict[str, Any]) -> dict[str, Any]:
    return {**line, "text": line["text"][:MAX_LINE_CHARS]}


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
        return _read(lambda: tools.explain(name))

    @server.resource("logrules://reports/{+path}", mime_type=_JSON)
    def report(path: str) -> dict[str, Any]:
        """The report on a log or a folder of logs."""
        return _read(lambda: tools.diagnose([path]))


def serve(root: Path, pack: Pack) -> None:
    """Serve on standard input and output until the client goes."""
    server_of(Tools(root, pack)).run("stdio")


def _several(path: str | list[str]) -> list[str]:
    return [path] if isinstance(path, str) else path


def _read(ask: Callable[[], _Answer]) -> _Answer:
    try:
        return ask()
    except LogrulesError as fault:
        raise ResourceError(safe_lines(str(fault))) from None


def _answered(ask: Callable[[], _Answer]) -> _Answer:
    try:
        return ask()
    except LogrulesError as fault:
        raise ToolError(safe_lines(str(fault))) from None
