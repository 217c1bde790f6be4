"""`logrules rules`: what logrules knows, as a list that can be narrowed."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from logrules.cli.did_you_mean import hint
from logrules.cli.shared_options import add_language_options, add_pack_options, chosen_pack
from logrules.model.errors import LogrulesError
from logrules.output.escape import safe
from logrules.output.json_kinds import write_json
from logrules.output.numbers import counted

if TYPE_CHECKING:
    from logrules.ruleset.pack import Pack, Rule

# Where a rule is from that no other pack brought.
SHIPPED = "logrules"

_EXAMPLES = """examples:
  logrules rules                          everything
  logrules rules --framework vllm         the rules for vLLM
  logrules rules --cause nccl-timeout     the rules for collective time-outs
  logrules rules "shared memory"          rules whose id, title or reason contains this
  logrules rules --origin                 the pack and file of each rule, and what it replaced

`logrules explain RULE` shows one of them in full."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("text", nargs="?", default="", help="only rules that contain this text")
    parser.add_argument("--framework", metavar="NAME", help="only rules of this framework")
    parser.add_argument("--phase", metavar="PHASE", help="only rules that belong to this phase")
    parser.add_argument("--cause", metavar="CAUSE", help="only rules that name this cause")
    add_pack_options(parser)
    parser.add_argument("--origin", action="store_true", help="show where each rule comes from")
    add_language_options(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format")


def run(options: argparse.Namespace) -> int:
    """Print the rules; status 1 where none is left."""
    from logrules.ruleset.rule_text import card_of

    pack = chosen_pack(options)
    _refuse_unknown(options, pack)
    rows = []
    for rule in sorted(pack.rules, key=lambda rule: rule.id):
        card = card_of(pack, rule.id)
        phase = rule.phase or rule.phase_otherwise
        spoken = f"{rule.id} {card.title.en} {card.title.zh} {card.why.en} {card.why.zh}".lower()
        facts = ((options.framework, _frameworks(rule)), (options.phase, (phase,)), (options.cause, (rule.cause,)))
        fits = all(asked is None or asked in offered for asked, offered in facts)
        if fits and options.text.lower() in spoken:
            origin = pack.origins.get(rule.id, SHIPPED)
            rows.append((rule.id, rule.cause, rule.severity.value, phase, origin, card.title.of(options.lang)))
    if options.format == "json":
        keys = ("rule", "cause", "severity", "phase", "origin", "title")
        write_json([dict(zip(keys, row, strict=True)) for row in rows], sys.stdout)
    else:
        _print([(rule, cause, origin if options.origin else title) for rule, cause, _, _, origin, title in rows])
    return 0 if rows else 1


def _frameworks(rule: "Rule") -> Sequence[str]:
    """What it belongs to: the frameworks that it requires, and the folders of its file."""
    return (*rule.requires, *rule.id.split("/")[:-1])


def _refuse_unknown(options: argparse.Namespace, pack: "Pack") -> None:
    """Raise ``LogrulesError`` where a framework, phase or cause is asked for that there is not."""
    from logrules.ruleset.rule_text import causes_of, phases_of

    known = {
        "framework": {name for rule in pack.rules for name in _frameworks(rule)}
        | {framework.id for framework in pack.frameworks},
        "phase": {word.id for word in phases_of(pack)},
        "cause": {word.id for word in causes_of(pack)} | {rule.cause for rule in pack.rules},
    }
    for kind, names in known.items():
        asked = getattr(options, kind)
        if asked is not None and asked not in names:
            raise LogrulesError(f"there is no {kind} `{asked}`{hint(asked, sorted(names))}")


def _print(rows: list[tuple[str, str, str]]) -> None:
    told = [tuple(map(safe, row)) for row in rows]
    widths = [max((len(row[column]) for row in told), default=0) for column in (0, 1)]
    for rule, cause, rest in told:
        print(f"{rule:{widths[0]}}  {cause:{widths[1]}}  {rest}")
    print(counted(len(rows), "rule"), file=sys.stderr)
