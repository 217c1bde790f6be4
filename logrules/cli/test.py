"""`logrules test`: every rule's own examples."""

import argparse
import sys

_EXAMPLES = """examples:
  logrules test                     all shipped rules
  logrules test my-rules/           the shipped rules and a folder of your own
  logrules test -k nccl             rules whose id contains a word

exit status: 0 all examples hold, 1 some do not, 2 a rule file is unusable"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("paths", nargs="*", metavar="DIR", help="further folders of rules")
    parser.add_argument("-k", metavar="WORD", default="", help="only rules whose id contains WORD")


def run(options: argparse.Namespace) -> int:
    """Run the examples; a line for each that fails, then a summary."""
    from logrules.pack.load import load_pack
    from logrules.proof import prove

    pack = load_pack(options.paths)
    count, failed = 0, 0
    for result in prove(pack, options.paths, options.k):
        count += 1
        for fault in result.faults:
            print(f"{result.place}: {result.rule} example {result.number} {fault}")
        failed += bool(result.faults)
    print(f"{count} examples, {failed} failed", file=sys.stderr)
    return 1 if failed else 0
