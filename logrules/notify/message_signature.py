"""Signatures that bots of Feishu, Lark and DingTalk may ask for: made of the time and of a key that both sides know."""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from urllib.parse import quote_plus, urlsplit

from logrules.notify.message_forms import DINGTALK, FEISHU


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
