"""`logrules test`: what rules promise, tried."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logrules.cli.shared_options import add_processes_option, add_settings_option, chosen_settings, named

if TYPE_CHECKING:
    from logrules.engine.run import Prepared
    from logrules.ruletest.collect import Collection

_EXAMPLES = """examples:
  logrules test                     the packs of logrules.toml, else all shipped rules and fixture cases
  logrules test my-rules/           the rules and cases in your own folder
  logrules test -k nccl             tests whose name contains a word
  logrules test --changed           only what uncommitted changes can affect, for hooks
  logrules test --format junit      for a CI server (or json)
  logrules test --coverage          signals, branches and captures that no example exercises
  logrules test --mutate -k nccl    changes that break these rules and that no example notices

exit status: 0 all tests pass, 1 one fails or a floor is not reached, 2 a file is unusable, or -k chooses nothing"""

# The modules of the forms, each with a function `render_results`.
_FORMATS = {"text": "ruletest_text", "junit": "junit", "json": "ruletest_json"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("paths", nargs="*", type=named, metavar="PATH", help="rule files, cases, or folders of them")
    parser.add_argument("-k", metavar="WORD", default="", help="only tests whose name contains WORD")
    parser.add_argument("--format", choices=_FORMATS, default="text", help="output format (default: text)")
    parser.add_argument("--changed", action="store_true", help="only tests that uncommitted changes can affect")
    parser.add_argument("--since", metavar="COMMIT", default="HEAD", help="with --changed: changes since this commit")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--coverage", action="store_true", help="list what no example exercises")
    kind.add_argument(
        "--mutate", action="store_true", help="break rules on purpose and list the changes that no example notices"
    )
    parser.add_argument(
        "--floor", type=float, metavar="PERCENT", help="fail if fewer signals are covered, or fewer mutants noticed"
    )
    add_settings_option(parser)
    add_processes_option(parser)


def run(options: argparse.Namespace) -> int:
    """Run the tests, or measure them."""
    from logrules.engine.run import prepared
    from logrules.ruletest.collect import collect

    _refuse_contradictions(options)
    found = collect(options.paths, chosen_settings(options))
    on = prepared(found.pack, cache=True)
    if options.coverage or options.mutate:
        return _measure(on, found, options)
    return _run(on, found, options)


def _refuse_contradictions(options: argparse.Namespace) -> None:
    from logrules.model.errors import LogrulesError

    measures = options.coverage or options.mutate
    if options.floor is not None and not measures:
        raise LogrulesError("--floor needs --coverage or --mutate")
    if measures and options.format not in {"text", "json"}:
        raise LogrulesError(f"--coverage and --mutate are printed as text or json, not as {options.format}")
    if measures and options.changed:
        raise LogrulesError("--changed says which tests to run; --coverage and --mutate run none: name files")


def _refuse_unknown_word(word: str, chosen: Sequence[object], found: "Collection") -> None:
    """A word that no name contains chooses nothing, which must not look as if all were well. Raises LogrulesError."""
    if not word or chosen:
        return
    from logrules.cli.did_you_mean import hint
    from logrules.model.errors import LogrulesError

    parts = {part for test in found.tests() for part in test.name.replace("/", " ").split()}
    raise LogrulesError(f"-k {word}: no test has it in its name{hint(word, sorted(parts))}")


def _run(on: "Prepared", found: "Collection", options: argparse.Namespace) -> int:
    from logrules.model.test_result import Outcome
    from logrules.ruletest.judging import run_tests

    tests = found.tests(options.k)
    _refuse_unknown_word(options.k, tests, found)
    if options.changed:
        from logrules.ruletest.changed_files import impact_of_changes
        from logrules.ruletest.collect import own_roots

        settings = chosen_settings(options)
        roots = [*settings.packs, *own_roots(map(Path, options.paths), settings)]
        tests = tuple(filter(impact_of_changes(options.since, roots).touches, tests))
    results = run_tests(on, tests, options.processes)
    _form(options).render_results(results, sys.stdout)
    return 1 if any(result.outcome is Outcome.FAILED for result in results) else 0


def _measure(on: "Prepared", found: "Collection", options: argparse.Namespace) -> int:
    from logrules.model.test_result import total
    from logrules.ruletest.rule_tests import examples_of

    form = _form(options)
    examples = [example for example in examples_of(found.suite) if options.k in example.owner]
    _refuse_unknown_word(options.k, examples, found)
    if options.coverage:
        from logrules.ruletest.example_strength import coverage

        covered = coverage(on, examples, options.processes)
        form.render_coverage(covered, sys.stdout)
        return _floor_status(total(one.signals for one in covered).percent, options.floor)
    from logrules.ruletest.example_strength import mutation_scores

    tried = mutation_scores(on, examples, options.processes)
    form.render_mutation_scores(tried, sys.stdout)
    return _floor_status(total(one.noticed for one in tried).percent, options.floor)


def _form(options: argparse.Namespace) -> Any:
    """The module that writes the form that was asked for."""
    return import_module(f"logrules.output.{_FORMATS[options.format]}")


def _floor_status(percent: float, floor: float | None) -> int:
    if floor is None or percent >= floor:
        return 0
    print(f"logrules: {percent:.1f} % is below the floor of {floor:g} %", file=sys.stderr)
    return 1
