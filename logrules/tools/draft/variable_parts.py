"""A message split into what a program prints unchanged and what it fills in, and the text by which it is best found."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from logrules.model.event import Level
from logrules.model.record import record
from logrules.model.template import VARYING
from logrules.ruleset.pattern import found_in_time
from logrules.ruletest.rule_tests import log_bytes

# Right behind a word or a bracket it is no sign: a hyphen, as in `web-2024`, or the minus of a sum.
_SIGN = r"(?<![\w)\]])[-+]"
# What else could be filled in where something is, by what it is: the patterns of captures.
_PATTERN: Mapping[str, str | None] = {
    "url": r"[^\s'\"<>)\]]+",
    "time": r"\d{4}-\d\d-\d\d[T ][\d:.,]*\d(?:Z|[+-]\d\d:?\d\d)?",
    "id": r"[0-9a-fA-F-]+",
    "address": r"[0-9a-fA-F.:]+",
    # A drive of Windows may stand in front.
    "path": r"(?:[A-Za-z]:)?[^\s'\":,;)\]]+",
    "pointer": r"0x[0-9a-fA-F]+",
    "hash": r"[0-9a-fA-F]+",
    "code": r"[0-9a-f]+",
    "name": None,
    "value": rf"[-+]?{VARYING['number']}",
}
_LOOKS = {
    **{kind: looks for kind, looks in VARYING.items() if kind != "number"},
    "name": r"'[^']{1,80}'|\"[^\"]{1,80}\"",
    "value": rf"(?!-(?:{VARYING['hash']}|{VARYING['code']}))(?:{_SIGN})?{VARYING['number']}",
}
_ANY_VARIABLE = re.compile("|".join(f"(?P<{kind}>{looks})" for kind, looks in _LOOKS.items()))
_WORD_BEFORE = re.compile(r"([A-Za-z][A-Za-z_]*)[\s:=#(\[-]*$")
_ENOUGH_LETTERS = 6
_LIMIT_S = 0.2
_WORDS = re.compile(r"\s+|\S+")
_WHOLE_NUMBER = re.compile(r"([-+]?)\d+")
# Words that say nothing of the number behind them.
_DULL = frozenset(
    {"a", "an", "and", "at", "by", "for", "from", "in", "is", "of", "on", "than", "the", "to", "was", "with"}
)
SHORTEST = 6
# What programs call things: a module, a key with its value, a path. A word of prose has none of these signs inside.
_NAME = r"\S*\w[_=/.]\w\S*"
_NAMES_AT_ENDS = re.compile(rf"^(?:{_NAME}\s+)+|(?:\s+{_NAME})+$")
_PROSE = re.compile(r"(?<![\w=/.])[^\W\d_]{2,}(?![\w=/]|\.\w)")
_OF_TROUBLE = re.compile(
    r"(?i)\b(?:abort(?:ed)?|cannot|corrupt|crashed|denied|died|differs?|dropped|exceed(?:ed|s)?|fail(?:ed|s|ure)|full|invalid"
    r"|killed|lost|mismatch|missing|no|not|overflow|refused|rejected|time-?out|unable|unavailable|unexpected|unknown)\b"
)
# A text of two words names an event; a fourth adds little.
_ENOUGH_WORDS, _MOST_WORDS = 2, 3
# A longer text finds no fewer lines, and is more likely to be worded anew in the next version.
LONGEST = 60


@record
class Fixed:
    """Text that is printed as it stands."""

    text: str


@record
class Filled:
    """What was filled in here, under a name for its capture; ``pattern`` matches whatever else could be."""

    name: str
    text: str
    pattern: str


MessagePart = Fixed | Filled


def parts_of(message: str) -> tuple[MessagePart, ...]:
    """The parts of a message from left to right; names are used once."""
    parts: list[MessagePart] = []
    used: set[str] = set()
    end = 0
    for found in _ANY_VARIABLE.finditer(message):
        before = message[end : found.start()]
        if before:
            parts.append(Fixed(before))
        parts += _filled(found, message[: found.start()], used)
        end = found.end()
    if message[end:]:
        parts.append(Fixed(message[end:]))
    return tuple(parts)


def _filled(found: "re.Match[str]", before: str, used: set[str]) -> Iterator[MessagePart]:
    kind, text = str(found.lastgroup), found[0]
    pattern = _PATTERN[kind]
    if pattern is None:
        quote = text[0]
        yield Fixed(quote)
        yield Filled(_named(kind, before, used), text[1:-1], f"[^{quote}]+")
        yield Fixed(quote)
        return
    if kind == "value" and (whole := _WHOLE_NUMBER.fullmatch(text)):
        pattern = r"[-+]?\d+" if whole[1] else r"\d+"
    yield Filled(_named(kind, before, used), text, pattern)


def _named(kind: str, before: str, used: set[str]) -> str:
    """What the word before it says that it is, else its kind; numbered where that name is taken."""
    word = _WORD_BEFORE.search(before)
    name = word[1].lower().strip("_") if word and kind in {"value", "name", "code"} else kind
    if name in _DULL or not name.isidentifier() or not name.isascii():
        name = kind
    numbered, count = name, 1
    while numbered in used:
        count += 1
        numbered = f"{name}{count}"
    used.add(numbered)
    return numbered


def pattern_of(parts: Sequence[MessagePart]) -> str:
    """A pattern that matches the message whatever is filled in, with a capture for each."""
    return "".join(
        re.escape(part.text).replace(r"\ ", " ") if isinstance(part, Fixed) else f"(?P<{part.name}>{part.pattern})"
        for part in parts
    )


def compared_parts(parts: Sequence[MessagePart], others: Sequence[str]) -> tuple[MessagePart, ...]:
    """The parts, with the words of their fixed text that another message lacks filled in too."""
    used = {part.name for part in parts if isinstance(part, Filled)}
    found: list[MessagePart] = []
    for part in parts:
        words = _WORDS.findall(part.text) if isinstance(part, Fixed) and others else []
        if all(word in other for word in words for other in others):
            found.append(part)
            continue
        for word in words:
            lacking = word.strip() and any(word not in other for other in others)
            found.append(Filled(_named("word", "", used), word, r"\S+") if lacking else Fixed(word))
    return _joined(found)


def _joined(parts: Sequence[MessagePart]) -> tuple[MessagePart, ...]:
    """The same parts, fixed ones that follow one another as one."""
    found: list[MessagePart] = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(last, Fixed) and isinstance(part, Fixed):
            found[-1] = Fixed(last.text + part.text)
        else:
            found.append(part)
    return tuple(found)


def shared_parts(parts: Sequence[MessagePart], others: Sequence[str]) -> Sequence[MessagePart]:
    """The first of the parts that all other messages have too; none where these share no text."""
    for count in range(len(parts), 0, -1):
        if any(isinstance(part, Fixed) and _letters_in(part.text) >= _ENOUGH_LETTERS for part in parts[:count]) and all(
            found_in_time(pattern_of(parts[:count]), other, _LIMIT_S) for other in others
        ):
            return parts[:count]
    return ()


def _letters_in(text: str) -> int:
    return sum(letter.isalpha() for letter in text)


def best_literal(parts: Sequence[MessagePart], written: bytes, logs: Iterable[Path], own: Iterable[str]) -> str | None:
    """The fixed text that names the event best: rare in the logs and in the line's own log, in whole words of prose.

    It stands in the line as it was ``written``, unbroken by colours. None where the line has no text of at least
    ``SHORTEST`` letters.
    """
    candidates = [text for text in dict.fromkeys(_texts_in(parts)) if text.encode() in written]
    if not candidates:
        return None
    elsewhere = [log_bytes(log).decode("utf-8", "replace") for log in logs]
    own_lines = list(own)

    def rank(text: str) -> tuple[int, int, int, int, int]:
        there, here = sum(whole.count(text) for whole in elsewhere), sum(text in line for line in own_lines)
        # How often, as the number of digits: one line more or less says nothing of a text.
        return len(str(there)), len(str(here)), -_telling(text), there + here, -len(text)

    return min(candidates, key=rank)


def _texts_in(parts: Sequence[MessagePart]) -> list[str]:
    """The texts that could find the message: whole words where there are any, else whatever is fixed."""
    fixed = [
        (part.text, number > 0, number + 1 < len(parts)) for number, part in enumerate(parts) if isinstance(part, Fixed)
    ]
    whole = [text for one in fixed if (text := _trimmed(_whole_words(*one)))]
    return whole or [bare for text, _, _ in fixed if (bare := _trimmed(text))]


def _whole_words(text: str, has_before: bool, has_behind: bool) -> str:  # noqa: FBT001 (what stands beside the text)
    """The text without the rest of a word that is filled in beside it, and without names of programs at its ends."""
    words = _WORDS.findall(text)
    if has_before and words and not words[0].isspace():
        del words[0]
    if has_behind and words and not words[-1].isspace():
        del words[-1]
    whole = "".join(words).strip()
    prose = _NAMES_AT_ENDS.sub("", whole)
    return prose if _telling(prose) >= _ENOUGH_WORDS else whole


def _telling(text: str) -> int:
    """How well a text names an event: by its words of prose, of which nobody needs many, and words of trouble."""
    said = [word for word in _PROSE.findall(text) if word.lower() not in _DULL and word not in Level.__members__]
    return min(len(said), _MOST_WORDS) + bool(_OF_TROUBLE.search(text))


def _trimmed(text: str) -> str | None:
    """The text without punctuation at its ends, cut at a word; None where it is too short."""
    bare = text.strip().strip("'\"()[]{}<>,;=").lstrip(":.").strip()
    if len(bare) > LONGEST:
        bare = bare[:LONGEST].rsplit(" ", 1)[0]
    return bare if _letters_in(bare) >= SHORTEST else None
