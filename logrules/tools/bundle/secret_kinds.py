"""What secrets look like: by their own form where issuers gave them one, else by the name beside them.

A pattern's group ``secret`` is what is taken out; without the group it is the whole match. The forms
are those that the issuers document or that public scanners agree on. A name alone is no secret:
``pad_token='<pad>'`` and ``max_tokens=512`` are ordinary text in a training log.
"""

from dataclasses import dataclass

# A value beside a telling name: quoted or bare, with a digit, and too long to be a word.
_VALUE = r"""["']?(?P<secret>(?=[^\s"',;&]*\d)[^\s"',;&<>{}()\[\]]{8,})"""
_SAID = r"""["']?\s*(?:=|:|=>)\s*"""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of secret. ``hint`` is a piece of text (in lower case) without which the pattern cannot match."""

    name: str
    pattern: str
    hint: str


KINDS = (
    Kind(
        "private key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?P<secret>.*?)(?:-----END|\Z)",
        "private key",
    ),
    # A tail that begins inside a key.
    Kind(
        "private key",
        r"(?P<secret>(?:[^\n]*[A-Za-z0-9+/]{32,}={0,2}[^\n]*\n)+(?:[^\n]*\n)?[^\n]*?)-----END (?:[A-Z0-9]+ )*PRIVATE KEY",
        "private key",
    ),
    Kind("age key", r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b", "age-secret-key"),
    Kind("Hugging Face token", r"\b(?:hf_|api_org_)[A-Za-z0-9]{20,}\b", "_"),
    Kind("Weights & Biases key", r"\bwandb_v\d_[A-Za-z0-9_]{20,}\b", "wandb_v"),
    Kind(
        "Weights & Biases key",
        r"(?i)(?:wandb[_. -]?(?:api[_-]?)?key|wandb login|api\.wandb\.ai\b[^\n]*?password)\W{0,5}(?:--relogin )?(?P<secret>[0-9a-f]{40})\b",
        "wandb",
    ),
    Kind("AWS access key", r"\b(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA|ABIA|ACCA)[A-Z0-9]{16}\b", "a"),
    Kind(
        "AWS secret",
        r"""(?i)aws_?(?:secret_?access_?key|secret_?key|session_?token|security_?token)"""
        + _SAID
        + r"""["']?(?P<secret>[A-Za-z0-9/+=]{16,})""",
        "aws",
    ),
    Kind("Google API key", r"\bAIza[0-9A-Za-z_-]{35}", "aiza"),
    Kind("Google OAuth token", r"\bya29\.[0-9A-Za-z_-]{20,}", "ya29."),
    Kind("Google client secret", r"\bGOCSPX-[0-9A-Za-z_-]{20,}", "gocspx-"),
    Kind("Azure key", r"(?i)\b(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/=]{20,})", "key="),
    Kind("Azure client secret", r"\b[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,34}", "8q~"),
    Kind("Alibaba Cloud key", r"\bLTAI[A-Za-z0-9]{12,26}\b", "ltai"),
    Kind("Tencent Cloud key", r"\bAKID[A-Za-z0-9]{28,36}\b", "akid"),
    Kind("GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{36,})\b", "_"),
    Kind("GitLab token", r"\bgl(?:pat|dt|rt|ptt|cbt|soat|ft)-[A-Za-z0-9_-]{20,}", "-"),
    Kind("OpenAI or Anthropic key", r"\bsk-(?:proj-|svcacct-|admin-|ant-|or-)?[A-Za-z0-9_-]{20,}", "sk-"),
    Kind("model provider key", r"\b(?:gsk_|xai-|nvapi-|pplx-|fw_|r8_|tgp_v1_|pcsk_|csk-)[A-Za-z0-9_-]{20,}", ""),
    Kind("LangSmith key", r"\blsv2_(?:pt|sk)_[A-Za-z0-9]{32}_[A-Za-z0-9]{10}\b", "lsv2_"),
    Kind("Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}", "xox"),
    Kind(
        "Slack webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_+-]{20,})",
        "hooks.slack",
    ),
    Kind("Discord webhook", r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{15,}/[\w-]{20,})", "webhooks/"),
    Kind(
        "chat robot webhook",
        r"(?:qyapi\.weixin\.qq\.com|oapi\.dingtalk\.com|open\.(?:feishu\.cn|larksuite\.com))/\S*?(?:key=|access_token=|hook/)(?P<secret>[\w-]{20,})",
        "/",
    ),
    Kind("Telegram token", r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b", ":aa"),
    Kind("Stripe key", r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}", "k_"),
    Kind("SendGrid key", r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}", "sg."),
    Kind("Twilio key", r"\bSK[0-9a-f]{32}\b", "sk"),
    Kind("npm token", r"\bnpm_[A-Za-z0-9]{36}\b", "npm_"),
    Kind("PyPI token", r"\bpypi-[A-Za-z0-9_-]{40,}", "pypi-"),
    Kind("Docker token", r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}", "dckr_"),
    Kind("registry login", r'"auth"\s*:\s*"(?P<secret>[A-Za-z0-9+/=]{12,})"', '"auth"'),
    Kind("Databricks token", r"\bdapi[0-9a-f]{32}(?:-\d)?\b", "dapi"),
    Kind("Vault token", r"\bhv[sbr]\.[A-Za-z0-9_-]{24,}", "hv"),
    Kind("DigitalOcean token", r"\bdo[opr]_v1_[0-9a-f]{64}\b", "_v1_"),
    Kind("Grafana token", r"\bgl(?:sa|c)_[A-Za-z0-9+/=_]{32,}", "gl"),
    Kind("RunPod key", r"\brpa_[A-Z0-9]{36,}[a-z0-9]*\b", "rpa_"),
    Kind("Modal token", r"\ba[ks]-[A-Za-z0-9]{22}\b", "-"),
    Kind("Notion or Linear key", r"\b(?:ntn_[A-Za-z0-9]{40,}|lin_api_[A-Za-z0-9]{40})", "_"),
    Kind("Sentry DSN", r"https?://(?P<secret>[0-9a-f]{32})(?::[0-9a-f]{32})?@[\w.-]*sentry", "sentry"),
    Kind("JSON web token", r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*", "eyj"),
    Kind("encoded token", r"\beyJ[A-Za-z0-9+/]{60,}={0,2}", "eyj"),
    Kind(
        "Authorization header",
        r"""(?i)\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s+)?(?P<secret>[^\s"',;]{6,})""",
        "authorization",
    ),
    Kind("bearer token", r"(?i)\bbearer\s+(?P<secret>(?=\S*\d)[A-Za-z0-9._~+/=-]{16,})", "bearer"),
    Kind(
        "key header",
        r"""(?i)\bx-(?:api|auth|goog-api|amz-security|vault|gitlab)-?(?:key|token)["']?\s*[:=]\s*["']?(?P<secret>[^\s"',;]{8,})""",
        "x-",
    ),
    Kind("cookie", r"""(?i)\b(?:set-)?cookie["']?\s*:\s*["']?(?P<secret>[^\s"'=;]+=[^"'\r\n]{8,})""", "cookie"),
    Kind("password in a URL", r"\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@\"'<>]*:(?P<secret>[^\s/@\"'<>]+)@", "://"),
    Kind("token in a URL", r"://(?P<secret>[A-Za-z0-9_-]{20,})@", "://"),
    Kind(
        "signature in a URL",
        r"(?i)[?&](?:x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|signature|sig|access_token|auth_token|token|api_?key|key|secret|password)=(?P<secret>[^\s&\"'<>]{8,})",
        "=",
    ),
    Kind("netrc password", r"\bmachine\s+\S+\s+login\s+\S+\s+password\s+(?P<secret>\S+)", "password"),
    Kind(
        "password",
        r"""(?i)(?<![\w$])[\w.-]*(?:password|passwd|passphrase)["']?\s*(?:=|:(?!:))\s*["']?(?P<secret>(?!None\b|null\b|true\b|false\b|\*+|<)[^\s"',;&<>{}()\[\]]{4,})""",
        "pass",
    ),
    Kind("password", r"(?i)\b(?:pwd)=(?P<secret>[^\s/;\"'][^\s;\"']{3,})(?=;)", "pwd="),
    Kind("password", r"(?<!\S)(?:--password|--passwd)[ =](?P<secret>\S{4,})", "--passw"),
    Kind(
        "secret in the environment",
        r"""(?<![A-Za-z0-9])[A-Z][A-Z0-9_]*(?:_TOKEN|_SECRET|_SECRET_KEY|_API_?KEY|_APIKEY|_ACCESS_KEY|_PRIVATE_KEY|_CREDENTIALS?|_AUTH|_PAT)"""
        + _SAID
        + r"""["']?(?P<secret>(?!None\b|null\b|/)[^\s"',;&<>{}()\[\]$]{8,})""",
        "_",
    ),
    Kind(
        "key beside its name",
        r"""(?i)(?<![A-Za-z0-9])(?:[\w-]*[_-])?(?:api[_-]?key|apikey|secret[_-]?key|client[_-]?secret|access[_-]?token|auth[_-]?token|refresh[_-]?token|hf[_-]?token|hub[_-]?token|bot[_-]?token|secret|private[_-]?token)"""
        + _SAID
        + _VALUE,
        "",
    ),
    Kind("key beside its name", r"""["']token["']\s*:\s*["'](?P<secret>(?=[^"']*\d)[^"'\s]{16,})""", "token"),
    Kind(
        "key on a command line",
        r"(?<!\S)--(?:hf[_-]|hub[_-]|wandb[_-]|api[_-]|auth[_-]|access[_-])?(?:token|api[_-]?key|key|secret)[ =](?P<secret>(?=\S*\d)(?=\S*[A-Za-z])[^\s/]{16,})",
        "--",
    ),
)
