"""Patterns that take too long, and those that their own literals or vetoes keep from ever being tried."""

import re
from collections.abc import Container, Iterator, Sequence

from logrules.model.lint_finding import LintFinding
from logrules.ruleset.pattern import found_in_time
from logrules.ruleset.pattern_syntax import branches_of
from logrules.ruleset.pattern_work import is_catastrophic
from logrules.ruletest.lint_targets import PlacedSignal, lines_for
from logrules.ruletest.parallel import mapped

# Around a literal in a line there may be anything: a veto that finds all of these finds every line.
_AROUND = ("{}", "0: {}", "{}, 1", "x {} y", "[{}]", "W{}.")
# A shorter word is in too many texts to say that a literal leads to it.
_WORD = re.compile(r"[^\W_]{4,}|[\u4e00-\u9fff]{2,}")
_LIMIT_S = 0.5
# Fewer patterns are looked at sooner than processes are started; and so many are looked at in one go.
_FEW, _TOGETHER = 500, 50


def pattern_findings(signals: Sequence[PlacedSignal], processes: int | None) -> Iterator[LintFinding]:
    """What is wrong with the patterns and the vetoes of signals."""
    asked = sorted({pattern for here in signals for _, pattern in _patterns_of(here)})
    answers = mapped(is_catastrophic, asked, processes, few=_FEW, together=_TOGETHER)
    endless = frozenset(pattern for pattern, is_endless in zip(asked, answers, strict=True) if is_endless)
    for here in signals:
        yield from _findings_at(here, endless)


def _patterns_of(here: PlacedSignal) -> Iterator[tuple[str, str]]:
    """The pattern and the veto that a signal has, with their keys."""
    for key, pattern in (("pattern", here.signal.pattern), ("except", here.signal.except_)):
        if pattern is not None:
            yield key, pattern


def _findings_at(here: PlacedSignal, endless: Container[str]) -> Iterator[LintFinding]:
    for key, pattern in _patterns_of(here):
        if pattern in endless:
            yield here.finding("LR104", f"a repetition in `{key}` matches the same text in more than one way", key)
    if here.signal.except_ is not None:
        for number, literal in enumerate(here.signal.contains):
            if _always(here.signal.except_, literal):
                yield here.finding("LR105", f"`except` matches every line with `{literal}`", "contains", number)
    if here.signal.pattern is not None and here.signal.contains:
        for branch in _unreached(here, here.signal.pattern):
            yield here.finding("LR105", f"no literal leads to `{branch}`, and no example takes it", "pattern")


def _always(unless: str, literal: str) -> bool:
    return all(_found(unless, around.format(literal)) for around in _AROUND)


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
