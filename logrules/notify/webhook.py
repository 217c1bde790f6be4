"""A webhook: news as a JSON body with Slack's ``text``, sent from a thread of its own and given up on in time."""

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

from logrules.model.errors import LogrulesError
from logrules.model.report import Report
from logrules.model.update import Update
from logrules.notify.message_forms import body_for
from logrules.notify.notifications import Fact, Notification, NotificationPolicy, facts, matters, sentence
from logrules.notify.task_queue import TaskQueue
from logrules.output.escape import safe
from logrules.output.report_json import report_document

# The integration key of a service at PagerDuty.
PAGERDUTY_KEY = "LOGRULES_PAGERDUTY_KEY"
LIMIT_S = 10.0
_TRIES = 3
_REST_S = 1.0
_CLOSING_S = 15.0
_MAX_ANSWER_BYTES = 1 << 16
_TOO_MANY, _SERVER_FAULT = 429, 500


class Webhook:
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
        self._errands = TaskQueue(f"--notify {urlsplit(url).hostname}", complain)
        self._newsroom = policy or NotificationPolicy()

    def hear(self, update: Update, report: Callable[[], Report]) -> None:
        """Post what is news."""
        if not matters(update):
            return
        for news in self._newsroom.news(update, report()):
            body = json.dumps(self._body(news), ensure_ascii=False).encode()
            self._errands.do(partial(post, self._url, body))

    def close(self) -> None:
        """Wait for what is being sent, for a while."""
        self._errands.close(_CLOSING_S)

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


def _refusal(answer: bytes) -> str:
    """Why a chat took nothing: some say so in the body of an answer whose status is 200. Empty where it did take it."""
    try:
        told = json.loads(answer)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(told, dict):
        return ""
    # DingTalk and WeCom call it `errcode`, Feishu and Lark `code`: 0 is fine.
    code = told.get("errcode", told.get("code", 0))
    if not isinstance(code, int) or code == 0:
        return ""
    return safe(f"code {code}: {str(told.get('errmsg', told.get('msg', '')))[:200]}")


def post(url: str, body: bytes, limit_s: float = LIMIT_S, rest_s: float = _REST_S) -> None:
    """Post JSON, trying again where the other side fails. Raises LogrulesError when it is given up."""
    request = urllib.request.Request(url, body, {"Content-Type": "application/json; charset=utf-8"})  # noqa: S310 (checked)
    reason = ""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(rest_s * 2**attempt)
        try:
            with urllib.request.urlopen(request, timeout=limit_s) as answer:  # noqa: S310 (checked)
                reason = _refusal(answer.read(_MAX_ANSWER_BYTES))
            if not reason:
                return
            break
        except urllib.error.HTTPError as fault:
            reason = f"status {fault.code}"
            fault.close()
            # The same request would be refused again, unless it only came too soon after others.
            if fault.code < _SERVER_FAULT and fault.code != _TOO_MANY:
                break
        except OSError as fault:
            reason = str(getattr(fault, "reason", None) or fault).lower()
    raise LogrulesError(f"not delivered ({reason})")
