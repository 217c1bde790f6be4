"""Literals that are bad to scan for: too short, in every log, or said twice."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from logrules.model.lint_finding import LintFinding
from logrules.parsing.literal_matcher import LiteralMatcher, matcher_of
from logrules.ruletest.case import log_bytes
from logrules.ruletest.lint_targets import PlacedSignal

# Three bytes meet by chance once in a few pages of any text.
SHORTEST_BYTES = 4
# A literal with one line in so many is a part of the routine; a log of fewer lines says little.
COMMON_SHARE = 0.05
COMMON_SHARE_OF_ONE = 0.2
TELLING_LINES = 200


def literal_findings(signals: Sequence[PlacedSignal], logs: Sequence[Path]) -> Iterator[LintFinding]:
    """The literals of these signals that are short, common in these logs, or superfluous."""
    common = _common_literals(signals, logs)
    for here in signals:
        for number, literal in enumerate(here.signal.contains):
            path = (*here.at, "contains", number)
            if len(literal.encode()) < SHORTEST_BYTES:
                message = f"`{literal}` is {len(literal.encode())} bytes long: at least {SHORTEST_BYTES} are needed"
                yield here.finding("LR102", message, "contains", number)
            if literal in common and not here.routine:
                share = common[literal]
                message = f"`{literal}` is in {share:.0%} of the lines of a captured log"
                yield here.finding("LR103", message, "contains", number)
            if (other := _inside(here, number)) is not None:
                message = f"every line with `{literal}` has `{other}` too"
                yield here.finding("LR106", message, "contains", number, removes=path)


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
