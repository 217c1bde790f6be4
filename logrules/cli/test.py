"""`logrules test`: what rules promise, tried."""

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logrules.proof.collect import Collection

_EXAMPLES = """examples:
  logrules test                     all shipped rules
  logrules test my-rules/           the shipped rules and a folder of your own
  logrules test -k nccl             rules whose id contains a word
  logrules test --coverage          signals, branches and captures that no example exercises
  logrules test --mutate -k nccl    ways to make these rules wrong that no example notices

exit status: 0 all tests hold, 1 some do not or a floor is not reached, 2 a rule file is unusable"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("paths", nargs="*", metavar="PATH", help="further folders of rules")
    parser.add_argument("-k", metavar="WORD", default="", help="only tests whose name contains WORD")
    parser.add_argument("--coverage", action="store_true", help="list what no example exercises")
    parser.add_argument("--mutate", action="store_true", help="make rules wrong and list what no example notices")
    parser.add_argument(
        "--floor", type=float, metavar="PERCENT", help="the least share of signals covered, or of mutants noticed"
    )
    parser.add_argument("-j", "--processes", type=int, metavar="N", help="processes (default: one a core)")


def run(options: argparse.Namespace) -> int:
    """Run the tests; a line for each that fails, then a summary."""
    from logrules.proof.collect import collect
    from logrules.proof.parallel import default_processes
    from logrules.proof.prove import prove
    from logrules.proof.result import Outcome

    found = collect(options.paths)
    processes = options.processes or default_processes()
    if options.mutate:
        return _mutate(found, options, processes)
    if options.coverage:
        return _cover(found, options, processes)
    count, failed = 0, 0
    for result in prove(found.pack, found.suite, options.k, processes):
        count += 1
        failed += result.outcome is Outcome.FAILED
        for fault in result.faults:
            print(f"{result.place}: {result.name} {fault.message}")
    print(f"{count} tests, {failed} failed", file=sys.stderr)
    return 1 if failed else 0


def _cover(found: "Collection", options: argparse.Namespace, processes: int) -> int:
    from logrules.engine import prepared
    from logrules.proof.coverage import coverage_of, footprint, total
    from logrules.proof.parallel import on_all_cores

    on = prepared(found.pack, cache=True)
    examples = [example for example in found.suite.examples if options.k in example.owner]
    footprints = list(on_all_cores(footprint, examples, on, processes))
    rules = dict.fromkeys(example.owner for example in examples)
    covered = coverage_of(on, rules, footprints)
    for one in covered:
        for sentence in one.missing:
            print(f"{one.rule}: {sentence}")
    for what in ("signals", "branches", "captures"):
        share = total(getattr(one, what) for one in covered)
        print(f"{what}: {share.done} of {share.all} ({share.percent:.1f} %)", file=sys.stderr)
    reached = options.floor is None or total(one.signals for one in covered).percent >= options.floor
    return 0 if reached else 1


def _mutate(found: "Collection", options: argparse.Namespace, processes: int) -> int:
    from logrules.engine import prepared
    from logrules.proof.mutate import strengths

    on = prepared(found.pack, cache=True)
    examples = [example for example in found.suite.examples if options.k in example.owner]
    tried = strengths(on, examples, processes)
    for one in tried:
        for what in one.survivors:
            print(f"{one.place.path}: {one.rule}: no example notices {what}")
    count, noticed = sum(one.all for one in tried), sum(one.noticed for one in tried)
    percent = 100.0 * noticed / count if count else 100.0
    print(f"mutants: {noticed} of {count} noticed ({percent:.1f} %)", file=sys.stderr)
    return 0 if options.floor is None or percent >= options.floor else 1
