"""`logrules inspect`: looks once at the processes of a job that nobody watched."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from logrules.cli import shared_options as shared
from logrules.model.errors import LogrulesError
from logrules.model.stream import End

ABOUT = "show where the processes of a running job are, and why they hang"
_EXAMPLES = """examples:
  logrules inspect --pid 4242          process 4242 and all that it started
  logrules inspect --job runs/42       the job that works in that folder, with its logs
  logrules inspect --pid 4242 --slow   the slowest process of a slow job; takes most of a minute
  logrules inspect --pid 4242 --inspect-hosts node2,node3      also its processes there, by ssh
  logrules inspect --pid 4242 -o stacks.html      an HTML page, with the merged stacks
  sudo -E logrules inspect --pid 4242  if the kernel lets only root look (ptrace_scope)

Needs `pip install 'logrules[inspect]'`. What still moves between two samples is not called stuck.

exit status: 0 nothing wrong, 1 a reason was found, 2 no process could be looked at"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--pid", type=shared.whole_number(1), help="the job's first process")
    which.add_argument("--job", type=Path, metavar="FOLDER", help="the job's working folder, or the folder of its logs")
    parser.add_argument("--slow", action="store_true", help="look for the slowest process, not for what hangs")
    parser.add_argument(
        "--inspect-hosts",
        metavar="HOSTS",
        help="also inspect these hosts of the job (a,b,c) by ssh; ray: its Ray cluster",
    )
    shared.add_language_options(parser, commands=True)
    shared.add_color_option(parser)
    shared.add_format_option(parser, "json", "html")
    parser.add_argument("--all", action="store_true", help="show every diagnosis")
    shared.add_pack_options(parser)


class _AfterLogs:
    """A source without a log of its own: once the logs that are there were read, the job is looked at."""

    name = "inspection"

    def __init__(self, look: Callable[[], None]) -> None:
        self._look: Callable[[], None] | None = look

    def read(self, until: float | None) -> End:  # noqa: ARG002 (it waits for nobody)
        """Look; then nothing more comes."""
        look, self._look = self._look, None
        if look is not None:
            look()
        return End()


def run(options: argparse.Namespace) -> int:
    """Look, and print the report; the exit status."""
    from logrules.cli.diagnose import exit_status, render_report
    from logrules.engine.follow import Following
    from logrules.sources.discover import discover
    from logrules.sources.wall_clock import now
    from logrules.tools.inspection.job_processes import is_process, processes_in, python_processes
    from logrules.tools.inspection.probes import ProbeResult, probe_hang, probe_slowness, show_probe_result
    from logrules.tools.inspection.stack_samples import hosts_of

    processes = python_processes(options.pid) if options.job is None else processes_in(options.job)
    if not processes:
        if options.job is not None:
            raise LogrulesError(f"{options.job}: no Python process works there or has a file of it open")
        raise LogrulesError(
            f"{options.pid}: no Python process at or below it" if is_process(options.pid)
            else f"--pid {options.pid}: there is no such process"
        )  # fmt: skip
    logs = discover([str(options.job)]).sources if options.job is not None else ()
    hosts = hosts_of(options.inspect_hosts) if options.inspect_hosts else ()
    seen: list[ProbeResult] = []

    def look() -> None:
        ask = probe_slowness if options.slow else probe_hang
        found = ask(processes, os.environ, hosts=hosts, sizes=following.parallel_sizes())
        show_probe_result(found, following, now())
        seen.append(found)

    following = Following(_AfterLogs(look), lambda: shared.chosen_pack(options, cache=True), beat_s=None, backlog=logs)
    for _ in following:
        pass
    report = following.report()
    shared.write_output(options, lambda out: render_report(report, options, out))
    return exit_status(report) if any(one.stacks for one in seen) else shared.EXIT_UNUSABLE
