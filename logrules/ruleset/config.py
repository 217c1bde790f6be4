"""What a configuration may say, checked; and what it says as rule files would."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from logrules.model.errors import PackError
from logrules.model.position import Problem
from logrules.model.record import field, record
from logrules.model.report import Severity
from logrules.ruleset.bounds import Duration
from logrules.ruleset.causes import Cause
from logrules.ruleset.framework_models import FrameworkFile, MarkerFile
from logrules.ruleset.rule_file import RuleSource
from logrules.ruleset.schema_problems import validated
from logrules.ruleset.settings import PROJECT_NAME, Settings
from logrules.ruleset.tables import Phase, Tables
from logrules.ruleset.toml_positions import places_of_keys
from logrules.ruleset.yaml_reader import Document

# What a project's own markers call their framework.
OWN = "own"

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

    @property
    def adds_rules(self) -> bool:
        """Whether rules are made of more than the rule files say."""
        return any(True for _ in self.sources())

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
