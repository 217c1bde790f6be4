"""What was told of a live job so far, one line each, for whoever looks at the panel later."""

from collections import deque
from collections.abc import Callable, Sequence

from logrules.model.change import QuietEnded, QuietNoticed, Update
from logrules.model.report import Report, Text
from logrules.notify.listener import Listener
from logrules.notify.notifications import Kind, Notification, NotificationPolicy
from logrules.output.escape import safe
from logrules.output.numbers import duration, time_of_day

MAX_ENTRIES = 200
_KINDS = {
    Kind.STALL: Text("stalled", "停滞"),
    Kind.STALL_LASTS: Text("still", "仍在持续"),
    Kind.DIAGNOSIS: Text("diagnosed", "诊断"),
    Kind.MOVED_ON: Text("moved on", "进展"),
    Kind.OVER: Text("over", "结束"),
}
_QUIET = Text("quiet for {quiet}", "已静默 {quiet}")
_AGAIN = Text("writes again after {quiet}", "静默 {quiet} 后又有输出")


class IncidentHistory(Listener):
    """Keeps what the policy tells, and unusual silences; times are of this machine."""

    def __init__(self, policy: NotificationPolicy, language: str) -> None:
        self._policy = policy
        self._language = language
        self._entries: deque[str] = deque(maxlen=MAX_ENTRIES)

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Keep what happened."""
        for change in update.changes:
            if isinstance(change, QuietNoticed | QuietEnded):
                form = _QUIET if isinstance(change, QuietNoticed) else _AGAIN
                self._keep(update.now, form.of(self._language).format(quiet=duration(change.quiet_s)))
        for news in self._policy.news(update, report):
            self._keep(update.now, self._said(news))

    def lines(self) -> Sequence[str]:
        """The entries, the last first."""
        return tuple(reversed(self._entries))

    def _said(self, news: Notification) -> str:
        kind = _KINDS[news.kind].of(self._language)
        what = news.rule if news.diagnosis is None else news.diagnosis.title.of(self._language)
        quiet = f" · {duration(news.quiet_s)}" if news.quiet_s is not None else ""
        return f"{news.incident.rpartition('-')[2]}. {kind}: {what}{quiet}"

    def _keep(self, now: float, text: str) -> None:
        self._entries.append(f"{time_of_day(now)} {safe(text)}")
