"""`logrules diagnose`: saved logs in, a ranked diagnosis out."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TextIO, TypeVar

from logrules.cli import shared_options as shared
from logrules.cli.extension import diagnose_extensions
from logrules.model.errors import LogrulesError
from logrules.model.report import Report, Severity, Status
from logrules.output.forms import form_of, forms

if TYPE_CHECKING:
    from logrules.cli.extension import Annex
    from logrules.engine.distributed import Readers
    from logrules.model.event import Event
    from logrules.ruleset.pack import Pack
    from logrules.sources.discover import Discovered

Answer = TypeVar("Answer")

_EXAMPLES = """examples:
  logrules diagnose train.log                    one log
  logrules diagnose rank*.log                    one job from several logs
  logrules diagnose runs/42/                     every log in a folder, on all cores
  logrules diagnose s3://bucket/runs/42/ --engine ray    on a Ray cluster; also gs://, hdfs://, ssh:// …
  logrules diagnose /scratch/42 --engine ray --on-node   logs on the local disks of its nodes
  kubectl logs job/train | logrules diagnose -   standard input
  logrules diagnose train.log.gz --format json   for machines
  logrules diagnose train.log -o report.html     an HTML page to share
  logrules diagnose train.log --format markdown  to paste into an issue; also sarif, junit, github, trace, jsonl
  logrules diagnose train.log --expect verl-gkd  where the run left the path of a healthy one
  logrules diagnose train.log --baseline good.log    how it differs from a good run
  logrules diagnose train.log --confirm          also check this machine for what the diagnosis names

exit status: 0 nothing wrong, 1 failed, stalled or ended in errors that no rule knows, 2 the input was unusable"""

# Below this, starting processes takes longer than reading.
_WORTH_PROCESSES_BYTES = 64_000_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    add("paths", nargs="*", type=shared.named, metavar="PATH", help="logs, folders of logs, or - for standard input")
    shared.add_format_option(parser, "json", *forms())
    shared.add_pack_options(parser)
    shared.add_language_options(parser, commands=True)
    shared.add_color_option(parser)
    add("--all", action="store_true", help="show everything: all diagnoses, evidence and steps")
    add("--no-cache", action="store_true", help="recompile the rules")
    shared.add_processes_option(parser, "processes for many logs (default: one per core)")
    add("--threads", type=shared.whole_number(1), default=2, metavar="N", help="scanning threads (default: 2)")
    add("--block-bytes", type=shared.whole_number(1), default=1 << 20, metavar="N", help="bytes to read at a time")
    for extension in diagnose_extensions():
        extension.add_options(parser)


def run(options: argparse.Namespace) -> int:
    """Diagnose the logs and print the report; the exit status."""
    from logrules.output.shell import with_paths
    from logrules.sources.discover import discover

    # A scanning thread needs the interpreter for moments only, and by default may have to wait 5 ms for it.
    sys.setswitchinterval(0.0001)
    given = options.paths or ([] if sys.stdin.isatty() else ["-"])
    additions = [one for each in diagnose_extensions() if (one := each.addition(options)) is not None]
    shared.refuse_log(options.output, [*given, *(path for addition in additions for path in addition.files_read)])
    found = _first(addition.found(given) for addition in additions) or discover(given, options.block_bytes)
    readers = _first(addition.readers(found) for addition in additions) or _readers_here(found, options.processes)
    for addition in additions if readers is None else ():
        found = addition.to_read(found)
    pack = shared.chosen_pack(options, cache=not options.no_cache)
    for addition in additions:
        pack = addition.prepare(given, pack)
    report = _report(found, pack, _observers([addition.observe for addition in additions]), readers, options)
    if not report.lines:
        raise LogrulesError(_nothing_in(report, given, pack))
    report = with_paths(report, _paths(found))
    for addition in additions:
        report = addition.completed(report, found, pack)
    annexes = [annex for addition in additions if (annex := addition.annex(report, options.lang)) is not None]
    shared.write_output(options, lambda out: render_report(report, options, out, annexes))
    for addition in additions:
        addition.after(report, options.lang)
    return max(exit_status(report), *(int(annex.failed) for annex in annexes), 0)


def _first(answers: Iterable[Answer | None]) -> Answer | None:
    return next((answer for answer in answers if answer is not None), None)


def _readers_here(found: "Discovered", processes: int | None) -> "Readers | None":
    """Processes that read the logs; None where this one does as well."""
    from logrules.sources.file import StdinSource

    much = found.total_bytes is None or found.total_bytes >= _WORTH_PROCESSES_BYTES
    is_alone = len(found.sources) == 1 or any(isinstance(source, StdinSource) for source in found.sources)
    if is_alone or not (much or processes):
        return None
    from logrules.engine.distributed import read_here
    from logrules.engine.resilient_pool import default_processes

    return partial(read_here, processes=processes or default_processes())


def _report(
    found: "Discovered",
    pack: "Pack",
    observe: "Callable[[Event], None] | None",
    readers: "Readers | None",
    options: argparse.Namespace,
) -> Report:
    from logrules.cli.progress_bar import reading_progress
    from logrules.engine.run import replay

    with reading_progress(found) as progress:
        if readers is not None:
            from logrules.engine.distributed import replay_spread

            return replay_spread(found.sources, pack, readers, progress=progress, notes=found.notes, observe=observe)
        return replay(
            found.sources,
            pack,
            threads=options.threads,
            progress=progress,
            notes=found.notes,
            cache=not options.no_cache,
            observe=observe,
        )


def _paths(found: "Discovered") -> dict[str, str]:
    """Where the logs lie on disk, by the names that the report gives them."""
    from logrules.sources.file import FileSource

    return {source.name: os.fspath(source.path) for source in found.sources if isinstance(source, FileSource)}


def _nothing_in(report: Report, given: Sequence[str], pack: "Pack") -> str:
    """Why there is no diagnosis of no line."""
    from logrules.engine.run import why_empty

    said = "standard input" if given == ["-"] else ", ".join(given)
    return why_empty(report, pack) or f"{said}: is empty; nothing to diagnose"


def _observers(observers: "Sequence[Callable[[Event], None] | None]") -> "Callable[[Event], None] | None":
    """One that tells all of them."""
    asked = [observe for observe in observers if observe is not None]
    if len(asked) < 2:  # noqa: PLR2004 (one needs no go-between)
        return asked[0] if asked else None

    def tell_all(event: "Event") -> None:
        for observe in asked:
            observe(event)

    return tell_all


def exit_status(report: Report) -> int:
    """1 where something failed, stalled or ended in errors that nothing explains, else 0."""
    failing = any(one.severity is Severity.ERROR for one in report.diagnoses)
    return 1 if failing or report.status in (Status.STALLED, Status.UNEXPLAINED) else 0


def render_report(report: Report, options: argparse.Namespace, out: TextIO, annexes: "Sequence[Annex]" = ()) -> None:
    """Write the report in the form that the command line asks for."""
    if options.format == "json":
        from logrules.output.report_json import render_json

        render_json(report, out, options.lang, {annex.key: annex.document for annex in annexes})
    elif options.format != "text":
        form_of(options.format)(report, out, options.lang, options.shell or report.shell)
    else:
        from logrules.output.text import render_text

        shell = options.shell or report.shell
        render_text(report, out, options.lang, shell, all_diagnoses=options.all, color=shared.chosen_color(options))
        for annex in annexes:
            annex.render(out)
