"""A webhook: news as a JSON body with Slack's ``text``, sent by a process of its own and given up on in time."""

import json
import os
from collections.abc import Callable
from urllib.parse import urlsplit

from logrules.model.change import Update
from logrules.model.errors import LogrulesError
from logrules.model.report import Report
from logrules.notify.delivery import post_delivery
from logrules.notify.listener import Listener
from logrules.notify.message_forms import body_for, signed
from logrules.notify.notifications import Fact, Notification, NotificationPolicy, facts, sentence
from logrules.notify.task_queue import DeliveryQueue
from logrules.output.escape import safe
from logrules.output.report_json import report_document
from logrules.sources.wall_clock import system_time

# The integration key of a service at PagerDuty.
PAGERDUTY_KEY = "LOGRULES_PAGERDUTY_KEY"
# The key with which a bot of Feishu, Lark or DingTalk wants its messages signed.
SIGNING_KEY = "LOGRULES_NOTIFY_SECRET"


class Webhook(Listener):
    """Posts all news to a URL."""

    def __init__(
        self,
        url: str,
        complain: Callable[[str], None],
        language: str = "en",
        policy: NotificationPolicy | None = None,
    ) -> None:
        if urlsplit(url).scheme not in ("http", "https"):
            raise LogrulesError(f"--notify {url}: only http and https URLs can be notified")
        self._url = url
        self._language = language
        self._deliveries = DeliveryQueue(f"--notify {urlsplit(url).hostname}", complain)
        self._policy = policy or NotificationPolicy()

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Post what is news."""
        for news in self._policy.news(update, report):
            url, body = signed(self._url, self._body(news), os.environ.get(SIGNING_KEY, ""), system_time())
            self._deliveries.do(post_delivery(url, json.dumps(body, ensure_ascii=False).encode()))

    def close(self, limit_s: float) -> None:
        """Wait for what is being sent; it goes on without us too."""
        self._deliveries.close(limit_s)

    def _body(self, news: Notification) -> dict[str, object]:
        plain = {
            **{name: _safe(value) for name, value in facts(news).items()},
            "report": report_document(news.report, self._language),
        }
        key = os.environ.get(PAGERDUTY_KEY, "")
        return body_for(self._url, news, safe(f"logrules: {sentence(news)}"), plain, key)


def _safe(value: Fact) -> Fact:
    if isinstance(value, str):
        return safe(value)
    return [safe(one) if isinstance(one, str) else one for one in value] if isinstance(value, list) else value  # type: ignore[return-value]
