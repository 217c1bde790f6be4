"""Patterns as trees: what they match is what `re` matches, and what backtracks without end is found."""

import re
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.ruleset.pattern_syntax import SAMPLES, Choice, Letters, Node, Repeat, Row, tree_of
from logrules.ruletest.backtracking import catastrophic

_WORK = 60_000


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    group = inner.map("(?:{})".format)
    return st.one_of(
        st.tuples(group, st.sampled_from(["*", "+", "?", "*?"])).map("".join),
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
    )


PATTERNS = st.recursive(st.sampled_from(["a", "b", "[ab]", "."]), _nested, max_leaves=6)


class Backtracker:
    """Matches as engines do, branch by branch, and counts its steps. A round that takes nothing is the last."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.steps = 0

    def ends(self, node: Node, at: int) -> Iterator[int]:
        self.steps += 1
        if self.steps > _WORK:
            raise TimeoutError
        match node:
            case Letters(bits):
                if at < len(self._text) and bits >> SAMPLES.index(self._text[at]) & 1:
                    yield at + 1
            case Row(parts):
                yield from self._row(parts, at)
            case Choice(branches):
                for branch in branches:
                    yield from self.ends(branch, at)
            case Repeat(part, least, most):
                yield from self._rounds(part, least, most, at)

    def _row(self, parts: tuple[Node, ...], at: int) -> Iterator[int]:
        if not parts:
            yield at
            return
        for end in self.ends(parts[0], at):
            yield from self._row(parts[1:], end)

    def _rounds(self, part: Node, least: int, most: int | None, at: int) -> Iterator[int]:
        if most != 0:
            for end in self.ends(part, at):
                if end > at:
                    yield from self._rounds(part, max(least - 1, 0), None if most is None else most - 1, end)
                elif least:
                    yield end
        if not least:
            yield at


def _work(tree: Node, text: str) -> int:
    tried = Backtracker(text)
    try:
        for _ in tried.ends(tree, 0):
            pass
    except TimeoutError:
        pass
    return tried.steps


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
    grows = any(_work(tree, 18 * piece + "c") > 64 * _work(tree, 9 * piece + "c") for piece in ("a", "b", "ab"))
    assert catastrophic(pattern) or not grows


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
    assert catastrophic(pattern) is wanted


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
