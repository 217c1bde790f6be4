"""A log of more kinds than any job writes: read by who asks for its lines."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.model.stream import CONTINUED
from logrules.parsing.deduplication import (
    MANY_KINDS,
    MAX_CROWD_TEXTS,
    TRACE_GAP_LINES,
    EntryRoles,
    RepeatFilter,
)
from logrules.parsing.hit_lines import MAX_SLICE_BYTES, Found, hit_lines
from logrules.parsing.literal_matcher import Hits
from logrules.parsing.window import Window
from logrules.parsing.window_sample import MANY_ENTRIES, WindowSample

# Letters of a line stand for entries of the scanner. `a` and `b` are asked for by the same.
LETTERS = "abcdfe"
FRAME, EXCEPTION, BELOW, TELLING = 3, 4, 5, 2
ROLES = EntryRoles(
    of_traces=frozenset({FRAME, BELOW}),
    exceptions=frozenset({EXCEPTION}),
    below=frozenset({BELOW}),
    telling=frozenset({TELLING, EXCEPTION}),
    askers=(0, 0, 2, 3, 4, 5),
)
LONG = "." * (MAX_SLICE_BYTES // 2)
LINES = st.lists(
    st.one_of(
        st.text(LETTERS + ". ", max_size=4),
        st.sampled_from(["  Lost: me", "me.Lost: so", "the tree"]),
        st.just(CONTINUED.decode() + "a"),
    ),
    max_size=40,
)
LONG_LINES = st.lists(st.sampled_from([*LETTERS, LONG]), max_size=9).map("".join)


def window_of(lines: Sequence[str], end: str = "\n") -> tuple[Window, Hits]:
    data = ("\n".join(lines) + end).encode()
    hits = Hits((at + 1, LETTERS.index(chr(byte))) for at, byte in enumerate(data) if chr(byte) in LETTERS)
    return Window("log", 0, 0, data), hits


def numbers_read(windows: Sequence[tuple[Window, Hits]], ahead: int = 2) -> list[list[int]]:
    """The numbers of the lines that are read of each window, so many ahead of which are looked at."""
    log = RepeatFilter(ROLES)
    log.thinned(Found("log", (), 0, unfinished=False, crowded=True))
    founds = [hit_lines(*one) for one in windows]
    kept = (log.thinned(found, founds[nth : nth + ahead])[0] for nth, found in enumerate(founds, 1))
    return [[line.number for line in lines] for lines in kept]


@given(windows=st.lists(LINES, min_size=1, max_size=4))
def test_who_asks_is_answered_for_the_first_the_doublings_and_of_failures_the_last(windows):
    cut = [window_of(lines) for lines in windows]
    kept = [(nth, number) for nth, its in enumerate(numbers_read(cut)) for number in its]
    asked: dict[int, list[tuple[int, int]]] = {}
    for nth, (window, hits) in enumerate(cut):
        for line in hit_lines(window, hits).lines:
            for one in ROLES.asking(line.kind):
                asked.setdefault(one, []).append((nth, line.number))
    for one, its in asked.items():
        assert {its[(1 << power) - 1] for power in range(len(its).bit_length())} <= set(kept)
        if one in ROLES.asking(ROLES.telling):
            assert its[-1] in kept


@given(lines=LINES)
def test_lines_of_tracebacks_that_stand_together_are_read_together(lines):
    window, hits = window_of([*"aaaaaaa", *lines])
    kept = set(numbers_read([(window, hits)])[0])
    traced = [line.number for line in hit_lines(window, hits).lines if not ROLES.of_traces.isdisjoint(line.kind)]
    for one, other in pairwise(traced):
        assert other - one > TRACE_GAP_LINES or (one in kept) == (other in kept)


def test_the_last_of_a_failure_is_read_where_no_window_ahead_has_another():
    windows = [window_of(lines) for lines in (["c"] * 5, ["."], ["c"], ["."], ["."], ["c"])]
    assert numbers_read(windows, ahead=2) == [[0, 1, 3], [], [0], [], [], [0]]
    assert numbers_read(windows, ahead=3) == [[0, 1, 3], [], [], [], [], [0]]


def test_an_exception_that_says_something_new_is_read_however_late_it_comes():
    window = window_of([*["Lost: yon f"] * 700, "Lost: no hut f", *["Lost: yon f"] * 200])
    kept = numbers_read([window])[0]
    assert kept == [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 700, 900]


def test_of_exceptions_that_never_say_the_same_so_many_are_told_apart():
    lines = [f"f{chr(0x4E00 + nth)}" for nth in range(2 * MAX_CROWD_TEXTS)]
    kept = numbers_read([window_of(lines)])[0]
    assert kept[:MAX_CROWD_TEXTS] == list(range(MAX_CROWD_TEXTS))
    assert len(kept) < MAX_CROWD_TEXTS + 16


@pytest.mark.parametrize(("entries", "crowded"), [(MANY_ENTRIES, False), (MANY_ENTRIES + 1, True)])
def test_of_a_window_in_which_too_much_was_found_no_share_is_taken(entries, crowded):
    window = Window("log", 0, 0, b".\n" * 5 * entries)
    hits = Hits((2 * nth + 1, nth % entries) for nth in range(5 * entries))
    found = hit_lines(window, hits, WindowSample(flood_lines=1))
    assert found.crowded is crowded
    assert (len(found.lines), found.line_count) == ((5 if crowded else 4) * entries, 5 * entries)


def test_a_log_is_crowded_from_the_window_on_that_brings_a_kind_too_many():
    of_kinds = RepeatFilter(EntryRoles(askers=range(MANY_KINDS + 1)))
    few, many = range(MANY_KINDS // 2), range(MANY_KINDS // 2, MANY_KINDS + 1)
    read = []
    for entries in (few, many, many, many):
        window = Window("log", 0, 0, b".\n" * len(entries))
        hits = Hits((2 * nth + 1, entry) for nth, entry in enumerate(entries))
        read.append(len(of_kinds.thinned(hit_lines(window, hits))[0]))
    assert read == [len(few), len(many), len(many), 0]
