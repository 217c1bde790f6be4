"""Secrets by the name beside them, in every syntax in which logs, shells and files set a name to a value."""

from collections.abc import Iterator

import regex

from logrules.tools.bundle.words import drawn_by_lot

# What follows these is a secret whatever it looks like.
_PASSWORDS = r"pass(?:word|wd|phrase|code)|passwort|kennwort|mot\ de\ passe|contrase[ñn]a|senha|пароль|パスワード|비밀번호|密\ ?码|密\ ?碼|口\ ?令|通行码"
_KEYS = (
    r"api[_\-. ]?(?:key|secret)|secret[_\-. ]?(?:access[_\-. ]?)?key|access[_\-. ]?key[_\-. ]?secret|access[_\-. ]?(?:key|secret)"
    r"|(?:client|app|consumer|shared|webhook|hmac|jwt|cookie|session|oauth)[_\-. ]?secret"
    r"|(?:auth|access|refresh|bearer|session|security|identity|hf|hub|bot|private|personal[_\-. ]?access|deploy|api|user"
    r"|app|login|service|push|pull|read|write|admin|root|registry|oauth)[_\-. ]?token"
    r"|(?:private|signing|encryption|storage|account|app|application|master|shared|service|license|subscription|host"
    r"|ingest|team|project|registration|sas|admin|login|deploy)[_\-. ]?key"
    r"|secret(?:[_\-. ]?id)?|credentials?|connection[_\-. ]?string|secret[_\-. ]?value"
    r"|密\ ?钥|秘\ ?钥|令\ ?牌|私\ ?钥|凭\ ?证|凭\ ?据|授权码|访问码"
)
# What follows these is a secret only where it looks like one.
_HINTS = r"token|auth|pwd|pass|pat|sas|sig|signature|dsn|cookie|session(?:[_-]?id)?|sid|jwt|webhook|creds?|key|requirepass|pin|psk|sk|ak|pw|pgpass|sign|ticket|licen[sc]e"
_HARMLESS_BEFORE_TOKEN = regex.compile(
    r"(?:^|[_.\-])(?:pad|padding|eos|bos|unk|sep|cls|mask|sos|eot|eod|image|img|video|audio|start|end|stop|think|next|prev"
    r"|last|first|special|additional|per|num|max|min|n|new|begin|beginning|decoder|forced|fim|prefix|suffix|middle|time"
    r"|begin_of_text|vision|box|patch|speech|draft|mtp|bonus|s|ms|us|sec)[_.\- ]?$",
    regex.IGNORECASE,
)
_HARMLESS_BEFORE_KEY = regex.compile(
    r"(?:^|[_.\-])(?:cache|sort|primary|foreign|partition|state|hash|dict|hot|group|index|row|object|lookup|routing|idempotency"
    r"|store|kv|batch|label|text|data|image|input|output|target|public|pub|metric|config|param|module|layer|weight|tensor"
    r"|prng|rng|random|jax|map|reduce|shuffle|dedup|dataset|sample|prompt|response|answer|column|field|query|value|attn|host)[_.\- ]?$",
    regex.IGNORECASE,
)
_VENDOR = regex.compile(
    r"(?:snyk|vault|kaggle|datadog|dd|azure|aws|gcp|aliyun|tencent|volc|qiniu|baidu|huawei|openai|anthropic|deepseek|moonshot|zhipu"
    r"|dashscope|wandb|comet|neptune|mlflow|swanlab|clearml|hf|github|gitlab|gitee|slack|stripe|twilio|sentry|ngc|redis|mysql|pg"
    r"|postgres|mongo|s3|oss|cos|obs|minio|ssh|tls|ssl|db)[_.\- ]?$",
    regex.IGNORECASE,
)
_LEFT = regex.compile(r"[\w.\-]*$")
_LEFT_CHARS = 40
_PATTERN = regex.compile(
    rf"""
    (?: (?P<password>{_PASSWORDS}) | (?P<key>{_KEYS}) | (?<![a-z])(?P<hint>{_HINTS}) )
    (?![a-z]) (?: [_-]?(?:\d{{1,3}}|old|new|prod|dev|test|hash|raw|b64|base64|value|str|plain|base)(?![a-z0-9]) )?+
    (?P<close> \\*+["'`] | %2[27] )?+ \]?+
    (?P<set>
        [ \t]*+ (?::\s?+[&A-Za-z][\w.\[\]|]{{0,30}}+\s?+(?==))?+ (?: [+?]= | ::= | => | :=\s? | ==?+ | :(?![:/]/?) | <?-> | <- | [ ]?\.{{3,80}}+:? | %3[aAdD](?:%2[27])?+ | \\+(?:u00|x)3[aAdD] | &\#(?:58|61|x3[aAdD]); | 【 | 是 | 为 | 改为 | 设为 | 设置为 | 如下 | (?<=\s)(?:is|was):?[ ] )
            (?: \s*+(?=\\*["']) | [ \t]*+ )
      | (?: \\[nrt] | [\s,;] ){{1,12}}+ \\*+["']? val(?:ue)? \\*+["']? \s*+ [:=] \s*+
      | [ ]?+(?:[,|]|\\n)[ \t]*+ (?=\\*["'] | (?<=\|[ \t]*))
      | (?P<xml> [^<>\n]{{0,80}}+ > )
      | [ ] (?P<prose> (?:for|of|to|from|at|on)[ ] (?:[\w.\-]{{1,40}}+[ ]?){{1,5}}+ ) [:=][ \t]*+
      | [ ] (?P<prose> (?:for|of|to|on)[ ] (?:(?:the|a|user)[ ])? [\w.@\-]{{1,40}}+ ) [ ](?:is|was)[ ]
      | (?P<gap> [ ](?:changed|rotated|set|updated)[ ](?:from|to)[ ] | [ \t]*+\\?\r?\n[ \t]++ | \r?\n[ \t]*+-[ ] | [ \t]++ | ,[ \t]++ | [(](?=[^\s()]{{6,400}}+[)]) )
    )
    (?: !!?\w{{0,40}}+[ ] )?+
    (?: (?:\w{{0,20}}(?:Str|Secret|SecretValue)|str|quote) \( | \{{ \s*+ \\*+["']value\\*+["'] \s*+ : \s*+ )?+
    (?: [bBrfu]{{0,2}} (?P<quote>["]{{3}}|[']{{3}}|["'`]) (?P<secret> (?: \\. | (?!(?P=quote)) [^\\\n] ){{1,4096}}+ ) (?P=quote)?
      | [bBrfu]{{0,2}} (?P<deep>\\++["']) (?P<secret> (?: (?!(?P=deep)) [^\n] ){{1,4096}}+ ) (?:(?P=deep))?
      | (?P<block> [|>][+-]?\d?[ \t]*+(?:\#[^\n]*+)?\r?\n(?P<indent>[ \t]+) ) (?P<secret> \S[^\n]*+ (?: \n(?P=indent)[^\n]*+ )*+ )
      | (?P<secret>
          (?: [^\s"'`,;&|<>(){{}}\[\]\u3000-\u9fff]
            | [,;&|] (?! \s | $ | [\w.\-]{{1,40}}+\ ?[=:] | ["'\u3000-\u9fff] )
            | [()\[\]{{}}<>] (?= [^\s"'`,;()\[\]{{}}<>\u3000-\u9fff] )
            | (?<=[^\s=:]) ['"`] (?= [^\s"'`,;:)}}\]] )
          ){{1,4096}}+
        )
    )
    """,
    regex.VERBOSE | regex.IGNORECASE | regex.MULTILINE,
)
# A value with blanks, alone behind its name in a file of settings.
_LINE = regex.compile(
    rf"""^[ \t]*+(?:-[ ])?["']?(?:[\w.\-]{{0,40}}[_.\-])?(?:{_PASSWORDS}|{_KEYS})["']?:[ \t]++(?P<secret>[^\s\#"'|>&*!%@`{{\[<][^\n]{{2,400}}+)$""",
    regex.VERBOSE | regex.IGNORECASE | regex.MULTILINE,
)
# The second word of a command that logs in, and its options of one letter.
_COMMANDS = tuple(
    regex.compile(pattern, regex.MULTILINE)
    for pattern in (
        r"""\b(?:curl|wget|http|https|xh|skopeo|lftp)\b[^\n|;]{0,400}?(?<=["'\s,])(?:-u|--user|--proxy-user|-U|-a|--creds|--src-creds|--dest-creds)(?:["'],)?[ =]*+["']?[^\s:"',]{0,80}[:,](?P<secret>[^\s"']{1,400}+)""",
        r"""\b(?:docker|podman|nerdctl|helm|oras|crane|skopeo|buildah|az|oc|argocd|nexus|jfrog)\b[^\n|;]{0,200}?\blogin\b[^\n|;]{0,200}?(?<=["'\s,])-p["']?,?[ =]*+["']?(?P<secret>[^\s"']{1,400}+)""",
        r"""\b(?:sshpass|mysql|mysqldump|mysqladmin|mariadb|mycli|mongo|mongosh|mongodump)\b[^\n|;]{0,200}?(?<=["'\s,])-p["']?,?[ =]?["']?(?P<secret>(?!ort\b)[^\s"'=-][^\s"']{0,400}+)""",
        r"""\b(?:redis-cli|snmpwalk|snmpget|cqlsh|ldapsearch|ldapadd|zip|unzip|7z|7za|cmdkey)\b[^\n|;]{0,200}?(?<=["'\s,])(?:-a|-A|-w|-p|-P)["']?,?[ =]?["']?(?P<secret>[^\s"'-][^\s"']{0,400}+)""",
        r"""\b(?:ossutil(?:64)?|obsutil|coscmd|qshell|tosutil|bcecmd|rclone|s3cmd)\b[^\n|;]{0,200}?(?<=["'\s,])(?:-k|-s|-sk|-e)["']?,?[ =]++["']?(?P<secret>(?!https?:|cn-|ap-|oss|obs)[^\s"'-][^\s"']{5,400}+)""",
        r"""\bmc\b[^\n|;]{0,40}?\b(?:alias set|config host add)\s+\S{1,80}\s+\S{1,200}\s+["']?\S{1,200}?["']?\s+["']?(?P<secret>[^\s"']{4,400}+)""",
        r"""\b(?:wandb|comet|swanlab|neptune|clearml|huggingface-cli|hf|modelscope|snyk|ngc|dvc)\b[ "',]{1,4}(?:auth[ "',]{1,4})?login[ "',]{1,4}(?:--?[\w-]{1,30}(?:[ =]https?:\S{1,100})?[ "',=]{1,4}){0,4}(?P<secret>[A-Za-z0-9_.-]{16,400}+)""",
        r"""\bsmbclient\b[^\n|;]{0,200}?-U[ ]?["']?[^\s%"']{1,80}%(?P<secret>[^\s"']{1,400}+)""",
        r"""(?i:-pass(?:in|out)?|--passphrase)\s+["']?pass:(?P<secret>[^\s"']{1,400}+)""",
        r"""(?i:\bidentified\s+(?:with\s+\S{1,40}\s+)?by|\bset\s+password\s*=|\bpassword\s*\()\s*["'](?P<secret>[^"'\n]{1,400}+)""",
        r"""(?i:\bmachine\s+\S{1,200}\s+login\s+\S{1,200}\s+password)\s+(?P<secret>\S{1,400}+)""",
        r"""(?i:\b(?:echo|printf|<<<)\s+["']?)(?P<secret>[^\s"'|]{6,400}+)["']?\s*\|\s*(?:sudo\s+-S|docker\s+login|passwd|chpasswd|podman\s+login|helm\s+registry)""",
        r"""\bnet\s+user\s+\S{1,60}\s+(?P<secret>[^\s/][^\s]{3,100}+)""",
        r"""\bvault\b[^\n|;]{0,40}?\blogin[ ]+(?:-[\w-]{1,30}(?:=\S{1,80})?[ ]+){0,4}(?P<secret>[^\s"'=-][^\s"'=]{7,400}+)(?=\s|$)""",
        r"""--(?:password|token|secret|with-token|password-stdin|pass)(?:-file|-stdin)?[ =]?(?:<<<[ ]*|<\((?:echo|printf)[ ]+)["']?(?P<secret>[^\s"')]{3,400}+)""",
        r"""\b(?:twine|poetry|flit|uv|hatch)\b[^\n|;]{0,200}?(?<=\s)(?:-p|--auth)[ =]["']?(?P<secret>(?!pypi\b)[^\s"'-][^\s"']{3,400}+)""",
        r"""\b(?:conda|anaconda|mamba|pulumi|netlify|heroku)\b[ ](?:auth[ ])?token[ ](?:set|add)[ ]+["']?(?P<secret>[^\s"'-][^\s"']{7,400}+)""",
        r"""(?i:\b\w{0,40}auth)\s*=?\s*\(\s*["'][^"'\n]{1,200}["']\s*,\s*["'](?P<secret>(?=[^"'\n]*[\d!#$%^&*])[^"'\n]{4,400}+)""",
        r"""\blog_?in\(\s*["'][^"'\n]{1,200}["']\s*,\s*["'](?P<secret>[^"'\n]{3,400}+)""",
        r"""(?<![\w.])AUTH(?: (?:PLAIN|LOGIN|XOAUTH2))? (?P<secret>(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[^\s"']{8,400}+)""",
        r"""(?i:\b(?:setenv|setx|set -g?x|env|configure set|config(?: set)?) +(?:--?[\w-]{1,20} +){0,3}[\w.-]{0,60}(?:password|passwd|pwd|secret|token|key) +)["']?(?P<secret>(?=[^\s]*\d)[^\s"'-][^\s"']{5,400}+)""",
        r"""\b(?:requirepass|masterauth)[ ]+["']?(?P<secret>[^\s"']{4,400}+)""",
        r"""\bs?ftp[ ]+[\w.-]{1,60}:(?P<secret>[^\s:@/]{4,100}+)@""",
        r"""\b(?:kinit|cryptsetup|su|sudo)\b[^\n|;]{0,100}?<<<[ ]*["']?(?P<secret>[^\s"']{4,400}+)""",
        r"""\bopenssl\b[^\n|;]{0,200}?(?<=\s)-k[ ]+["']?(?P<secret>[^\s"'-][^\s"']{3,400}+)""",
        r"""(?<=\s)-(?:store|key|src|dest)(?:store)?pass[ ]+["']?(?P<secret>[^\s"':-][^\s"']{3,400}+)""",
        r"""\bnet\s+use\s+\S{1,80}\s+(?P<secret>[^\s/\\][^\s]{3,100}+)(?=\s+/user)""",
        r"""--from-literal[ =]["']?[\w.-]{1,60}=(?P<secret>[^\s"']{1,400}+)""",
        r"""(?i:chpasswd\s*<<<\s*["']?[^\s:"']{1,80}:)(?P<secret>[^\s"']{1,400}+)""",
    )
)
_NOTHING = regex.compile(
    r"""(?: none|null|nil|nan|true|false|undefined|unset|empty|optional|required|missing|invalid|wrong|incorrect|expired|not|is
    |was|are|were|has|have|must|should|can|cannot|could|will|may|does|did|the|an?|from|for|and|or|to|in|of|on|with|by|at
    |your|you|please|if|when|str|string|bytes|int|bool|secretstr|set|found|provided|field|error|failed|file|path|name|type
    |auth(?:entication|orization)?|[*xX.•·?#_-]+ | <[^>]*>? | \$.* | %[({\w].* | \{\{?.* | \*+ | \[\S* | os\.(?:environ|getenv).*
    |getenv.* | env[.\[(].* | self\..* | args\..* | config\..* | cfg\..* | \w+\(.* | -{1,2}[a-z].* | your[-_].* | changeme
    |redacted | hidden | masked | placeholder | example)[.,:;!?)]*""",
    regex.VERBOSE | regex.IGNORECASE | regex.DOTALL,
)
_PATH = regex.compile(r"(?:[A-Za-z]:[\\/]|~?/|\./|\.\./|\$\{?\w)[\w./\\ -]*")
_ENDS = ".,;:!?)]}>\"'`"
_MAX_TRIES = 16
_MIN_STRONG, _MIN_HINTED, _LOTTED = 3, 8, 8


