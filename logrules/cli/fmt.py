"""`logrules fmt`: formats rule files and cases."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from logrules.cli.shared_options import add_settings_option, chosen_settings, named, say
from logrules.model.errors import LogrulesError
from logrules.output.escape import safe

if TYPE_CHECKING:
    from logrules.model.position import Problem
    from logrules.ruleset.settings import Settings

_EXAMPLES = """examples:
  logrules fmt                  the packs of logrules.toml, else all shipped rules and fixture cases
  logrules fmt my-rules/        files and folders
  logrules fmt --check          change nothing; exit status 1 if a file would change
  logrules fmt --diff           show what would be changed

Keys get a fixed order and two spaces per level; comments, quotes and log lines are kept. YAML files of other programs
are left alone.

exit status: 0 formatted or nothing to do, 1 with --check or --diff if a file would change, 2 a file is unusable"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("paths", nargs="*", type=named, metavar="PATH", help="rule files, cases, or folders of them")
    parser.add_argument("--check", action="store_true", help="change nothing; list the files that would change")
    parser.add_argument("--diff", action="store_true", help="change nothing; show what would change")
    add_settings_option(parser)


def run(options: argparse.Namespace) -> int:
    """Format the files; a file that cannot be read does not keep the others from it."""
    from logrules.model.errors import PackError
    from logrules.output.numbers import counted

    looks = options.check or options.diff
    changed = ours = 0
    problems: list[Problem] = []
    for path in _files(list(map(Path, options.paths)), chosen_settings(options)):
        try:
            is_changed = _formatted(path, shows_diff=options.diff, writes=not looks)
        except PackError as fault:
            problems += fault.problems
            continue
        ours += is_changed is not None
        changed += bool(is_changed)
    if problems:
        raise PackError(problems)
    print(f"{counted(ours, 'file')}: {changed} {'to format' if looks else 'formatted'}", file=sys.stderr)
    return 1 if looks and changed else 0


def _formatted(path: Path, *, shows_diff: bool, writes: bool) -> bool | None:
    """Whether a file changes, which is shown; None for one that is none of ours. Raises PackError."""
    from logrules.output.atomic_write import write_file
    from logrules.ruleset.load import rule_bytes
    from logrules.ruletest.format import formatted
    from logrules.ruletest.key_order import is_ours

    raw = rule_bytes(path)
    if not is_ours(path, raw):
        say(f"{path}: is no file of rules, and is left as it is")
        return None
    new = formatted(raw, str(path))
    if new == raw:
        return False
    if shows_diff:
        sys.stdout.writelines(_diff(path, raw, new))
    else:
        print(f"{'formatted' if writes else 'would format'} {safe(str(path))}")
    if writes:
        write_file(path, new)
    return True


def _files(paths: Sequence[Path], settings: "Settings") -> Iterator[Path]:
    """Rule files, profiles and cases at or below the paths, each once."""
    from logrules.ruleset.load import shipped_rules, yaml_files
    from logrules.ruletest.collect import shipped_cases
    from logrules.ruletest.rule_tests import find_cases

    other = next((path for path in paths if path.is_file() and path.suffix not in {".yaml", ".yml"}), None)
    if other is not None:  # many a log is valid YAML, and would be rewritten
        raise LogrulesError(f"{other}: is not a YAML file (.yaml, .yml)")
    given = list(paths) or list(settings.packs)
    files = [path for root in given or [shipped_rules()] for path in yaml_files(root)]
    yield from dict.fromkeys((*files, *find_cases(given or shipped_cases())))


def _diff(path: Path, old: bytes, new: bytes) -> Iterator[str]:
    import difflib

    before, after = (text.decode("utf-8", "replace").splitlines(keepends=True) for text in (old, new))
    name = safe(str(path))
    return (safe(line.removesuffix("\n")) + "\n" for line in difflib.unified_diff(before, after, name, name))
