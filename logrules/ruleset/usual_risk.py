"""What a step can break where it does not say: only what is known to look and to change nothing is taken to look."""

import re
from collections.abc import Mapping

from logrules.model.report import Risk

# Commands that change nothing, whatever their arguments.
_LOOKERS = (
    "awk|cat|column|curl|cut|date|df|diff|dig|dmesg|du|echo|env|false|file|find|findmnt|free|getent|grep|"
    "head|hostname|ibstat|ibv_devinfo|id|iostat|ip|ipcs|journalctl|jq|ldd|ls|lscpu|lsof|lspci|nc|netstat|"
    "nproc|npu-smi|nslookup|nvcc|nvidia-smi|od|perfquery|pgrep|ping|printenv|ps|pwd|py-spy|quota|rocm-smi|"
    "sacct|sed|sha256sum|sinfo|sleep|smartctl|sort|sprio|squeue|ss|stat|strings|tail|test|time|timeout|top|"
    "tr|true|uname|uniq|uptime|watch|wc|which|xargs"
)
# Commands that change nothing with these arguments.
_LOOKING = (
    r"enroot list|fuser -v|gcc --version|ldconfig -p|lfs quota|mount$|scontrol show|tar -t\w*|ulimit(?: -\w)?$",
    "systemctl status|git (?:diff|log|status)|huggingface-cli (?:scan-cache|whoami)|hf (?:auth whoami|cache ls)|python (?:--version|-V)",
    "kubectl (?:describe|get|logs|top)|docker (?:images|inspect|logs|manifest inspect|ps|system df)",
    "ray (?:--version|list|memory|stack|status|summary)",
    "(?:python -m )?pip (?:cache info|check|config list|index|list|show)",
)
_LOOKS = re.compile(rf"(?:{'|'.join((_LOOKERS, *_LOOKING))})(?![\w-])")
_CHANGES = re.compile(
    r"--gpu-?reset|-pm 1|\s-delete\b|\bsed -i|\s-exec\b|\brm\b|\btee\b|\bkill\b|-X POST|"
    r"(?<![0-9&])>(?![&>=])\s*(?!/dev/null)\S"
)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_PLACE = re.compile(r"<\w[^<>\n]*>|\{\w+(?:\|[^{}\n]*)?\}")
_PARTS = re.compile(r"\s*(?:\|\||&&|[;|\n]|\$\(|\bdo\b)\s*")
_PREFIX = re.compile(r"^(?:sudo |[A-Z_]+=\S+ )+")
_LOOP = re.compile(r"(?:for \w+ in|done|if|then|fi|while)\b")
_LOGGING = re.compile(
    r"\w*(?:DEBUG|LOG_LEVEL|LOGGING_LEVEL|LOGLEVEL|VERBOSITY|VERBOSE)\w*|TORCH_LOGS|PYTHONFAULTHANDLER|\w+_STACKTRACES|"
    r"TORCH_NCCL_(?:TRACE|DUMP)\w*|VLLM_TRACE_FUNCTION|VLLM_LOG_STATS_INTERVAL"
)
# A command beside these words only shows what is to be changed.
_ASKS_FOR_CHANGE = re.compile(
    r"(?:End|Kill|Stop|Cancel|Remove|Delete|Clear|Restart|Reset|Reinstall|Install|Upgrade|Update|Drain|Reboot|"
    r"Replace|Give|Put|Use|Move|Raise|Lower|Ask for (?:less|more|fewer|no more|enough))\b"
)
_ASKS_TO_LOOK = re.compile(r"(?:See|Look|Read|Check|Compare|Find|Count|Print|Ask|Test|List|Search)\b(?! for\b)")


def usual_risk(do: str, run: str, env: Mapping[str, str], *, changes: bool) -> Risk:
    """The risk of a step with these words, command and variables; it ``changes`` a run by flags, settings or code."""
    if changes or asks_for_change(do) or (env and not all(map(_LOGGING.fullmatch, env))):
        return Risk.CHANGES_RUN
    if run:
        return Risk.LOOK if _only_looks(run) else Risk.CHANGES_RUN
    return Risk.LOOK if env or _ASKS_TO_LOOK.match(do) else Risk.CHANGES_RUN


def asks_for_change(do: str) -> bool:
    """Whether the words of a step begin with something to end, remove, install or set, whatever its command shows."""
    return _ASKS_FOR_CHANGE.match(do) is not None


def _only_looks(run: str) -> bool:
    plain = _QUOTED.sub("quoted", _PLACE.sub("place", run))
    parts = [_PREFIX.sub("", part.strip(" ()")) for part in _PARTS.split(plain) if part.strip(" ()")]
    return not _CHANGES.search(plain) and all(_LOOKS.match(part) or _LOOP.match(part) for part in parts)
