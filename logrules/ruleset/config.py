"""What a configuration may say, checked, and where; and what it says as rule files would."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from logrules.model.position import Position
from logrules.model.record import record
from logrules.model.report import Severity
from logrules.ruleset import models as schema
from logrules.ruleset.causes import Cause
from logrules.ruleset.framework_models import FrameworkFile, MarkerFile
from logrules.ruleset.pack_builder import RuleSource
from logrules.ruleset.schema_problems import validated
from logrules.ruleset.settings import PROJECT_NAME, Settings
from logrules.ruleset.table_reader import CausesFile, PipelineFile
from logrules.ruleset.tables import Phase
from logrules.ruleset.yaml_reader import Document

# What a project's own markers call their framework.
OWN = "own"

RuleName = Annotated[str, Field(description="the id of a rule or a wait; * stands for any text")]


class ConfigFile(schema.Strict):
    """`logrules.toml`, or `[tool.logrules]` in `pyproject.toml`.

    ``packs`` are folders of rules, relative to the file; ``installed`` says whether packs from installed Python
    packages count. ``disable``, ``severity`` and ``patience`` name rules and waits by their ids, or with ``*``.
    ``phases`` and ``causes`` are added to the tables; ``markers`` say what the project's own programs print.
    """

    packs: list[str] = Field(default_factory=list)
    installed: bool = True
    disable: list[RuleName] = Field(default_factory=list)
    severity: dict[RuleName, Severity] = Field(default_factory=dict)
    patience: dict[RuleName, schema.Duration] = Field(default_factory=dict)
    phases: list[Phase] = Field(default_factory=list)
    causes: list[Cause] = Field(default_factory=list)
    markers: list[MarkerFile] = Field(default_factory=list)


@record
class Config:
    """A checked configuration and where its parts stand."""

    document: Document
    file: ConfigFile

    def sources(self) -> Iterator[RuleSource]:
        """Its own phases, causes and markers, as if they stood in rule files."""
        if self.file.phases:
            yield RuleSource(self.document, PipelineFile(tuple(self.file.phases)), self.document.path)
        if self.file.causes:
            yield RuleSource(self.document, CausesFile(tuple(self.file.causes)), self.document.path)
        if self.file.markers:
            yield RuleSource(self.document, FrameworkFile(framework=OWN, markers=self.file.markers), self.document.path)


def checked(settings: Settings) -> Config:
    """The configuration that was found. Raises PackError with every problem in it."""
    data: Any = json.loads(settings.table)
    under = ("tool", "logrules") if Path(settings.path).name == PROJECT_NAME else ()
    document = Document(settings.path, data, places_of_keys(settings.text, settings.path, under))
    return Config(document, validated(document, ConfigFile))


_KeyPath: TypeAlias = tuple[str | int, ...]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?")
_KEY = re.compile(r"""^(\s*)((?:"[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"\n]*"|'[^'\n]*'|[\w-]+))*)\s*=""")
_PART = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*(?:\.|$)""")


def places_of_keys(text: str, shown: str, under: Sequence[str] = ()) -> dict[_KeyPath, Position]:
    """The place of every table and key, by its path below the table ``under``; entries of arrays count from 0."""
    places: dict[_KeyPath, Position] = {}
    prefix = tuple(under)
    for path, place in _keys(text, shown):
        if path[: len(prefix)] == prefix:
            places.setdefault(path[len(prefix) :], place)
    return places


def _keys(text: str, shown: str) -> Iterator[tuple[_KeyPath, Position]]:
    table: _KeyPath = ()
    entries: dict[_KeyPath, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _resolved(_parts(header[2]), entries, entry=header[1] == "[[")
            yield table, Position(shown, number, header.start(1) + 1)
        elif key := _KEY.match(line):
            yield (*table, *_parts(key[2])), Position(shown, number, len(key[1]) + 1)


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(next(part for part in found.groups() if part is not None) for found in _PART.finditer(dotted))


def _resolved(parts: tuple[str, ...], entries: dict[_KeyPath, int], *, entry: bool) -> _KeyPath:
    """A header's path, with the number of the entry that it opens or that its parents stand in."""
    path: _KeyPath = ()
    for number, part in enumerate(parts):
        path = (*path, part)
        if entry and number == len(parts) - 1:
            entries[path] = entries.get(path, -1) + 1
        if path in entries:
            path = (*path, entries[path])
    return path
