"""`logrules explain`: the whole card of a rule, a cause or a phase."""

import argparse
import sys
from collections.abc import Set as AbstractSet

from logrules.cli.did_you_mean import hint
from logrules.cli.shared_options import add_language_options, add_pack_options, chosen_pack, named
from logrules.model.errors import LogrulesError
from logrules.output.escape import safe

_EXAMPLES = """examples:
  logrules explain nccl-timeout             a cause: what it means, and the rules that name it
  logrules explain torch/watchdog-timeout   a rule: its reason, fixes and sources
  logrules explain rendezvous               a phase
  logrules explain LR103                    a finding of `logrules check`
  logrules explain --causes                 all causes; also --phases
  logrules explain --steps | grep -i memory steps that rules can suggest, by name"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "name", nargs="?", type=named, metavar="NAME", help="a rule, a cause, a phase, or a code of `logrules check`"
    )
    parser.add_argument("--causes", action="store_true", help="list every cause")
    parser.add_argument("--phases", action="store_true", help="list every phase")
    parser.add_argument("--steps", action="store_true", help="list every step that rules can name")
    add_pack_options(parser)
    add_language_options(parser, commands=True)


def run(options: argparse.Namespace) -> int:
    """Print the card or the list."""
    from logrules.inference.command_slots import with_open_text
    from logrules.model.lint_code import CODES
    from logrules.output.rule_page import render_code, render_named
    from logrules.ruleset.rule_text import causes_of, phases_of, steps_of

    if options.name in CODES:
        render_code(CODES[options.name], sys.stdout, options.lang)
        return 0
    pack = chosen_pack(options)
    lists = {"causes": causes_of, "phases": phases_of, "steps": steps_of}
    listed = next((words_of for name, words_of in lists.items() if getattr(options, name)), None)
    if listed is not None:
        for word in listed(pack):
            print(f"{safe(word.id):30} {safe(with_open_text(word.title).of(options.lang))}")
        return 0
    if options.name is None:
        raise LogrulesError("explain what? Name a rule, a cause or a phase, or use --causes, --phases or --steps")
    if not render_named(options.name, pack, sys.stdout, options.lang, options.shell or "bash"):
        known = {*(rule.id for rule in pack.rules), *(word.id for word in (*phases_of(pack), *causes_of(pack))), *CODES}
        raise LogrulesError(f"no rule, cause, phase or code is called `{options.name}`{_meant(options.name, known)}")
    return 0


def _meant(name: str, known: AbstractSet[str]) -> str:
    """What is called nearly so, else where a framework is found: what it is called is part of its rules' ids."""
    found = hint(name, sorted(known))
    return found or (f"; `logrules rules {name}` lists what contains it" if any(name in one for one in known) else "")
