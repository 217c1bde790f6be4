"""What a mistyped word may have meant, or a command line in which the verb or the `--` was left out."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from logrules.model.late_pattern import late_pattern
from logrules.output.escape import safe
from logrules.ruleset.misspelling import near

_CHOICE = late_pattern(r"invalid choice: '([^']*)' \(choose from (.*)\)", re.DOTALL)
_UNKNOWN = late_pattern(r"unrecognized arguments: (.*)", re.DOTALL)
_MAX_NEAR = 3
# What logs, folders, patterns and URLs may have, and no verb has.
_OF_A_PATH = late_pattern(r"[./\\*?]")
_STANDARD_INPUT = "-"
_ASSIGNMENT = late_pattern(r"[A-Za-z_]\w*=")
# How what the system can start begins: a script, a binary of Linux.
_STARTS = (b"#!", b"\x7fELF")


def hint(word: str, known: Iterable[str]) -> str:
    """What is near the word, as the end of a complaint (`; did you mean a or b?`); nothing where nothing is.

    The hyphens that all options begin with make none of them alike.
    """
    names = {name.lstrip("-"): name for name in known}
    meant = [names[bare] for bare in near(word.lstrip("-"), names, _MAX_NEAR)]
    return f"; did you mean {' or '.join(meant)}?" if meant else ""


def meant_in(complaint: str, options: Iterable[str]) -> str:
    """A hint for a complaint of argparse: a choice that there is none of, or an unknown option."""
    choice = _CHOICE.search(complaint)
    if choice is not None:
        return hint(choice[1], re.findall(r"[\w-]+", choice[2]))
    unknown = _UNKNOWN.search(complaint)
    word = next((word for word in unknown[1].split() if word.startswith("-")), None) if unknown else None
    return hint(word.partition("=")[0], options) if word is not None else ""


def forgotten_verb(argv: Sequence[str]) -> str | None:
    """What was meant where the first word, which is no verb, names a log."""
    import shlex

    word = argv[0]
    is_option = word.startswith("-") and word != _STANDARD_INPUT
    if is_option or not (word == _STANDARD_INPUT or _OF_A_PATH.search(word) or os.path.lexists(word)):
        return None
    return f"{word} is not a command; to diagnose it: logrules diagnose {shlex.join(argv)}"


def forgotten_dashes(argv: Sequence[str], paths: Sequence[str], *, unknown: bool) -> str | None:
    """What was meant by a command behind `watch` without the ``--``; ``unknown`` says that it has options of its own.

    ``paths`` are those of the words ``argv`` that would be logs.
    """
    import shlex

    first = next((number for number, word in enumerate(paths) if not _ASSIGNMENT.match(word)), 0)
    words = paths[first:]
    more = bool(unknown or first or len(words) > 1)
    if not words or not ((_is_program(words[0]) and (more or os.sep in words[0])) or _takes_script(words)):
        return None
    meant = [*(["env"] if first else []), *argv[argv.index(paths[0]) :]]
    return f"{words[0]} is a program and no log; to start it: logrules watch -- {safe(shlex.join(meant))}"


def _takes_script(words: Sequence[str]) -> bool:
    """Whether the first word is nothing here, and a script follows: a launcher that only the job's environment has."""
    return any(word.endswith(".py") for word in words[1:]) and not Path(words[0]).exists()


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
