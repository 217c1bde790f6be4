"""What the names of files tell: which are logs, in which order, and what to call them."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

# Compiled where a folder is searched: who names a log needs none of them.
_LOG_NAME = r"""
    (?: .* \. (?: log | txt | out | err | stdout | stderr ) (?: [.-] \d[\d_.:T-]* )?  # rank0.log, app.log-20250607
      | .* [_-] (?: log | stdout | stderr )                                   # rank0_stderr
      | (?: log | stdout | stderr | nohup\.out | syslog )
      | .* \. (?: o | e ) \d+ (?: [.-] \d+ )?                                 # job.o12345: PBS, Grid Engine
    ) (?: \. (?: gz | zst | bz2 | xz ) )?
    """
# Text that lies about in job folders and is never a log.
_NO_LOG = r"(?:requirements.*|constraints.*|vocab|merges|licen[sc]e|readme|cmakelists|top_level|sources)\.txt"
# Text without a suffix that is never a log either.
_BARE_NO_LOG = (
    r"(?:.*makefile|.*dockerfile|readme|licen[sc]e|copying|notice|authors|changelog|changes|contributing|install|version"
    r"|hosts?(?:file)?|latest|codeowners|procfile|jenkinsfile|vagrantfile|metadata|record|wheel|installer)"
)
# What a trainer saves every few hundred steps, with a tokenizer's text files in each, and what installers write.
_NO_LOG_FOLDER = (
    r"\..* | (?:checkpoint|ckpt|global_step|iter)[-_]?\d+ | __pycache__ | node_modules | site-packages"
    r"| .*\.(?:dist|egg)-info"
)
_SPACED, _ANY_CASE = re.VERBOSE | re.IGNORECASE, re.IGNORECASE


def is_log_name(name: str) -> bool:
    """Whether a file that was found in a folder, not named by the user, is a log by its name."""
    return (
        not name.startswith(".")
        and bool(re.fullmatch(_LOG_NAME, name, _SPACED))
        and not re.fullmatch(_NO_LOG, name, _ANY_CASE)
    )


def may_be_log(name: str) -> bool:
    """Whether the name of a file that is called like no log says nothing of what it holds either."""
    return "." not in name and not is_log_name(name) and not re.fullmatch(_BARE_NO_LOG, name, _ANY_CASE)


def holds_logs(folder_name: str) -> bool:
    """Whether a folder inside the given one is searched: not if it is hidden, a checkpoint or a package."""
    return not re.fullmatch(_NO_LOG_FOLDER, folder_name, _SPACED)


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key by which rank2 comes before rank10."""
    parts = [part for part in re.split(r"(\d+)", name) if part]
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part.lower()) for part in parts)


def short_names(paths: Sequence[tuple[Path, int]]) -> list[str]:
    """A name for each of several different paths: its last parts, as many as it takes to tell it from the others.

    With each path comes the number of parts that its name has at least: one for a file
    that the user named, the depth inside the folder for one that was found.
    """
    parts = [path.absolute().parts for path, _ in paths]
    lengths = [at_least for _, at_least in paths]
    while True:
        names = [Path(*part[-length:]).as_posix() for part, length in zip(parts, lengths, strict=True)]
        holders = Counter(names)
        growing = [i for i, name in enumerate(names) if holders[name] > 1 and lengths[i] < len(parts[i])]
        if not growing:
            return names
        for i in growing:
            lengths[i] += 1
