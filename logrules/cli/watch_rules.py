"""The rules of a watch. What compiling them takes goes with a process of its own, beside which the job may run."""

import argparse
import gc
import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from typing import NoReturn

from logrules.cli.shared_options import chosen_pack, chosen_settings
from logrules.engine.run import prepared
from logrules.model.errors import PackError
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
    compiled = _compiling(options) if is_new else None

    @cache
    def rules() -> Pack:
        if compiled is not None:
            compiled()
        pack = with_patience(chosen_pack(options, cache=not options.no_cache), options.patience)
        # They stay: whoever looks for garbage while lines come need not go through them.
        gc.freeze()
        return pack

    follows_files = bool(options.paths) and "-" not in options.paths
    if compiled is None or follows_files or not is_shipped(options.rules, settings):
        rules()
    return rules


def _compiling(options: argparse.Namespace) -> Callable[[], None] | None:
    """Begin a process that compiles the rules and keeps them: it takes 120 MB, which we would hold to the end of a job.

    What waits for it, and raises PackError where it was refused them; None where no process can be forked, or no pipe
    opened.
    """
    if not sys.platform.startswith("linux"):
        return None
    ends: tuple[int, ...] = ()
    try:
        refused, refuse = ends = os.pipe()
        child = os.fork()
    except OSError:
        for end in ends:
            os.close(end)
        return None
    if child == 0:
        _compile(options, refuse)
    os.close(refuse)
    return partial(_wait_for, child, refused)


def _compile(options: argparse.Namespace, refuse: int) -> NoReturn:
    """Compile and keep the rules; what is wrong with them is written to ``refuse``."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # from the terminal, to the job
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):  # who reads what we write need not wait for this to end
            os.dup2(nothing, stream)
        prepared(chosen_pack(options), cache=True)
    except PackError as fault:
        with os.fdopen(refuse, "wb") as told:
            pickle.dump(fault.problems, told)
    finally:
        os._exit(0)


def _wait_for(child: int, refused: int) -> None:
    with os.fdopen(refused, "rb") as told:
        problems = told.read()
    with suppress(ChildProcessError):  # where SIGCHLD is ignored, it is waited for all the same
        os.waitpid(child, 0)
    if problems:
        raise PackError(pickle.loads(problems))  # noqa: S301 (our own process wrote it)
