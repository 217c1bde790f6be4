"""Commands of the user's, run when a job stalls or is diagnosed: no shell, bounded in time and number."""

import io
import shlex
from collections.abc import Callable, Sequence

from logrules.model.change import Update
from logrules.model.errors import LogrulesError
from logrules.model.report import Report
from logrules.notify.delivery import command_delivery
from logrules.notify.listener import Listener
from logrules.notify.notifications import Kind, NotificationPolicy, fact_text, facts
from logrules.notify.task_queue import DeliveryQueue
from logrules.output.escape import safe
from logrules.output.report_json import render_json

# A job that stalls in a hundred ways at once is one message.
APART_S = 60.0


class Commands(Listener):
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
        self._deliveries = DeliveryQueue(words[0], complain)
        self._policy = policy or NotificationPolicy()
        self._last: float | None = None

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Run the command, if there is news and the last run is long enough ago."""
        for news in self._policy.news(update, report):
            if news.kind not in self._kinds or (self._last is not None and update.now < self._last + APART_S):
                continue
            self._last = update.now
            said = {f"LOGRULES_{name.upper()}": safe(fact_text(value)) for name, value in facts(news).items()}
            document = io.StringIO()
            render_json(news.report, document)
            self._deliveries.do(command_delivery(self._words, document.getvalue(), said))

    def close(self, limit_s: float) -> None:
        """Wait for commands that run; they go on without us too."""
        self._deliveries.close(limit_s)


def words_of(option: str, text: str) -> list[str]:
    """The words of a command line, split as a shell does. Raises LogrulesError where there are none."""
    try:
        words = shlex.split(text)
    except ValueError as fault:
        raise LogrulesError(f"{option}: cannot be split into words ({str(fault).lower()})") from None
    if not words:
        raise LogrulesError(f"{option}: names no command")
    return words
