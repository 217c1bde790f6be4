"""What a step can break where it does not say: only what is known to look and to change nothing is taken to look."""

import re
from collections.abc import Mapping

from logrules.model.report import Risk

# Commands that change nothing, whatever their arguments; of some, only with such arguments.
_LOOKS = re.compile(
    r"(?:awk|cat|column|date|find|curl|cut|df|diff|dig|dmesg|docker (?:images|inspect|logs|manifest inspect|ps|system df)|du|echo|"
    r"env|enroot list|false|file|findmnt|free|fuser -v|gcc --version|getent|git (?:diff|log|status)|grep|head|hostname|"
    r"huggingface-cli (?:scan-cache|whoami)|ibstat|ibv_devinfo|id|iostat|ip|ipcs|journalctl|jq|kubectl (?:describe|get|logs|top)|"
    r"ldconfig -p|ldd|lfs quota|ls|lscpu|lsof|lspci|mount$|nc|netstat|nproc|nvcc|npu-smi|nvidia-smi|nslookup|od|perfquery|pgrep|pwd|python (?:--version|-V)|python -m pip (?:check|config list|index|list|show)|"
    r"ping|pip (?:cache info|check|config list|index|list|show)|printenv|ps|py-spy|quota|"
    r"ray (?:--version|list|memory|stack|status|summary)|rocm-smi|sacct|scontrol show|sed|sha256sum|sinfo|sleep|smartctl|sort|sprio|squeue|ss|"
    r"stat|strings|systemctl status|tail|tar -t\w*|test|time|timeout|top|tr|true|ulimit(?: -\w)?$|uname|uniq|uptime|wc|watch|"
    r"which|xargs|zcat)(?![\w-])"
)
_CHANGES = re.compile(
    r"--gpu-?reset|-pm 1|\s-delete\b|\bsed -i|\s-exec\b|\brm\b|\btee\b|\bkill\b|(?<![0-9&])>(?![&>=])\s*(?!/dev/null)\S|-X POST"
)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_PLACE = re.compile(r"<\w[^<>\n]*>")
_PARTS = re.compile(r"\s*(?:\|\||&&|[;|\n]|\$\(|\bdo\b)\s*")
_PREFIX = re.compile(r"^(?:sudo |[A-Z_]+=\S+ )+")
_LOOP = re.compile(r"(?:for \w+ in|done|if|then|fi|while)\b")
_LOGGING = re.compile(
    r"\w*(?:DEBUG|LOG_LEVEL|LOGGING_LEVEL|LOGLEVEL|VERBOSITY|VERBOSE)\w*|TORCH_LOGS|PYTHONFAULTHANDLER|\w+_STACKTRACES|"
    r"TORCH_NCCL_(?:TRACE|DUMP)\w*|VLLM_TRACE_FUNCTION|VLLM_LOG_STATS_INTERVAL"
)


def usual_risk(run: str, env: Mapping[str, str], *, changes: bool) -> Risk:
    """The risk of a step with this command and these variables; ``changes`` says whether it has flags, settings or code.

    A step that only tells people something is safe.
    """
    if changes or (env and not all(map(_LOGGING.fullmatch, env))):
        return Risk.CHANGES_RUN
    if run:
        return Risk.LOOK if _only_looks(run) else Risk.CHANGES_RUN
    return Risk.LOOK if env else Risk.SAFE


def _only_looks(run: str) -> bool:
    plain = _QUOTED.sub("quoted", _PLACE.sub("place", run))
    parts = [_PREFIX.sub("", part.strip(" ()")) for part in _PARTS.split(plain) if part.strip(" ()")]
    return not _CHANGES.search(plain) and all(_LOOKS.match(part) or _LOOP.match(part) for part in parts)
