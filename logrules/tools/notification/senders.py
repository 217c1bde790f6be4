"""Senders of news: to commands of the user's, without a shell, and to a web address. By processes of their own."""

import base64
import hashlib
import hmac
import io
import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import quote_plus, urlsplit

from logrules.model.change import Update
from logrules.model.errors import LogrulesError
from logrules.model.report import Report
from logrules.notify.listener import Listener
from logrules.notify.notifications import Kind, Notification, NotificationPolicy, fact_text, facts, sentence
from logrules.output.escape import safe
from logrules.output.report_json import render_json, report_document
from logrules.sources.wall_clock import system_time
from logrules.tools.notification.delivery import command_delivery, post_delivery
from logrules.tools.notification.delivery_queue import DeliveryQueue

# A job that stalls in a hundred ways at once is one message to a command.
APART_S = 60.0
# The integration key of a service at PagerDuty.
PAGERDUTY_KEY = "LOGRULES_PAGERDUTY_KEY"
# The key with which a bot of Feishu, Lark or DingTalk wants its messages signed.
SIGNING_KEY = "LOGRULES_NOTIFY_SECRET"
# As arguments they would make a command fail at the first news, which may come days after the start.
_SHELL_SIGNS = frozenset({"|", "||", "&", "&&", ";", "<", ">", ">>", "2>&1"})


class Sender(Listener):
    """Has delivered what it makes of news. ``complain`` hears of what was not, by ``name``."""

    def __init__(self, name: str, complain: Callable[[str], None], policy: NotificationPolicy) -> None:
        self.called = name
        self._deliveries = DeliveryQueue(name, complain)
        self._policy = policy

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Send what is news."""
        for news in self._policy.news(update, report):
            delivery = self.delivery(news)
            if delivery is not None:
                self._deliveries.do(delivery)

    def delivery(self, news: Notification) -> bytes | None:
        """What is delivered of a piece of news, if anything."""
        raise NotImplementedError

    def close(self, limit_s: float) -> None:
        """Wait for what is under way; it goes on without us too."""
        self._deliveries.close(limit_s)


class Commands(Sender):
    """Runs a command for news of some kinds: the report as JSON on its input, key facts as ``LOGRULES_…``."""

    def __init__(
        self, words: Sequence[str], kinds: frozenset[Kind], complain: Callable[[str], None], policy: NotificationPolicy
    ) -> None:
        super().__init__(words[0], complain, policy)
        self._words = words
        self._kinds = kinds
        self._last: float | None = None

    def delivery(self, news: Notification) -> bytes | None:
        """A run of the command, if the last one is long enough ago."""
        if news.kind not in self._kinds or (self._last is not None and news.at < self._last + APART_S):
            return None
        self._last = news.at
        said = {f"LOGRULES_{name.upper()}": fact_text(value) for name, value in facts(news).items()}
        document = io.StringIO()
        render_json(news.report, document)
        return command_delivery(self._words, document.getvalue(), said)


def words_of(option: str, text: str) -> list[str]:
    """The words of a command line, split as a shell does. Raises LogrulesError where it could not be run so."""
    try:
        words = shlex.split(text)
    except ValueError as fault:
        raise LogrulesError(f"{option}: cannot be split into words ({str(fault).lower()})") from None
    if not words:
        raise LogrulesError(f"{option}: names no command")
    sign = next((word for word in words if word in _SHELL_SIGNS), None)
    if sign is not None:
        raise LogrulesError(f"{option}: `{sign}` needs a shell, and none runs the command: write sh -c '…'")
    if shutil.which(words[0]) is None:
        raise LogrulesError(f"{option}: there is no program `{words[0]}` that can be run")
    return words


class Webhook(Sender):
    """Posts all news to a URL, as JSON with Slack's ``text`` or as the chat or pager there wants it."""

    def __init__(self, url: str, complain: Callable[[str], None], language: str, policy: NotificationPolicy) -> None:
        host = _host(url)
        if host is None:
            raise LogrulesError(f"--notify {url}: only http and https URLs can be notified")
        super().__init__(f"--notify {host}", complain, policy)
        self._url = url
        self._language = language

    def delivery(self, news: Notification) -> bytes:
        """A post, signed where there is a key for that."""
        plain = {**facts(news), "report": report_document(news.report, self._language)}
        text = safe(f"logrules: {sentence(news)}")
        body = body_for(self._url, news, text, plain, os.environ.get(PAGERDUTY_KEY, ""))
        url, body = signed(self._url, body, os.environ.get(SIGNING_KEY, ""), system_time())
        return post_delivery(url, json.dumps(body, ensure_ascii=False).encode())


