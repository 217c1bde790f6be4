"""A job's command line behind `watch` without the `--` that says so."""

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from logrules.output.escape import safe

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
# How what the system can start begins: a script, a binary of Linux.
_STARTS = (b"#!", b"\x7fELF")


def forgotten_dashes(argv: Sequence[str], paths: Sequence[str], *, unknown: bool) -> str | None:
    """What was meant where the words are a command and no logs; ``unknown`` says that options of its own are there.

    ``paths`` are those of the words ``argv`` that would be logs.
    """
    first = next((number for number, word in enumerate(paths) if not _ASSIGNMENT.match(word)), 0)
    words = paths[first:]
    if not words or not (_is_program(words[0]) and (unknown or first or len(words) > 1 or os.sep in words[0])):
        return None
    meant = [*(["env"] if first else []), *argv[argv.index(paths[0]) :]]
    return f"{words[0]} is a program and no log; to start it: logrules watch -- {safe(shlex.join(meant))}"


def _is_program(word: str) -> bool:
    """Whether the word can be started: one that is found, or a file that is one by its first bytes."""
    import shutil

    file = Path(word)
    try:
        if not file.exists():
            return shutil.which(word) is not None
        if not file.is_file() or not os.access(file, os.X_OK):
            return False
        with file.open("rb") as stream:
            return stream.read(4).startswith(_STARTS)
    except (OSError, ValueError):
        return False
