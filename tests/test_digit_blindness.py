"""Patterns that do not tell digits apart are searched once in texts of one shape, and find what they found before."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from logrules.ruleset.digit_blindness import tells_digits_apart
from logrules.ruleset.load import load_pack
from logrules.ruleset.pattern import BoundedPattern

DIGITS = "0123456789"
# More tries than it takes until a pattern is known.
TRIES = 250
PARTS = st.sampled_from(["a", r"\d", "1", "[0-9]", "[a0-9]", "[^5]", r"\w+", ".*?", r"(?=\d)", r"\b", "(?:a|[2-7])"])
PATTERNS = st.lists(PARTS, min_size=1, max_size=4).map("".join)


@pytest.mark.parametrize(
    ("pattern", "tells"),
    [
        (r"rank (?P<rank>\d{1,5})\b", False),
        (r"[A-Z0-9_]+=[^\s,]+", False),
        (r"(?i)epoch\D(?=[\w.]{2,40}$)", False),
        (r"[\u2800-\u28ff] it/s", False),
        (r"exit code 137", True),
        (r"[1-9]\d* lost", True),
        (r"[^0] lost", True),
        (r"\x31st", True),
        (r"(\d+) of \1", True),
        (r"(?P<all>\d+) of (?>(?P=all)+)", True),
        (r"(?>a|b(?!c[0-4]))", True),
        (r"\p{Nd}", True),
        # Sets of sets, and a call of a group, which the parser does not know.
        (r"(?V1)[\d--3] lost", True),
        (r"(?V1)[\d&&[3]] lost", True),
        (r"(?V0)rank \d", False),
        (r"(\w)(?1)", True),
    ],
)
def test_whether_a_pattern_tells_one_digit_from_another(pattern, tells):
    assert tells_digits_apart(pattern) is tells


@given(pattern=PATTERNS, text=st.text("ab12. ", max_size=12), other=st.permutations(DIGITS))
def test_what_does_not_tell_them_apart_finds_the_same_place_whatever_the_digits(pattern, text, other):
    if tells_digits_apart(pattern):
        return
    places = [
        found and found.span()
        for found in (
            regex.search(pattern, one) for one in (text, text.translate(str.maketrans(DIGITS, "".join(other))))
        )
    ]
    assert places[0] == places[1]


@given(texts=st.lists(st.text("ab019 ", max_size=5), min_size=1, max_size=40))
@pytest.mark.parametrize("pattern", [r"a\d", r"b[0-9]+ ", r"a1", r"(\d)\1", r"^\S+$"])
def test_what_was_tried_often_finds_the_same_in_texts_of_shapes_that_it_knows(pattern, texts):
    often = BoundedPattern(pattern)
    for _ in range(TRIES):
        often.search("none of these")
    for text in (*texts, *texts):
        found, wanted = often.search(text), regex.search(pattern, text)
        assert (found and found.span()) == (wanted and wanted.span())


def test_a_part_of_a_text_is_searched_by_itself():
    often = BoundedPattern(r"\d+ s")
    for _ in range(TRIES):
        often.search("waited")
    assert often.search("waited 30 s", 0, 8) is None
    assert often.search("waited 30 s") is not None
    assert often.search("waited 40 s", 10) is None
    assert often.search("waited 40 s") is not None


def test_most_shipped_patterns_do_not_tell_digits_apart():
    patterns = [signal.pattern for signal in load_pack().signals if signal.pattern is not None]
    blind = [pattern for pattern in patterns if not tells_digits_apart(pattern)]
    assert len(blind) > len(patterns) / 2
