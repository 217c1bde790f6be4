"""`logrules watch --on-stall`, `--on-diagnosis` and `--notify`: commands that are run and addresses that are told."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from logrules.notify.notifications import Kind

if TYPE_CHECKING:
    from logrules.cli.extension import WatchedRun
    from logrules.notify.listener import Listener


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options."""
    tell = parser.add_argument_group("notifications")
    tell.add_argument("--on-stall", metavar="CMD", help="run CMD when a stall is suspected, and again while it lasts")
    tell.add_argument("--on-diagnosis", metavar="CMD", help="run CMD when a diagnosis is made")
    tell.add_argument(
        "--notify",
        metavar="URL",
        help="post events to URL: Slack, Feishu, Lark, DingTalk, WeCom, PagerDuty (by host), else JSON",
    )


def listeners(options: argparse.Namespace, run: "WatchedRun") -> "Iterator[Listener]":
    """The senders that were asked for. Raises LogrulesError for a command of no words, or what is no web address."""
    for option, command, kinds in (
        ("--on-stall", options.on_stall, {Kind.STALL, Kind.STALL_LASTS}),
        ("--on-diagnosis", options.on_diagnosis, {Kind.DIAGNOSIS}),
    ):
        if command is not None:
            from logrules.tools.notification.senders import Commands, words_of

            yield Commands(words_of(option, command), frozenset(kinds), run.complain, run.policy)
    if options.notify is not None:
        from logrules.tools.notification.senders import Webhook

        yield Webhook(options.notify, run.complain, options.lang, run.policy)
