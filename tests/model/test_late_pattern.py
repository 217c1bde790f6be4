"""Patterns that are compiled when first used are the patterns that `re` makes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.model.late_pattern import late_pattern

PATTERN = r"(a+)\s*(?P<number>\d)?"
LINES = st.text(alphabet="ab1 [:]\n", max_size=30)


@given(LINES)
def test_it_finds_what_a_compiled_pattern_finds(line):
    late, made = late_pattern(PATTERN, re.IGNORECASE), re.compile(PATTERN, re.IGNORECASE)
    for _ in range(2):  # as when first used, and as when known
        assert [found.groupdict() for found in late.finditer(line)] == [f.groupdict() for f in made.finditer(line)]
        assert late.sub("-", line) == made.sub("-", line)
        assert bool(late.match(line)) == bool(made.match(line))


def test_it_is_compiled_once_and_not_before_it_is_used(monkeypatch):
    compiled, compile_it = [], re.compile
    monkeypatch.setattr(re, "compile", lambda *given: compiled.append(given) or compile_it(*given))
    late = late_pattern(r"step \d+", re.ASCII)
    assert compiled == []
    assert [late.search(line) is not None for line in ("step 1", "step x", "step 2")] == [True, False, True]
    assert compiled == [(r"step \d+", re.ASCII)]


def test_a_name_that_no_pattern_has_is_an_error():
    with pytest.raises(AttributeError, match="seek"):
        _ = late_pattern("a").seek
