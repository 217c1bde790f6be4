"""`logrules bundle`: everything for a bug report in one archive, without secrets."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from logrules.cli.shared_options import add_language_options, add_pack_options, named, refuse_log, say
from logrules.model.errors import LogrulesError
from logrules.output.escape import safe

if TYPE_CHECKING:
    from logrules.tools.bundle.bundle_files import BundlePart
    from logrules.tools.bundle.redact import Taken

_SHOWN_LINES = 5

ABOUT = "collect what a bug report needs, without secrets"
_EXAMPLES = """examples:
  logrules bundle train.log                                  writes train-bundle.tar.gz
  logrules bundle runs/42/ --config ds.json -o report.tar.gz
  logrules bundle train.log --dry-run                        show what would be written, and what was removed
  logrules bundle train.log --redact 'CORP-\\d+'              also remove your own kind of secret
  logrules bundle train.log --keep addresses,paths           keep private addresses and home folders

exit status: 0 written, 2 the input was unusable"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    add("paths", nargs="+", type=named, metavar="PATH", help="logs, or folders of logs")
    add("--config", action="append", default=[], metavar="FILE", help="a configuration file to add")
    about = "private details to keep: emails, paths, addresses (comma-separated)"
    add("--keep", type=_kept, default=frozenset(), metavar="WHAT", help=about)
    add("--redact", action="append", default=[], metavar="REGEX", help="also remove what matches this pattern")
    add_pack_options(parser)
    add("--python", default=None, metavar="PATH", help="the run's Python (default: python on PATH)")
    add("--dry-run", action="store_true", help="show everything, write nothing")
    add_language_options(parser)
    add("-o", "--output", metavar="FILE", help="the archive (default: in this folder, named after the log)")


def _kept(text: str) -> frozenset[str]:
    from logrules.tools.bundle.private_details import KEEPABLE

    chosen = frozenset(word.strip() for word in text.split(","))
    if not chosen <= set(KEEPABLE):
        raise argparse.ArgumentTypeError(f"choose from {', '.join(KEEPABLE)}")
    return chosen


def run(options: argparse.Namespace) -> int:
    """Gather, redact, write; the exit status."""
    from logrules.tools.bundle.bundle_files import manifest, redacted, write_archive
    from logrules.tools.bundle.redact import Redactor

    if "-" in options.paths:
        raise LogrulesError("standard input cannot be read twice: save the log to a file first")
    refuse_log(options.output, [*options.paths, *options.config])
    redactor = Redactor(options.redact, options.keep)
    path = Path(options.output or f"{_stem(options.paths[0])}-bundle.tar.gz")
    parts, taken = redacted(_parts(options), redactor)
    whole = [manifest(parts, taken), *parts]
    if options.dry_run:
        _show(whole)
    else:
        write_archive(whole, path, path.name.removesuffix(".tar.gz"))
    _summary(taken, None if options.dry_run else path)
    return 0


def _parts(options: argparse.Namespace) -> "list[BundlePart]":
    from logrules.cli.shared_options import chosen_pack
    from logrules.engine.run import replay
    from logrules.sources.discover import discover
    from logrules.tools.bundle.bundle_files import configurations, logs, machine, reports
    from logrules.tools.doctor.doctor import examine
    from logrules.tools.doctor.doctor_verb import default_python
    from logrules.tools.doctor.machine import Asked, Machine
    from logrules.tools.recorded_source import read_again, recorded

    found = recorded(discover(options.paths))
    report = replay(found.sources, chosen_pack(options), notes=found.notes, cache=True)
    for note in report.notes:
        if note.unread:
            say(f"{note.source}: {note.note}; it is not in the bundle")
    there = [source for source in read_again(found.sources) if source.name not in report.unread]
    here = Machine(os.environ, Asked(python=options.python or default_python()))
    answers = examine(here)
    return [
        *reports(report, options.lang),
        *logs(there, report, say),
        *machine(answers, here, options.lang),
        *configurations(options.config),
    ]


def _stem(path: str) -> str:
    return Path(path).absolute().name.split(".")[0] or "log"


def _show(parts: "list[BundlePart]") -> None:
    for part in parts:
        print(f"==> {safe(part.name)} ({len(part.text.encode())} bytes) <==")
        print(part.text, end="" if part.text.endswith("\n") else "\n")


def _summary(taken: "Sequence[Taken]", path: Path | None) -> None:
    """What was taken out, by kind and place, and where the rest is."""
    counts: Counter[str] = Counter()
    for one in taken:
        counts[one.kind] += one.count
    said = ", ".join(f"{count} × {kind}" for kind, count in sorted(counts.items()))
    say(f"removed: {said or 'nothing that looked like a secret'}")
    for one in taken:
        lines = ", ".join(map(str, one.lines[:_SHOWN_LINES])) + (" …" if len(one.lines) > _SHOWN_LINES else "")
        print(f"  {safe(one.place)}: {one.count} × {one.kind} (line {lines})", file=sys.stderr)
    if path is not None:
        say(f"wrote {path}; look through it before you send it")
