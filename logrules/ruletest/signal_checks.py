"""What is wrong with the literals, patterns and vetoes of signals: too short, too common, too slow, never reached."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from logrules.model.position import Problem
from logrules.parsing.literal_matcher import LiteralMatcher, matcher_of
from logrules.ruleset.pattern import found_in_time
from logrules.ruleset.pattern_syntax import branches_of
from logrules.ruleset.pattern_work import is_catastrophic
from logrules.ruletest.file_contents import PlacedSignal, lines_for
from logrules.ruletest.rule_tests import log_bytes

# Three bytes meet by chance once in a few pages of any text.
SHORTEST_BYTES = 4
# A literal with one line in so many is a part of the routine; a log of fewer lines says little.
COMMON_SHARE = 0.05
COMMON_SHARE_OF_ONE = 0.2
TELLING_LINES = 200


def literal_findings(signals: Sequence[PlacedSignal], logs: Sequence[Path]) -> Iterator[Problem]:
    """The literals of these signals that are short, common in these logs, or superfluous."""
    common = _common_literals(signals, logs)
    for here in signals:
        for number, literal in enumerate(here.signal.contains):
            path = (*here.at, "contains", number)
            if len(literal.encode()) < SHORTEST_BYTES:
                message = f"`{literal}` is {len(literal.encode())} bytes long: at least {SHORTEST_BYTES} are needed"
                yield here.problem("LR102", message, "contains", number)
            if literal in common and not here.routine:
                share = common[literal]
                message = f"`{literal}` is in {share:.0%} of the lines of a captured log"
                yield here.problem("LR103", message, "contains", number)
            if (other := _inside(here, number)) is not None:
                message = f"every line with `{literal}` has `{other}` too"
                yield here.problem("LR106", message, "contains", number, removes=path)


def _inside(here: PlacedSignal, number: int) -> str | None:
    """Another literal of the signal that lies within this one, or an equal one before it."""
    texts = here.signal.contains
    for other, text in enumerate(texts):
        shorter = text in texts[number] and len(text) < len(texts[number])
        if shorter or (text == texts[number] and other < number):
            return text
    return None


def _common_literals(signals: Sequence[PlacedSignal], logs: Sequence[Path]) -> dict[str, float]:
    """The literals that are common in the logs, with their share of lines."""
    asked = list(dict.fromkeys(text for here in signals for text in here.signal.contains))
    if not asked or not logs:
        return {}
    matcher = matcher_of([(text.encode(), number, False) for number, text in enumerate(asked)])
    total: Counter[int] = Counter()
    shares: dict[int, float] = {}
    lines = 0
    for log in logs:
        data = log_bytes(log)
        own, hits = data.count(b"\n") + 1, _lines_with(matcher, data)
        lines += own
        total.update(hits)
        for number, count in hits.items():
            shares[number] = max(shares.get(number, 0.0), count / max(own, TELLING_LINES))
    return {
        asked[number]: max(share, total[number] / lines)
        for number, share in shares.items()
        if share > COMMON_SHARE_OF_ONE or total[number] / lines > COMMON_SHARE
    }


def _lines_with(matcher: LiteralMatcher, data: bytes) -> Counter[int]:
    """How many lines have each literal."""
    counts: Counter[int] = Counter()
    line_ends: dict[int, int] = {}
    for end, number in matcher.find(data):
        if end > line_ends.get(number, -1):
            counts[number] += 1
            found = data.find(b"\n", end)
            line_ends[number] = len(data) if found < 0 else found
    return counts


# Around a literal in a line there may be anything: a veto that finds all of these finds every line.
_AROUND = ("{}", "0: {}", "{}, 1", "x {} y", "[{}]", "W{}.")
# A shorter word is in too many texts to say that a literal leads to it.
_WORD = re.compile(r"[^\W_]{4,}|[\u4e00-\u9fff]{2,}")
_LIMIT_S = 0.5


def pattern_findings(here: PlacedSignal) -> Iterator[Problem]:
    """What is wrong with the pattern and the veto of a signal."""
    for key, pattern in (("pattern", here.signal.pattern), ("except", here.signal.except_)):
        if pattern is not None and is_catastrophic(pattern):
            yield here.problem("LR104", f"a repetition in `{key}` matches the same text in more than one way", key)
    if here.signal.except_ is not None:
        for number, literal in enumerate(here.signal.contains):
            if all(_found(here.signal.except_, around.format(literal)) for around in _AROUND):
                yield here.problem("LR105", f"`except` matches every line with `{literal}`", "contains", number)
    if here.signal.pattern is not None and here.signal.contains:
        for branch in _unreached(here, here.signal.pattern):
            yield here.problem("LR105", f"no literal leads to `{branch}`, and no example takes it", "pattern")


def _unreached(here: PlacedSignal, pattern: str) -> Iterator[str]:
    """The alternatives of a pattern that no literal shares a word with and no line of the file shows.

    Where none of them repeats a literal, they say what else must be on the line: that is no fault.
    """
    caseless = "(?i" in pattern
    literals = [_plain(literal, caseless=caseless) for literal in here.signal.contains]
    branches = branches_of(pattern)
    apart = [branch for branch in branches if not _shares_a_word(_plain(branch, caseless=caseless), literals)]
    if len(apart) == len(branches) and len(branches) > 1:
        return
    lines = list(lines_for(here))
    for branch in apart:
        if not any(_found(branch, line) for line in lines):
            yield branch


def _plain(text: str, *, caseless: bool) -> str:
    return text.replace("\\", "").lower() if caseless else text.replace("\\", "")


def _shares_a_word(branch: str, literals: Sequence[str]) -> bool:
    """Whether a literal leads to the branch, or the branch has no words to tell it by.

    A literal that the branch repeats in other letters, large for small, does not.
    """
    words = _WORD.findall(branch)
    if not words or any(literal in branch for literal in literals):
        return True
    return any(
        any(word in literal for word in words) or any(word in branch for word in _WORD.findall(literal))
        for literal in literals
        if literal.lower() not in branch.lower()
    )


def _found(pattern: str, text: str) -> bool:
    """Whether the pattern is in the text; not, where it is none or takes too long."""
    try:
        return bool(found_in_time(pattern, text, _LIMIT_S))
    except ValueError:
        return False
