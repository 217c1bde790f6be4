"""`logrules try`: one rule on one job's logs, and why it did or did not fire."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from logrules.cli.did_you_mean import hint
from logrules.cli.shared_options import add_pack_options, chosen_settings, named
from logrules.model.errors import LogrulesError

if TYPE_CHECKING:
    from logrules.ruleset.pack import Pack

_EXAMPLES = """examples:
  logrules try torch/watchdog-timeout train.log     a rule by its id
  logrules try my-rules/acme/lost.yaml runs/42/     a rule by its file
  logrules try waits/torch/init-process-group x.log a wait

It shows which lines each signal hits, which have its words but do not match its pattern, where the condition began or
ceased to hold, and whether the report names the rule.

exit status: 0 the rule fires, 1 it does not, 2 the rule or the logs are unusable"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("rule", metavar="RULE", help="the id of a rule, or its file")
    parser.add_argument(
        "paths", nargs="+", type=named, metavar="LOG", help="logs or folders of logs of one job; - for standard input"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    add_pack_options(parser)


def run(options: argparse.Namespace) -> int:
    """Try the rule and print what came of it."""
    from importlib import import_module

    from logrules.ruletest.trial import trial
    from logrules.sources.discover import discover

    pack, rule = _rule(options)
    found = discover(options.paths)
    outcome = trial(pack, rule, found.sources, found.notes)
    import_module(f"logrules.output.ruletest_{options.format}").render_trial(outcome, sys.stdout)
    return 0 if outcome.fired else 1


def _rule(options: argparse.Namespace) -> "tuple[Pack, str]":
    """The pack and the rule in it that was named, by id or by file."""
    from logrules.ruleset.load import load_pack

    path = Path(options.rule)
    file = [path] if path.suffix in {".yaml", ".yml"} else []
    pack = load_pack([*options.rules, *file], settings=chosen_settings(options))
    if file:
        named = [rule for rule, shown in pack.origins.items() if shown == str(path)]
        if len(named) != 1:
            raise LogrulesError(f"{path}: holds {len(named)} rules: name one by its id, and its folder with --rules")
        return pack, named[0]
    known = [rule.id for rule in pack.rules]
    if options.rule not in known and path.is_dir():
        raise LogrulesError(f"{path}: is a folder: name a rule by its id, and its folder with --rules")
    if options.rule not in known:
        raise LogrulesError(f"no rule is called `{options.rule}`{hint(options.rule, known)}")
    return pack, options.rule