def named_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """Where values stand (start, end, kind) beside names that say that they are secret."""
    place = refused_until = tries = 0
    while (found := _PATTERN.search(text, place)) is not None:
        start, end = found.span("secret")
        if found["quote"] is None and found["deep"] is None and found["block"] is None:
            end = start + len(text[start:end].rstrip(_ENDS))
        if end > start and _is_secret(found, text, text[start:end]):
            yield start, end, "password" if found["password"] else "key beside its name"
            place = max(end, found.start() + 1)
            continue
        # Within a value that is none there may be a name and its value; in a chain of nothing but names there is not.
        tries = tries + 1 if found.start() < refused_until else 0
        refused_until = max(refused_until, found.end("secret"))
        place = max(found.start("set") if tries < _MAX_TRIES else refused_until, found.start() + 1)
    for found in _LINE.finditer(text):
        if not _is_nothing(found["secret"]):
            yield *found.span("secret"), "password"
    for pattern in _COMMANDS:
        for found in pattern.finditer(text):
            if not _is_nothing(found["secret"]):
                yield *found.span("secret"), "secret on a command line"


def _is_secret(found: "regex.Match[str]", text: str, secret: str) -> bool:
    if _is_nothing(secret) or (_PATH.fullmatch(secret) and drawn_by_lot(secret) < _LOTTED):
        return False
    before = text[max(0, found.start() - _LEFT_CHARS) : found.start()]
    left = _LEFT.search(before)[0]  # type: ignore[index]  # (it fits the empty text too)
    is_flag = left.startswith("-") and found["gap"] is not None
    quoted = found["quote"] is not None or found["deep"] is not None
    if found["hint"] is not None:
        # Columns are apart by tabs, words of prose by blanks.
        apart = found["gap"] is None or is_flag or found["gap"] == "\t"
        return apart and _is_hinted(found["hint"], left, secret)
    if found["prose"] is not None:
        return _has_mixture(secret) if found["password"] else drawn_by_lot(secret) >= _MIN_STRONG
    if found["gap"] is not None and not is_flag:
        asian = not (found["password"] or found["key"]).isascii()
        return (quoted and found["password"] is not None) or (
            _has_mixture(secret) and (asian or drawn_by_lot(secret) >= _MIN_HINTED)
        )
    if found["set"].strip().lower() in {"is", "was"}:
        return quoted or _has_mixture(secret)
    if found["key"] is not None and not quoted and _is_counted(secret):
        return False
    return len(secret) >= _MIN_STRONG


