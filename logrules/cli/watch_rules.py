"""The rules of a watch. What compiling them takes goes with a process of its own, beside which the job may run."""

import argparse
import gc
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from logrules.cli.shared_options import chosen_pack, chosen_settings
from logrules.engine.run import prepared
from logrules.ruleset.apply_settings import with_patience
from logrules.ruleset.load import is_shipped, is_to_be_kept
from logrules.ruleset.pack import Pack


def rules_of(options: argparse.Namespace) -> Callable[[], Pack]:
    """What gives the rules that the options ask for. Raises PackError where they are refused.

    What we ship is not: where that has to be compiled, the rules are still to come, and are waited for once. Only a
    job that we start, or that writes into our pipe, gains by that; files are there later too.
    """
    settings = chosen_settings(options)
    is_new = not options.no_cache and is_to_be_kept(options.rules, settings, options.lang)
    compiling = _compiling(options) if is_new else None

    @cache
    def rules() -> Pack:
        if compiling is not None:
            with suppress(ChildProcessError):  # where SIGCHLD is ignored, it is waited for all the same
                os.waitpid(compiling, 0)
        pack = with_patience(chosen_pack(options, cache=not options.no_cache), options.patience)
        # They stay: whoever looks for garbage while lines come need not go through them.
        gc.freeze()
        return pack

    follows_files = bool(options.paths) and "-" not in options.paths
    if compiling is None or follows_files or not is_shipped(options.rules, settings):
        rules()
    return rules


def _compiling(options: argparse.Namespace) -> int | None:
    """A process that compiles the rules and keeps them: it takes 120 MB, which we would hold to the end of the job.

    None where none can be forked. What is wrong with the rules is found again, and said, by who loads them.
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        child = os.fork()
    except OSError:
        return None
    if child:
        return child
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # from the terminal, to the job
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):  # who reads what we write need not wait for this to end
            os.dup2(nothing, stream)
        prepared(chosen_pack(options), cache=True)
    finally:
        os._exit(0)
