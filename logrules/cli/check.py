"""`logrules check`: what is wrong with rule files, without running them on a job."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from logrules.cli.shared_options import add_processes_option, add_settings_option, chosen_settings, named

if TYPE_CHECKING:
    from logrules.ruletest.lint import LintReport

_EXAMPLES = """examples:
  logrules check                        the packs of logrules.toml, else all shipped rules and fixture cases
  logrules check my-rules/ new.yaml     files and folders, read together with the shipped rules
  logrules check my-rules/ --fix        fix what can be fixed without changing any diagnosis
  logrules check --format sarif         for a code host (or json, github)
  logrules check --online               also request every page that rules refer to
  logrules explain LR103                what a code means, and how to fix it

A comment ignores a finding: at the end of the line, alone above it, or above the first key for the whole file:
  # logrules: ignore=LR103 the only text of the line

exit status: 0 nothing found, 1 findings, 2 a path or the settings are unusable"""

# The modules of the forms, each with a function `render_findings`.
_FORMATS = {"text": "ruletest_text", "json": "ruletest_json", "sarif": "sarif", "github": "github"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("paths", nargs="*", type=named, metavar="PATH", help="rule files, cases, or folders of them")
    parser.add_argument("--fix", action="store_true", help="remove what is redundant, and format the files")
    parser.add_argument("--format", choices=_FORMATS, default="text", help="output format (default: text)")
    parser.add_argument("--online", action="store_true", help="check on the web that references still exist")
    add_settings_option(parser)
    add_processes_option(parser)


def run(options: argparse.Namespace) -> int:
    """Check, mend where that was asked for, and print what is left."""
    from importlib import import_module

    from logrules.ruletest.lint import check

    settings = chosen_settings(options)
    paths = list(map(Path, options.paths))
    checked = check(paths, settings, processes=options.processes, online=options.online)
    if options.fix and _autofix(checked):
        checked = check(paths, settings, processes=options.processes, online=options.online)
    form = import_module(f"logrules.output.{_FORMATS[options.format]}")
    form.render_findings(checked.findings, checked.files, sys.stdout)
    return 1 if checked.findings else 0


def _autofix(checked: "LintReport") -> int:
    """How many files were mended."""
    from logrules.output.atomic_write import write_file
    from logrules.output.numbers import counted
    from logrules.ruletest.format import autofixed

    mended = autofixed(checked.findings, checked.paths)
    for path, content in mended.items():
        write_file(path, content)
    if mended:
        print(f"logrules: mended {counted(len(mended), 'file')}", file=sys.stderr)
    return len(mended)
