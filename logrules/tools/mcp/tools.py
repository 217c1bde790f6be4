"""What an agent may ask. Reads below one folder only; every answer is bounded, and without secrets."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from logrules.tools.bundle.private_details import KEEPABLE
from logrules.tools.bundle.redact import Redactor

MAX_PATHS = 64
MAX_DIAGNOSES = 5
MAX_EVIDENCE = 5
MAX_LINE_CHARS = 500
MAX_TEXT_CHARS = 2_000
MAX_PATH_CHARS = 4_096
MAX_SPANS = 200
MAX_RULES = 50
MAX_CARD_CHARS = 8_000
DIGEST_CHARS = 12


IsCancelled = Callable[[], bool]


class Cancelled(LogrulesError):
    """Whoever asked does not want to know any more."""


class Tools:
    """The tools over one folder and one pack of rules. Who asks for a log may say that the answer is not wanted."""

    def __init__(self, root: Path, pack: Pack) -> None:
        self._root = root.resolve()
        self._pack = pack
        # Hosts and paths are what an agent needs.
        self._redactor = Redactor(keep=KEEPABLE)

    def diagnose(
        self, paths: Sequence[str], language: str = "en", is_cancelled: IsCancelled = lambda: False
    ) -> dict[str, Any]:
        """Status, phase and ranked diagnoses of one job's logs or folders of logs, with evidence and fixes."""
        document = report_document(self._report(paths, is_cancelled), language)
        for one in document["diagnoses"]:
            one["evidence"] = one["evidence"][:MAX_EVIDENCE]
        answer = {
            "status": document["status"],
            "phase": document["phase"],
            "lines": document["lines"],
            "diagnoses": document["diagnoses"][:MAX_DIAGNOSES],
            "more_diagnoses": max(0, len(document["diagnoses"]) - MAX_DIAGNOSES),
            "unusual": document["unusual"][:MAX_EVIDENCE],
            "notes": document["notes"][:MAX_EVIDENCE],
        }
        return {**self._without_secrets(answer), "versions": self.versions()}

    def timeline(self, paths: Sequence[str], is_cancelled: IsCancelled = lambda: False) -> dict[str, Any]:
        """Which worker was in which phase, from which line to which."""
        spans = report_document(self._report(paths, is_cancelled), "en")["timeline"]
        answer = {"spans": spans[:MAX_SPANS], "more_spans": max(0, len(spans) - MAX_SPANS)}
        return self._without_secrets(answer)

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

    def _without_secrets(self, answer: dict[str, Any]) -> dict[str, Any]:
        """The answer with the secrets that its texts quote taken out, and then no text longer than it may be."""
        clean, _ = self._redactor.redact({text: text for text in _texts(answer)})
        told: dict[str, Any] = _with_texts(answer, clean)
        return told

    def _report(self, paths: Sequence[str], is_cancelled: IsCancelled) -> Report:
        if not 0 < len(paths) <= MAX_PATHS:
            raise LogrulesError(f"name between 1 and {MAX_PATHS} logs or folders")
        try:
            return self._read([str(self._allowed(path)) for path in paths], is_cancelled)
        except Cancelled:
            raise
        except LogrulesError as fault:
            # Where the folder lies is nothing that a client has to know.
            raise LogrulesError(str(fault).replace(f"{self._root}/", "")) from None

    def _read(self, paths: Sequence[str], is_cancelled: IsCancelled) -> Report:
        def look_up(_: object) -> None:
            if is_cancelled():
                raise Cancelled("not wanted any more")

        found = discover(paths, within=self._root)
        for source in found.sources:
            # What flight-recorder dumps tell has no path of its own: they were read already, below the folder.
            if isinstance(source, FileSource):
                # A pattern may have matched a link that leads out of the folder, or a pipe that nobody writes to.
                self._allowed(str(source.path))
        # The SDK takes 60 MB already.
        report = replay(found.sources, self._pack, notes=found.notes, progress=look_up, observe=look_up, threads=0)
        if not report.lines:
            raise LogrulesError("there is not a line in it")
        return report

    def _allowed(self, path: str) -> Path:
        """The path, resolved, below the root. Raises LogrulesError where it is not."""
        if len(path) > MAX_PATH_CHARS:
            raise LogrulesError("not a usable path")
        try:
            resolved = (self._root / path).resolve()
            is_other = resolved.exists() and not (resolved.is_file() or resolved.is_dir())
        except (OSError, ValueError, RuntimeError):
            raise LogrulesError("not a usable path") from None
        if not resolved.is_relative_to(self._root):
            raise LogrulesError("the path lies outside the folder that may be read")
        if is_other:
            raise LogrulesError("the path is neither a file nor a folder")
        return resolved


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def _with_texts(value: Any, texts: Mapping[str, str], most: int = MAX_TEXT_CHARS) -> Any:
    """The same with other texts, cut at ``most``, and where they are lines of a log still shorter."""
    if isinstance(value, str):
        return texts[value][:most]
    if isinstance(value, dict):
        # What stands beside a line's number is a line.
        line = {"text": MAX_LINE_CHARS} if "line" in value else {}
        return {key: _with_texts(part, texts, line.get(key, most)) for key, part in value.items()}
    return [_with_texts(part, texts, most) for part in value] if isinstance(value, list) else value
