"""The body that each chat or pager wants for a notification, and the signature that some of their bots ask for.

A plain webhook gets the facts and the report.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from urllib.parse import quote_plus, urlsplit

from logrules.notify.notifications import Kind, Notification

# What each of them documents for text messages of incoming webhooks, by the host of its URLs.
_SLACK = ("hooks.slack.com",)
FEISHU = ("open.feishu.cn", "open.larksuite.com")
DINGTALK, _WECOM = "oapi.dingtalk.com", "qyapi.weixin.qq.com"
_PAGERDUTY = ("events.pagerduty.com", "events.eu.pagerduty.com")
# Slack reads these as markup: `<!channel>` in a line of a log would wake everybody.
_SLACK_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
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
    return {"text": text, **plain}


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
