"""Patterns as trees: what they match is what `re` matches, and what backtracks without end is found."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.ruleset.pattern_syntax import tree_of
from logrules.ruleset.pattern_work import is_catastrophic
from tests.ruleset.backtracker import PATTERNS, Backtracker, work_of


@given(pattern=PATTERNS, text=st.text("abc", max_size=6))
def test_a_tree_matches_what_the_pattern_matches(pattern, text):
    tree = tree_of(pattern)
    assert tree is not None
    matched = len(text) in set(Backtracker(text).ends(tree, 0))
    assert matched == (re.fullmatch(pattern, text) is not None)


@given(pattern=PATTERNS)
def test_whatever_takes_work_that_doubles_is_found(pattern):
    tree = tree_of(pattern)
    assert tree is not None
    # No small pattern takes work that grows with more than the fifth power of the text.
    grows = any(work_of(tree, 18 * piece + "c") > 64 * work_of(tree, 9 * piece + "c") for piece in ("a", "b", "ab"))
    assert is_catastrophic(pattern) or not grows


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("(a|a)*$", True),
        ("(?:ab|a[b]|c)+x", True),
        (r"(\w+\s?)*$", True),
        ("(?i)(a|A)*$", True),
        (r"(\x61|a)+$", True),
        ("(a|b)*$", False),
        ("(?:a|a)*+$", False),
        (r"(?x) (a | b )* # (a|a)*", False),
        (r"(?P<one>[^\]]+)\]", False),
    ],
)
def test_equal_branches_and_other_syntax(pattern, wanted):
    assert is_catastrophic(pattern) is wanted


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        (r"[a-c\d-]", "ac7-", "dx"),
        ("[^]x]", "ay", "]x"),
        (r"\.", ".", "a"),
        (r"(?i)k", "kK", "j"),
        (r"\u4e2d|\t", "中\t", "t"),
        (r"a{,2}", "a", "b"),
        ("{x}", "", "x"),
    ],
)
def test_letters(pattern: str, inside: str, outside: str):
    tree = tree_of(pattern)
    matches: Callable[[str], bool] = lambda text: len(text) in set(Backtracker(text).ends(tree, 0))  # noqa: E731
    assert all(map(matches, inside))
    assert not any(map(matches, outside))


def test_every_shipped_pattern_is_understood(shipped):
    patterns = [signal.pattern for signal in shipped.signals if signal.pattern is not None]
    assert len(patterns) > 500
    assert [pattern for pattern in patterns if tree_of(pattern) is None] == []
