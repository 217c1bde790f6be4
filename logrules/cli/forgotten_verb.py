"""A log where the verb should stand: `logrules train.log`."""

import os
import re
import shlex
from collections.abc import Sequence

# What logs, folders, patterns and URLs may have, and no verb has.
_OF_A_PATH = re.compile(r"[./\\*?]")
_STANDARD_INPUT = "-"


def forgotten_verb(argv: Sequence[str]) -> str | None:
    """What was meant where the first word, which is no verb, names a log."""
    word = argv[0]
    is_option = word.startswith("-") and word != _STANDARD_INPUT
    if is_option or not (word == _STANDARD_INPUT or _OF_A_PATH.search(word) or os.path.lexists(word)):
        return None
    return f"{word} is no verb; to diagnose it: logrules diagnose {shlex.join(argv)}"
