"""What a configuration may say, checked; and what it says as rule files would."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from logrules.model.errors import PackError
from logrules.model.position import NodePath, Problem
from logrules.model.record import field, record
from logrules.model.report import Severity
from logrules.ruleset.bounds import Duration
from logrules.ruleset.causes import Cause
from logrules.ruleset.file_adapter import validated
from logrules.ruleset.framework_models import FrameworkFile, MarkerFile
from logrules.ruleset.rule_file import RuleSource
from logrules.ruleset.settings import PROJECT_NAME, Settings
from logrules.ruleset.tables import Phase, Tables
from logrules.ruleset.yaml_reader import Document

# What a project's own markers call their framework.
OWN = "own"
_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?")
_KEY = re.compile(r"""^(\s*)((?:"[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"\n]*"|'[^'\n]*'|[\w-]+))*)\s*=""")
_PART = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*(?:\.|$)""")

RuleName = Annotated[str, Field(description="the id of a rule or a wait; * stands for any text")]


@record
class ConfigFile:
    """`logrules.toml`, or `[tool.logrules]` in `pyproject.toml`.

    ``packs`` are folders of rules, relative to the file; ``installed`` says whether packs from installed Python
    packages count. ``disable``, ``severity`` and ``patience`` name rules and waits by their ids, or with ``*``.
    ``phases`` and ``causes`` are added to the tables; ``markers`` say what the project's own programs print.
    """

    packs: tuple[str, ...] = ()
    installed: bool = True
    disable: tuple[RuleName, ...] = ()
    severity: dict[RuleName, Severity] = field(default_factory=dict)
    patience: dict[RuleName, Duration] = field(default_factory=dict)
    phases: tuple[Phase, ...] = ()
    causes: tuple[Cause, ...] = ()
    markers: tuple[MarkerFile, ...] = ()


@record
class Config:
    """A checked configuration and where its parts stand."""

    document: Document
    file: ConfigFile

    def sources(self) -> Iterator[RuleSource]:
        """Its own phases, causes and markers, as if they stood in rule files."""
        if self.file.phases or self.file.causes:
            tables = Tables(phases=self.file.phases, causes=self.file.causes)
            yield RuleSource(self.document, tables, self.document.path)
        if self.file.markers:
            yield RuleSource(self.document, FrameworkFile(framework=OWN, markers=self.file.markers), self.document.path)


def checked(settings: Settings | None) -> Config | None:
    """The configuration that was found, if one was. Raises PackError with every problem in it."""
    if settings is None or not settings.path:
        return None
    data: Any = json.loads(settings.table)
    under = ("tool", "logrules") if Path(settings.path).name == PROJECT_NAME else ()
    document = Document.of(settings.path, data, places_of_keys(settings.text, under))
    table = next((name for name in ("logrules", "tool") if not under and isinstance(data.get(name), dict)), None)
    if table is not None:
        where = "here the keys stand at the top of the file, without a table around them"
        raise PackError([Problem(document.place((table,)), f"`{table}`: {where}, as `packs = [...]`", code="LR002")])
    return Config(document, validated(document, ConfigFile))


def places_of_keys(text: str, under: Sequence[str] = ()) -> dict[NodePath, tuple[int, int]]:
    """Line and column of every table and key, by its path below the table ``under``; entries of arrays count from 0.

    The standard parser says what a file means, but not where.
    """
    places: dict[NodePath, tuple[int, int]] = {}
    prefix = tuple(under)
    for path, place in _keys(text):
        if path[: len(prefix)] == prefix:
            places.setdefault(path[len(prefix) :], place)
    return places


def _keys(text: str) -> Iterator[tuple[NodePath, tuple[int, int]]]:
    table: NodePath = ()
    entries: dict[NodePath, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _resolved(_parts(header[2]), entries, entry=header[1] == "[[")
            yield table, (number, header.start(1) + 1)
        elif key := _KEY.match(line):
            yield (*table, *_parts(key[2])), (number, len(key[1]) + 1)


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(next(part for part in found.groups() if part is not None) for found in _PART.finditer(dotted))


def _resolved(parts: tuple[str, ...], entries: dict[NodePath, int], *, entry: bool) -> NodePath:
    """A header's path, with the number of the entry that it opens or that its parents stand in."""
    path: NodePath = ()
    for number, part in enumerate(parts):
        path = (*path, part)
        if entry and number == len(parts) - 1:
            entries[path] = entries.get(path, -1) + 1
        if path in entries:
            path = (*path, entries[path])
    return path
