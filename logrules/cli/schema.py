"""`logrules schema`: the published contracts, as JSON Schema."""

import argparse
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from logrules.cli.extension import diagnose_extensions, installed_schemas
from logrules.output.json_kinds import write_json

_EXAMPLES = """examples:
  logrules schema report > report.schema.json    what --format json prints
  logrules schema rule                           what a rule file may say

In an editor, `# yaml-language-server: $schema=rule.json` at the top of a rule file turns on completion."""


def _model(name: str, module: str = "logrules.ruleset.models") -> Callable[[], dict[str, Any]]:
    def schema() -> dict[str, Any]:
        from logrules.ruleset.file_adapter import adapter_of

        return adapter_of(getattr(import_module(module), name)).json_schema()

    return schema


def _report() -> dict[str, Any]:
    from logrules.output.report_json import report_schema

    annexes = {key: schema() for extension in diagnose_extensions() for key, schema in extension.SCHEMAS.items()}
    return report_schema(annexes)


def _event() -> dict[str, Any]:
    from logrules.output.jsonl import event_schema

    return event_schema()


# The contracts of the core; packages may bring more (see `extension`).
SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "report": _report,
    "event": _event,
    "rule": _model("RuleFile"),
    "framework": _model("FrameworkFile", "logrules.ruleset.framework_models"),
    "fixes": _model("FixesFile"),
    "tables": _model("Tables", "logrules.ruleset.tables"),
    "translation": _model("Translation", "logrules.ruleset.translation"),
    "expect": _model("ProfileFile", "logrules.ruleset.framework_models"),
    "case": _model("CaseFile", "logrules.ruletest.rule_tests"),
    "config": _model("ConfigFile", "logrules.ruleset.config"),
}


def all_schemas() -> Mapping[str, Callable[[], dict[str, Any]]]:
    """Every published contract, by its name, made when it is asked for."""
    return {**installed_schemas(), **SCHEMAS}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("name", choices=sorted(all_schemas()), help="which schema")


def run(options: argparse.Namespace) -> int:
    """Print the schema."""
    write_json(all_schemas()[options.name](), sys.stdout)
    return 0
