"""Secrets on command lines: the second word of what logs in, and options of one letter."""

from collections.abc import Iterator

import regex

from logrules.tools.bundle.secret_looks import is_nothing

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
        r"""\brclone\b[^\n|;]{0,200}?(?<=\s)pass[ =]["']?(?P<secret>(?=[^\s]*\d)[^\s"'-][^\s"']{5,400}+)""",
        r"""\bsend(?:_user)?(?: -[a-z-]+){0,3} ["'](?P<secret>(?=[^"'\n]*\d)(?=[^"'\n]*[A-Za-z])[^"'\s]{6,400}?)\\[rn]["']""",
        r"""(?i:chpasswd\s*<<<\s*["']?[^\s:"']{1,80}:)(?P<secret>[^\s"']{1,400}+)""",
    )
)


def command_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Where they stand (start, end)."""
    for pattern in _COMMANDS:
        for found in pattern.finditer(text):
            if not is_nothing(found["secret"]):
                yield found.span("secret")
