"""What a mistyped word may have meant."""

import re
from collections.abc import Iterable

_CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)", re.DOTALL)
_UNKNOWN = re.compile(r"unrecognized arguments: (.*)", re.DOTALL)
_MAX_NEAR = 3


def hint(word: str, known: Iterable[str]) -> str:
    """What is near the word, as the end of a complaint (`; did you mean a or b?`); nothing where nothing is."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), n=_MAX_NEAR)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def meant_in(complaint: str, options: Iterable[str]) -> str:
    """A hint for a complaint of argparse: a choice that there is none of, or an unknown option."""
    choice = _CHOICE.search(complaint)
    if choice is not None:
        return hint(choice[1], re.findall(r"[\w-]+", choice[2]))
    unknown = _UNKNOWN.search(complaint)
    word = next((word for word in unknown[1].split() if word.startswith("-")), None) if unknown else None
    return hint(word.partition("=")[0], options) if word is not None else ""
