"""Secrets by what stands round them: keys in blocks, headers of HTTP, parts of addresses.

A pattern's group ``secret`` is what is taken out; without the group it is the whole match.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SecretKind:
    """A kind of secret. ``hint`` is a piece of text (in lower case) without which the pattern cannot match."""

    name: str
    pattern: str
    hint: str


_BEGIN = r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_END = r"-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY"

KINDS = (
    SecretKind("private key", _BEGIN + r"(?P<secret>(?:(?!-----).){1,20000}+)(?=-----END)", "private key"),
    # What follows the beginning of a key in a text that ends inside of it.
    SecretKind("private key", _BEGIN + r"(?P<secret>(?:[A-Za-z0-9+/=\s:,]|\\+[nr]){1,20000}+)(?!-----)", "private key"),
    # A tail that begins inside of a key.
    SecretKind(
        "private key",
        r"(?m)(?P<secret>(?:^[^\n]{0,80}?[A-Za-z0-9+/]{32,80}={0,2}\r?\n){1,200}(?:^[^\n]{0,80}?[A-Za-z0-9+/]{1,80}={0,2}\r?\n)?)(?=[^\n]{0,80}"
        + _END
        + ")",
        "private key",
    ),
    SecretKind(
        "private key",
        r"(?m)PuTTY-User-Key-File.{0,2000}?Private-Lines: \d+\r?\n(?P<secret>(?:[^\n:]{1,80}\n){1,200})",
        "private-lines",
    ),
    SecretKind(
        "Azure key",
        r"(?i)\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=(?P<secret>[A-Za-z0-9+/=%&]{20,})",
        "share",
    ),
    SecretKind("Azure key", r"(?i)\bAccountKey=(?P<secret>[A-Za-z0-9+/=]{20,})", "accountkey="),
    SecretKind("Kubernetes bootstrap token", r"(?<=token )[a-z0-9]{6}\.[a-z0-9]{16}\b", "token "),
    SecretKind(
        "webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_+-]{20,})", "hooks.slack"
    ),
    SecretKind("webhook", r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{15,}/[\w-]{20,})", "webhooks/"),
    SecretKind("webhook", r"webhook\.office\.com/webhookb2/(?P<secret>[^\s\"'<>]{20,})", "webhookb2"),
    SecretKind("webhook", r"logic\.azure\.com[:\d]*/workflows/(?P<secret>[^\s\"'<>]{20,})", "logic.azure"),
    SecretKind("webhook", r"chat\.googleapis\.com/v1/spaces/(?P<secret>[^\s\"'<>]{20,})", "chat.googleapis"),
    SecretKind("webhook", r"hooks\.zapier\.com/hooks/catch/(?P<secret>[^\s\"'<>]{8,})", "zapier"),
    SecretKind("webhook", r"sctapi\.ftqq\.com/(?P<secret>[A-Za-z0-9]{16,})", "ftqq"),
    SecretKind(
        "webhook",
        r"(?:qyapi\.weixin\.qq\.com|oapi\.dingtalk\.com|open\.(?:feishu\.cn|larksuite\.com)|www\.pushplus\.plus)/[^\s\"'<>]{0,200}?(?:key=|token=|hook/)(?P<secret>[\w-]{20,})",
        "/",
    ),
    SecretKind(
        "registry login", r"""\\*["']_?auth(?:Token)?\\*["']\s*:\s*\\*["'](?P<secret>[A-Za-z0-9+/=_-]{12,})""", "auth"
    ),
    SecretKind("registry login", r":_auth(?:Token)?\s?=\s?(?P<secret>[^\s\"']{8,})", ":_auth"),
    SecretKind("Sentry DSN", r"https?://(?P<secret>[0-9a-f]{32}(?::[0-9a-f]{32})?)@[\w.-]{1,200}", "://"),
    SecretKind(
        "Authorization header",
        r"""(?i)authorization\\*["']?\s*[:=,]\s*\\*["']?(?:[A-Za-z0-9-]{3,20}\s+)?(?P<secret>(?=[^\s"']*[\d=+/])[^\s"',;\\]{6,})""",
        "authorization",
    ),
    SecretKind("bearer token", r"""(?i)\bbearer[\s:]+\\*["']?(?P<secret>(?=\S*\d)[A-Za-z0-9._~+/=-]{16,})""", "bearer"),
    SecretKind(
        "key header",
        r"""(?i)\b(?:x-[a-z-]{0,30}(?:key|token|secret|auth|signature)|api-key|ocp-apim-subscription-key|dd-api-key|private-token|job-token|circle-token)\\*["']?\s*[:=,]\s*\\*["']?(?P<secret>[^\s"',;\\]{8,})""",
        "-",
    ),
    SecretKind(
        "cookie", r"""(?i)\b(?:set-)?cookie\\*["']?\s*:\s*\\*["']?(?P<secret>[^\s"'=;]{1,80}=[^"'\r\n]{8,})""", "cookie"
    ),
    SecretKind(
        "password in a URL",
        r"""://[^\s/:@"'<>]{0,100}:(?P<secret>(?!\d{1,5}@)[^\s"'<>/]{0,300}[^\s"'<>/@])@(?=[\w.\[-])""",
        "://",
    ),
    SecretKind("token in a URL", r"://(?P<secret>[A-Za-z0-9_-]{20,})@", "://"),
    SecretKind(
        "signature in a URL",
        r"(?i)(?:[?&;]|%26|%3f)[\w.-]{0,30}(?:signature|credential|security-token|sig|token|api_?key|key|secret|secretid|password|passwd|pwd|sign|code)=(?P<secret>(?=[^\s&]*\d)[^\s&\"'<>\\]{8,})",
        "=",
    ),
)
