"""Patterns are tried without a clock only where their work is bounded, and not at all without a word they need."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from logrules.ruleset import pattern
from logrules.ruleset.load import load_pack
from logrules.ruleset.pattern import BoundedPattern, folded, may_hold
from logrules.ruleset.pattern_syntax import Letters, Row, tree_of
from logrules.ruleset.pattern_work import lengths_without_clock, most_steps, required_words
from tests.ruleset.backtracker import PATTERNS, work_of

# A letter that no text of these tests has.
NEVER = Letters(1 << ord("~"))


@given(pattern=PATTERNS, text=st.text("abc", max_size=10))
def test_no_text_takes_more_steps_than_were_reckoned(pattern, text):
    tree = tree_of(pattern)
    assert tree is not None
    # Behind what never comes all ways are tried. An engine takes a few steps where a step was counted.
    assert work_of(Row((tree, NEVER)), text) <= 8 * most_steps(Row((tree, NEVER)), max(len(text), 1))


@pytest.mark.parametrize(
    ("text", "searched", "matched"),
    [
        (r"(?:a|a)*b", 0, 0),
        (r"(\w+\s?)*$", 0, 0),
        (r"\w+ \w+ \w+: ", 2_048, 2_048),
        (r"^\w+ \w+ \w+: ", 2_048, 2_048),
        (r".*a.*b.*c", 64, 256),
        (r".*a.*b.*c.*d", 0, 64),
        # What comes once at the most is tried once.
        (r"^(?:: ?(?:\w+, ?(?P<rest>.*))?)?$", 2_048, 2_048),
        (r"^[^\n]{0,200}?\Kmust be", 2_048, 2_048),
        (r"^.*a.*b", 2_048, 2_048),
        (r"(?<=x)(?:a|a)*b", 0, 0),
        (r"(?=.*a.*b.*c)x", 64, 256),
        (r"(?R)", 0, 0),
    ],
)
def test_the_length_of_text_that_needs_no_clock(text, searched, matched):
    assert lengths_without_clock(text) == (searched, matched)


def test_what_has_no_bound_of_work_is_always_timed(monkeypatch):
    monkeypatch.setattr(pattern, "MAX_PATTERN_CPU_S", 1e-9)
    slow = BoundedPattern(r"(?:a|a|b?a)*c")
    for _ in range(300):
        with pytest.raises(TimeoutError):
            slow.search("a" * 2_000)


def test_what_is_tried_often_finds_the_same_as_before():
    texts = ["step 12: loss 0.3", "Step 12", "x" * 3_000 + " step 7: loss 1", "", "STEP 9: LOSS 2"]
    for source in (r"step (\d+): loss", r"(?i)step (\d+)", r"^\w+ (\d+)"):
        bounded = BoundedPattern(source)
        for _ in range(300):
            for text in texts:
                for name in ("search", "match", "fullmatch"):
                    found, wanted = getattr(bounded, name)(text), getattr(regex.compile(source), name)(text)
                    assert (found and found.span()) == (wanted and wanted.span())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("out of memory", ("out of memory",)),
        (r"\bCUDA\w* error: \d+", (" error: ",)),
        ("(?:one|two) words?", (" word",)),
        ("(?i)(?P<what>First|Second)x*", ("first", "second")),
        ("abcd?|efgh+i", ("abc", "efgh")),
        (r"(?!never)soon\.\s", ("soon.",)),
        (r"a[b\]c]{2}(?:long)?", ()),
        ("(?:lost)?", ()),
        ("[a-z]+|known", ()),
        (r"(?:found){0,3}x", ()),
        (r"(?:found){2}", ("found",)),
        (r"(?x) f o u n d", ("found",)),
        (r"(one)?(?(1)found|lost)", ()),
        (r"\hfound", ()),
        ("ſsstem", ("ssstem",)),
        (r"(lost", ()),
        (r"[[:alpha:]]found", ()),
        (r"\p{L}found", ()),
    ],
)
def test_the_words_that_a_pattern_needs(text, words):
    assert required_words(text) == words


WORDS = st.lists(st.sampled_from("abAB cK\u212a.\u017f"), min_size=1, max_size=5).map("".join)
PIECES = st.recursive(
    WORDS.map(regex.escape),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "{2}", "{0,2}", "+?"])).map("(?:{0[0]}){0[1]}".format),
        inner.map("(?=x){}".format),
    ),
    max_leaves=6,
)


@given(source=PIECES, flags=st.sampled_from(["", "(?i)"]), text=WORDS, around=WORDS)
def test_what_a_pattern_finds_has_a_word_that_it_needs(source, flags, text, around):
    for tried in (text, around + text, text + around):
        if regex.search(flags + source, tried):
            assert may_hold(required_words(flags + source), folded(tried))


def test_shipped_rows_know_the_words_that_their_samples_have():
    pack = load_pack()
    rows = [row for row in pack.tables.exceptions if row.words is not None]
    assert sum(bool(pack.required[row.words]) for row in rows) > 0.8 * len(rows)
    for row in rows:
        for sample in row.samples:
            if regex.search("(?i)" + row.words, sample):
                assert may_hold(pack.required[row.words], folded(sample)), row.id