def _is_hinted(name: str, left: str, secret: str) -> bool:
    """Whether a value looks like a secret behind a name that may say so."""
    word = name.lower()
    if word == "token" and _HARMLESS_BEFORE_TOKEN.search(left):
        return False
    if word == "key" and not left.startswith("--"):
        if _HARMLESS_BEFORE_KEY.search(left):
            return False
        named = _VENDOR.search(left) or (name.isupper() and left.endswith("_"))
        if not named and left.strip("_.-"):
            return False
    if word in {"pwd", "pass", "pw", "pgpass", "pin", "psk", "requirepass"}:
        signs = any(not char.isalnum() and char not in "_.-/:%" for char in secret)
        return _has_mixture(secret) and (signs or drawn_by_lot(secret) >= _MIN_STRONG)
    return len(secret) >= _MIN_HINTED and drawn_by_lot(secret) >= _LOTTED


def _has_mixture(secret: str) -> bool:
    """Whether it is more than a word or a number."""
    return any(map(str.isalpha, secret)) and not secret.isalpha() and len(secret) > _MIN_STRONG


def _is_counted(secret: str) -> bool:
    return secret.replace(".", "").isdecimal() and len(secret) < _MIN_HINTED


def _is_nothing(secret: str) -> bool:
    return _NOTHING.fullmatch(secret.strip()) is not None or "[redacted: " in secret
