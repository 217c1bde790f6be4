"""The body that each chat or pager wants for a notification; a plain webhook gets the facts and the report."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from logrules.notify.notifications import Kind, Notification

# What each of them documents for text messages of incoming webhooks, by the host of its URLs.
_SLACK = ("hooks.slack.com",)
_FEISHU = ("open.feishu.cn", "open.larksuite.com")
_DINGTALK_AND_WECOM = ("oapi.dingtalk.com", "qyapi.weixin.qq.com")
_PAGERDUTY = ("events.pagerduty.com", "events.eu.pagerduty.com")
_SEVERITY = {"error": "critical", "warning": "warning", "info": "info"}


def body_for(url: str, news: Notification, text: str, plain: Mapping[str, object], key: str) -> dict[str, object]:
    """The JSON that ``url`` understands: chats get ``text``, PagerDuty an event routed by ``key``, others ``plain``."""
    host = urlsplit(url).hostname or ""
    if host in _SLACK:
        return {"text": text}
    if host in _FEISHU:
        return {"msg_type": "text", "content": {"text": text}}
    if host in _DINGTALK_AND_WECOM:
        return {"msgtype": "text", "text": {"content": text}}
    if host in _PAGERDUTY:
        return _event(news, text, key)
    return {"text": text, **plain}


def _event(news: Notification, text: str, key: str) -> dict[str, object]:
    action = "resolve" if news.kind is Kind.OVER else "trigger"
    found: dict[str, object] = {"routing_key": key, "event_action": action, "dedup_key": f"logrules/{news.incident}"}
    if action == "trigger":
        severity = _SEVERITY[news.diagnosis.severity.value] if news.diagnosis is not None else "warning"
        source = next(iter(news.diagnosis.hosts), "logrules") if news.diagnosis is not None else "logrules"
        found["payload"] = {"summary": text[:1_024], "source": source, "severity": severity}
    return found
