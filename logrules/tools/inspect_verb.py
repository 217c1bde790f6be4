"""`logrules inspect`: looks once at the processes of a job that nobody watched."""

import argparse
import os
import sys
from pathlib import Path

from logrules.cli.rule_options import add_pack_options

ABOUT = "say where the processes of a running job stand, and why they hang"
EXIT_UNUSABLE = 2
_EXAMPLES = """examples:
  logrules inspect --pid 4242          the job whose first process is 4242, with all that it started
  logrules inspect --job runs/42       the job whose processes work in that folder, and its logs
  logrules inspect --pid 4242 --slow   who lags behind in a job that moves but slowly; takes most of a minute
  logrules inspect --pid 4242 --inspect-hosts node2,node3      its processes there too, by ssh
  sudo -E logrules inspect --pid 4242  where the kernel lets nobody else look (ptrace_scope)

Needs `pip install 'logrules[inspect]'`. What still moves between two samples is not called stuck.

exit status: 0 nothing wrong, 1 a reason was found, 2 no process could be looked at"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--pid", type=int, help="the job's first process")
    which.add_argument(
        "--job", type=Path, metavar="FOLDER", help="the folder in which the job works or writes its logs"
    )
    parser.add_argument("--slow", action="store_true", help="look for who lags behind, not for what hangs")
    parser.add_argument("--inspect-hosts", metavar="HOSTS", help="the job's other hosts (a,b,c), asked by ssh")
    parser.add_argument("--lang", choices=("en", "zh"), help="language (default: from the locale)")
    parser.add_argument("--shell", choices=("bash", "powershell"), default="bash", help="shell of suggested commands")
    parser.add_argument("--all", action="store_true", help="show every diagnosis")
    add_pack_options(parser)


def run(options: argparse.Namespace) -> int:
    """Look, and print the report; the exit status."""
    from logrules.cli.diagnose import exit_status
    from logrules.cli.locale import preferred_language
    from logrules.cli.rule_options import chosen_pack
    from logrules.engine.follow import Following
    from logrules.model.stream import End
    from logrules.notify.job_processes import processes_in, python_processes
    from logrules.notify.probe import look_closer, look_for_slow
    from logrules.notify.remote_stacks import hosts_of
    from logrules.output.escape import safe
    from logrules.output.text import render_text
    from logrules.sources.discover import discover
    from logrules.sources.queue import EventQueue

    processes = python_processes(options.pid) if options.job is None else processes_in(options.job)
    if not processes:
        told = f"{options.pid}: no Python process at or below it" if options.job is None else (
            f"{safe(str(options.job))}: no Python process works there or has a file of it open"
        )  # fmt: skip
        print(f"logrules: {told}", file=sys.stderr)
        return EXIT_UNUSABLE
    nothing = EventQueue("inspection")
    nothing.end(End())
    logs = discover([str(options.job)]).sources if options.job is not None else ()
    following = Following(nothing, chosen_pack(options, cache=True), beat_s=None, backlog=logs)
    hosts = hosts_of(options.inspect_hosts) if options.inspect_hosts else ()
    seen = (look_for_slow if options.slow else look_closer)(processes, os.environ, hosts=hosts)
    for one in seen:
        if one.evidence:
            following.hear(one.source, one.text, 0.0)
        else:
            following.note(one.source, one.text)
    for _ in following:
        pass
    report = following.report()
    render_text(report, sys.stdout, options.lang or preferred_language(), options.shell, all_diagnoses=options.all)
    return exit_status(report) if any(one.source.startswith("stacks") for one in seen) else EXIT_UNUSABLE
