"""Text as secrets are looked for in it: without what splits them, and with plain characters."""

import re
import unicodedata

# Colours and other sequences, as the terminal gets them or as loggers and JSON spell them: within JSON within JSON
# with ever more backslashes. A line may be nothing else, so few are looked at from each of them.
_SEQUENCES = re.compile(
    r"(?:\x1b|\\{1,16}+(?:x1[bB]|u001[bB]|033|e(?=\[))|\^\[|#033(?=\[)|\u241b)"
    r"(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)|[()][0-9A-B]|[=>78DEHMNOZc])"
    r"|\x9b[0-?]{0,32}[ -/]{0,4}[@-~]"
)
# What is not seen: zero-width and joining characters, marks of direction, soft hyphens, controls (but line ends, tabs).
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb]"
)
# In the environment of a process as the kernel gives it, where a NUL inside a word is but noise.
_ENVIRONMENT_END = re.compile("\x00(?=[A-Za-z_][A-Za-z0-9_]{0,80}=)")
_QUOTES = {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "「": '"', "」": '"', "『": '"', "』": '"'}
_LAST_OF_ASCII = 127


def without_controls(text: str) -> str:
    """The text without terminal sequences and unseen characters. It keeps its lines, which end alike."""
    return _UNSEEN.sub("", _ENVIRONMENT_END.sub(" ", _SEQUENCES.sub("", text))).replace("\r\n", "\n")


def folded(text: str) -> str:
    """The same text, character for character, with compatibility forms (full-width, mathematical) as plain ones."""
    if text.isascii():
        return text
    others = (char for char in set(text) if ord(char) > _LAST_OF_ASCII)
    plain = {char: _QUOTES.get(_plain(char), _plain(char)) for char in others}
    for char, meant in plain.items():
        # One by one is faster than a table: few are not plain.
        text = text.replace(char, meant) if char != meant else text
    return text


def _plain(char: str) -> str:
    found = unicodedata.normalize("NFKC", char)
    return found if len(found) == 1 else char
