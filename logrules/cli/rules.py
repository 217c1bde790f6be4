"""`logrules rules`: what logrules knows, as a list that can be narrowed."""

import argparse
import json
import sys
from collections.abc import Iterable

_EXAMPLES = """examples:
  logrules rules                          everything
  logrules rules --framework vllm         what is known of vLLM
  logrules rules --cause nccl-timeout     every way in which a collective times out
  logrules rules "shared memory"          rules whose id, title or reason contains this

`logrules explain RULE` shows one of them in full."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("text", nargs="?", default="", help="only rules that contain this text")
    parser.add_argument("--framework", metavar="NAME", help="only rules of this framework")
    parser.add_argument("--phase", metavar="PHASE", help="only rules that belong to this phase")
    parser.add_argument("--cause", metavar="CAUSE", help="only rules that name this cause")
    parser.add_argument("--rules", action="append", default=[], metavar="DIR", help="further rules; may be repeated")
    parser.add_argument("--lang", choices=("en", "zh"), help="language (default: from the locale)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the list")


def run(options: argparse.Namespace) -> int:
    """Print the rules; status 1 where none is left."""
    from logrules.cli.language import preferred_language
    from logrules.pack.card import card_from
    from logrules.pack.load import load_pack

    pack = load_pack(options.rules)
    language = options.lang or preferred_language()
    rows = []
    for rule in sorted(pack.rules, key=lambda rule: rule.id):
        card = card_from(pack.cards[rule.id])
        phase = rule.phase or rule.phase_otherwise
        spoken = f"{rule.id} {card.title.en} {card.title.zh} {card.why.en} {card.why.zh}".lower()
        facts = (
            (options.framework, (*rule.frameworks, *rule.id.split("/"))),
            (options.phase, (phase,)),
            (options.cause, (rule.cause,)),
        )
        if options.text.lower() in spoken and _all_fit(facts):
            rows.append((rule.id, rule.cause, rule.severity.value, phase, card.title.of(language)))
    if options.format == "json":
        keys = ("rule", "cause", "severity", "phase", "title")
        json.dump([dict(zip(keys, row, strict=True)) for row in rows], sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        _print(rows)
    return 0 if rows else 1


def _all_fit(facts: Iterable[tuple[str | None, Iterable[str | None]]]) -> bool:
    return all(asked is None or asked in offered for asked, offered in facts)


def _print(rows: list[tuple[str, str, str, str | None, str]]) -> None:
    widths = [max((len(row[column] or "") for row in rows), default=0) for column in (0, 1)]
    for rule, cause, _severity, _phase, title in rows:
        print(f"{rule:{widths[0]}}  {cause:{widths[1]}}  {title}")
    print(f"{len(rows)} rules", file=sys.stderr)
