"""The body that each chat or pager wants for a notification; a plain webhook gets the facts and the report."""

from collections.abc import Mapping
from urllib.parse import urlsplit

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
