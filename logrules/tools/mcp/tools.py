"""What an agent may ask. Reads below one folder only; every answer is bounded."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from logrules.engine.run import replay
from logrules.model.errors import LogrulesError
from logrules.model.report import Report
from logrules.model.version import __version__
from logrules.output.report_json import SCHEMA as REPORT_SCHEMA
from logrules.output.report_json import report_document
from logrules.output.rule_page import render_named
from logrules.ruleset.pack import Pack, Rule
from logrules.ruleset.rule_text import title_of
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
        if not render_named(name, self._pack, out, language, "bash"):
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
