"""Patterns in several lines: lists of alternatives, texts whose line ends do not count, and what is said of faults."""

import pytest

from logrules.ruleset.compile import read_source
from logrules.ruleset.rule_file import RuleText

RULE = """\
cause: python-exception
title: One
why: One
signals:
  said:
    contains: [ACME-217]
    pattern:{}
examples:
  fires: ACME-217
  silent: calm
"""
ROW = """\
exceptions:
  - id: one
    cause: python-exception
    words:{}
"""


def _read(text: str, pattern: str):
    source, problems = read_source(RuleText("acme/one.yaml", text.format(pattern).encode()))
    return source, [f"{one.place.line}:{one.place.column} {one.message}" for one in problems]


@pytest.mark.parametrize(
    ("written", "pattern"),
    [
        (" 'a|b'", "a|b"),
        ("\n      # the one\n      - 'a'\n      - 'b c'  # the other", "a|b c"),
        (" [a, 'b|c']", "a|b|c"),
        (" |\n      begins (?:\n        one\n        |the other\n      )$", "begins (?:one|the other)$"),
        ("\n      - |\n        a(?:\n          b\n          |c\n        )\n      - d", "a(?:b|c)|d"),
    ],
)
def test_however_it_is_laid_out_it_is_one_pattern(written, pattern):
    rule, _ = _read(RULE, written)
    assert rule.file.signals["said"].pattern == pattern
    table, _ = _read(ROW, written)
    assert table.file.exceptions[0].words == pattern


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("\n      - 'a'\n      - '(b'", "9:9 `signals.said.pattern.1`: not a valid pattern: missing )"),
        ("\n      - 'b'\n      - 'a\\'", "9:9 `signals.said.pattern.1`: not a valid pattern: bad escape"),
        ("\n      - 'a\\'\n      - 'b'", "8:9 `signals.said.pattern.0`: not a valid pattern: bad escape"),
        ("\n      - 'a'\n      - ''", "9:9 `signals.said.pattern.1`: is empty"),
        ("\n      - 7\n      - b", "8:9 `signals.said.pattern.0`: expects text"),
        (" []", "7:5 `signals.said.pattern`: is empty"),
        (" 7", "7:5 `signals.said.pattern`: expects text"),
        (" '(b'", "7:5 `signals.said.pattern`: not a valid pattern: missing )"),
    ],
)
def test_a_fault_is_told_where_it_stands(written, said):
    source, problems = _read(RULE, written)
    assert source is None
    assert len(problems) == 1
    assert problems[0].startswith(said)


def test_a_list_is_held_to_the_same_length_as_a_text():
    source, problems = _read(RULE, "".join(f"\n      - '{'a' * 900}{letter}'" for letter in "abc"))
    assert source is None
    assert problems == ["7:5 `signals.said.pattern`: has more than 2000 characters"]
