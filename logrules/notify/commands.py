"""Commands of the user's, run when a job stalls or is diagnosed: no shell, bounded in time and number."""

import io
import os
import shlex
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from logrules.model.errors import LogrulesError
from logrules.model.report import Report
from logrules.model.update import Update
from logrules.notify.notifications import Kind, NotificationPolicy, fact_text, facts, matters
from logrules.notify.task_queue import TaskQueue
from logrules.output.escape import safe
from logrules.output.report_json import render_json

LIMIT_S = 30.0
# A job that stalls in a hundred ways at once is one message.
APART_S = 60.0


class Commands:
    """Runs a command for news of some kinds: the report as JSON on its input, key facts as ``LOGRULES_…``."""

    def __init__(
        self,
        words: Sequence[str],
        kinds: frozenset[Kind],
        complain: Callable[[str], None],
        policy: NotificationPolicy | None = None,
    ) -> None:
        self._words = words
        self._kinds = kinds
        self._errands = TaskQueue(words[0], complain)
        self._newsroom = policy or NotificationPolicy()
        self._last: float | None = None

    def hear(self, update: Update, report: Callable[[], Report]) -> None:
        """Run the command, if there is news and the last run is long enough ago."""
        if not matters(update):
            return
        for news in self._newsroom.news(update, report()):
            if news.kind not in self._kinds or (self._last is not None and update.now < self._last + APART_S):
                continue
            self._last = update.now
            said = {f"LOGRULES_{name.upper()}": safe(fact_text(value)) for name, value in facts(news).items()}
            document = io.StringIO()
            render_json(news.report, document)
            self._errands.do(partial(run_bounded, self._words, document.getvalue(), said))

    def close(self) -> None:
        """Wait for a command that runs, as long as it may."""
        self._errands.close(LIMIT_S + 1)


def words_of(option: str, text: str) -> list[str]:
    """The words of a command line, split as a shell does. Raises LogrulesError where there are none."""
    try:
        words = shlex.split(text)
    except ValueError as fault:
        raise LogrulesError(f"{option}: cannot be split into words ({str(fault).lower()})") from None
    if not words:
        raise LogrulesError(f"{option}: names no command")
    return words


def run_bounded(words: Sequence[str], text: str, facts: Mapping[str, str], limit_s: float = LIMIT_S) -> None:
    """Run a command with ``text`` on its input. Raises LogrulesError where it fails or has to be ended for its time."""
    try:
        child = subprocess.Popen(  # noqa: S603 (what the user asked for)
            words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, **facts}, start_new_session=True, text=True, encoding="utf-8",
        )  # fmt: skip
    except OSError as fault:
        raise LogrulesError(f"cannot be started ({(fault.strerror or str(fault)).lower()})") from None
    try:
        child.communicate(text, timeout=limit_s)
    except subprocess.TimeoutExpired:
        _end(child)
        raise LogrulesError(f"took longer than {limit_s:g} s and was ended") from None
    if child.returncode:
        raise LogrulesError(f"ended with status {child.returncode}")


def _end(child: "subprocess.Popen[str]") -> None:
    try:
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    except OSError:
        pass
    child.communicate()