def _host(url: str) -> str | None:
    """The host of a web address, None of what is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    is_web = parts.scheme in ("http", "https") and url.isprintable() and " " not in url
    return parts.hostname if is_web else None


# What each of them documents for text messages of incoming webhooks, by the host of its URLs.
_SLACK = ("hooks.slack.com",)
FEISHU = ("open.feishu.cn", "open.larksuite.com")
DINGTALK, _WECOM = "oapi.dingtalk.com", "qyapi.weixin.qq.com"
_PAGERDUTY = ("events.pagerduty.com", "events.eu.pagerduty.com")
# Slack reads these as markup: `<!channel>` in a line of a log would wake everybody.
_SLACK_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# Mattermost and Rocket.Chat, which take Slack's `text` on hosts of any name, read `@all` and Slack's markup.
_CALLS = re.compile(r"<(?=!)|@(?=(?:all|channel|here|everyone)\b)", re.IGNORECASE)
# WeCom takes 2,048 bytes of text, Feishu and DingTalk bodies of 20 KB.
_WECOM_BYTES, _CHAT_BYTES = 2_048, 16_000
_SEVERITY = {"error": "critical", "warning": "warning", "info": "info"}


def body_for(url: str, news: Notification, text: str, plain: Mapping[str, object], key: str) -> dict[str, object]:
    """The JSON that ``url`` understands: chats get ``text``, PagerDuty an event routed by ``key``, others ``plain``."""
    host = urlsplit(url).hostname or ""
    if host in _SLACK:
        return {"text": _cut(text, _CHAT_BYTES).translate(_SLACK_MARKUP)}
    if host in FEISHU:
        # `<at user_id="all">` would wake everybody there.
        return {"msg_type": "text", "content": {"text": _cut(text.replace("<at", "< at"), _CHAT_BYTES)}}
    if host == DINGTALK:
        return {"msgtype": "text", "text": {"content": _cut(text, _CHAT_BYTES)}}
    if host == _WECOM:
        return {"msgtype": "text", "text": {"content": _cut(text, _WECOM_BYTES)}}
    if host in _PAGERDUTY:
        return _event(news, text, key)
    return {"text": _CALLS.sub("\\g<0>\u200b", text), **plain}


def _cut(text: str, limit: int) -> str:
    """As much of the text as fits into so many bytes of UTF-8."""
    return text.encode()[:limit].decode(errors="ignore")


def _event(news: Notification, text: str, key: str) -> dict[str, object]:
    action = "resolve" if news.kind is Kind.OVER else "trigger"
    found: dict[str, object] = {"routing_key": key, "event_action": action, "dedup_key": f"logrules/{news.incident}"}
    if action == "trigger":
        severity = _SEVERITY[news.diagnosis.severity.value] if news.diagnosis is not None else "warning"
        source = next(iter(news.diagnosis.hosts), "logrules") if news.diagnosis is not None else "logrules"
        found["payload"] = {"summary": text[:1_024], "source": source, "severity": severity}
    return found


def signed(url: str, body: Mapping[str, object], key: str, at: float) -> tuple[str, dict[str, object]]:
    """The address and the body with which a message is taken by who knows the ``key``; others stay as they are.

    ``at`` is now, in seconds since the epoch: an hour later the signature is void.
    """
    host = urlsplit(url).hostname or ""
    if key and host in FEISHU:
        # The text is the key here, and what is signed is empty.
        seconds = str(int(at))
        return url, {"timestamp": seconds, "sign": _signature(f"{seconds}\n{key}", ""), **body}
    if key and host == DINGTALK:
        milliseconds = int(at * 1000)
        sign = quote_plus(_signature(key, f"{milliseconds}\n{key}"))
        return f"{url}{'&' if urlsplit(url).query else '?'}timestamp={milliseconds}&sign={sign}", dict(body)
    return url, dict(body)


def _signature(key: str, text: str) -> str:
    return base64.b64encode(hmac.digest(key.encode(), text.encode(), hashlib.sha256)).decode()
