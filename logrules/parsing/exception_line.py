"""What the line that names an exception looks like: its indentation, its prefix, two of them written at once."""

import re
from collections.abc import Sequence

from logrules.model.late_pattern import late_pattern

MAX_MESSAGE = 2_000
# What the place of a frame begins with.
FRAME = 'File "'
# What stands in it behind the file: a line that is broken off may lack it.
FRAME_LINE = '", line '
_INDENT = " \t|│+"
# As many processes as a node has GPUs, and those of a second node.
_MOST_GLUED = 16
_DIGITS = late_pattern(r"\d+")
# Numbers in a prefix may have more digits in one line than in the next.
_PREFIX_SLACK = 20
# A name in CapWords, or a dotted one (socket.timeout), that is no file's and no word that begins a notice.
_BY_PLACE = late_pattern(
    r"\W{0,8}(?P<type>(?!(?:Error|Warning|Info|Note|Hint|Usage)\b)(?=[\w.]{0,400}(?:[A-Z]\w{0,99}[a-z]|\.[a-z]))(?:[A-Za-z_]\w{0,99}\.){0,12}"
    r"(?!(?:py|sh|cc|cpp|cu|json|yaml)\b)[A-Za-z_]\w{0,99})(?::(?: (?P<message>.*))?)?$"
)
# The rank that a program puts in brackets before each of its lines, in a form that is no header of a framework.
_RANK = late_pattern(
    r"(?P<open>[\[(<]?)(?:(?:(?:local[ _])?rank|worker|proc(?:ess)?|task|trainer|gpu|[rpw])[ _=:#-]?)?"
    r"(?P<rank>\d{1,5})(?:/\d{1,5})?(?P<close>[\])>|])",
    re.IGNORECASE,
)
_PAIRS = frozenset(("[]", "()", "<>", ">", "|"))
_ASSERT = late_pattern(r"(?:^|[\s|\])])(assert[\s(].*)$")


def may_be_by_place(line: bytes) -> bool:
    """Whether a line as it was written may be what the next function takes: a name alone, or before a colon.

    It is asked of each line below a frame; most source lines end in a bracket. Which of those that a flood repeats are
    worth reading again is asked in between, more narrowly (`deduplication`).
    """
    if b":" in line:
        return True
    last = line.rstrip()[-1:]
    return last.isalnum() or last == b"_"


def exception_by_place(line: str) -> tuple[str, str] | None:
    """Type and message of a line that stands where an exception must stand, whatever its name; None if it is none."""
    found = _BY_PLACE.match(line.rstrip())
    return (found["type"], (found["message"] or "")[:MAX_MESSAGE]) if found else None


def indent_of(message: str) -> int:
    """How far a message is indented, the bars of boxes and trees included."""
    return len(message) - len(message.lstrip(_INDENT))


def asserted(kind: str, above: Sequence[str]) -> str:
    """What an assertion without a message was about: its source text, where that stands right above it; else empty."""
    if kind.rpartition(".")[2] != "AssertionError":
        return ""
    found = (_ASSERT.search(line) for line in reversed(above))
    return next((text[1].strip() for text in found if text is not None), "")[:MAX_MESSAGE]


def same_prefix(one: str, prefix: str) -> bool:
    """Whether a line begins with this unknown prefix, but for the numbers in it."""
    template = _DIGITS.sub("0", prefix.rstrip())
    return _DIGITS.sub("0", one[: len(prefix) + _PREFIX_SLACK]).startswith(template)


def unglued(kind: str, message: str) -> tuple[str, str]:
    """Type and message where several processes wrote the same at once: ``KeyErrorKeyError: : 'a''a'``."""
    # How often the name repeats itself from its first letter to its last.
    sizes = range(min(_MOST_GLUED, len(kind)), 0, -1)
    copies = next((n for n in sizes if kind[: len(kind) // n] * n == kind), 1)
    if copies == 1:
        return kind, message
    message = message.lstrip(": ")
    said = len(message) // copies
    return kind[: len(kind) // copies], message[:said] if message[:said] * copies == message else message


def prefixed_rank(first: str, last: str) -> int | None:
    """The number in the prefix that both the first and the last line of a record bear, or None.

    Of one line nobody can say whether ``[3]`` counts processes, lines or epochs; before both ends of a traceback it
    counts no lines, and what stands there tells of the writer.
    """
    opening, closing = _RANK.match(first), _RANK.match(last)
    if opening is None or closing is None or opening.group() != closing.group():
        return None
    return int(opening["rank"]) if opening["open"] + opening["close"] in _PAIRS else None
