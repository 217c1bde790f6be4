"""A log of more kinds than any job writes: read by who asks for its lines, in columns as line by line."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.engine.extraction import Extraction, Scanners, Tally
from logrules.engine.scan_pool import ScanPool
from logrules.model.stream import CONTINUED
from logrules.parsing.crowded_log import MAX_CROWD_TEXTS, CrowdedLog
from logrules.parsing.deduplication import MANY_KINDS, RepeatFilter
from logrules.parsing.entry_roles import TRACE_GAP_LINES, EntryRoles
from logrules.parsing.hit_line import MAX_SLICE_BYTES
from logrules.parsing.hit_lines import MANY_ENTRIES, Found, all_lines, hit_lines
from logrules.parsing.hits import Hits
from logrules.parsing.line_table import LineTable
from logrules.parsing.window import Window
from logrules.sources.source import MemorySource

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


def found_of(window: Window, hits: Hits, *, in_columns: bool) -> Found:
    lines = LineTable(window, hits) if in_columns else all_lines(window, hits)
    return Found("log", lines, window.data.count(b"\n"), unfinished=False, hits=Counter(hits.numbers))


def numbers_read(windows: Sequence[tuple[Window, Hits]], *, in_columns: bool) -> list[list[tuple[int, int]]]:
    """What is read of each window: the number and the begin of each part of a line."""
    log = CrowdedLog(ROLES)
    founds = [found_of(*one, in_columns=in_columns) for one in windows]
    ahead = [*founds[1:], None]
    return [
        [(line.number, line.part.start) for line in log.read(found, then)]
        for found, then in zip(founds, ahead, strict=True)
    ]


@given(lines=LINES, long=LONG_LINES, end=st.sampled_from(["", "\n"]))
def test_a_table_has_the_lines_that_cutting_them_out_gives(lines, long, end):
    window, hits = window_of([*lines, long, *lines], end)
    table = LineTable(window, hits)
    assert tuple(table) == all_lines(window, hits)
    assert len(table) == len(all_lines(window, hits))
    assert list(table.at([0])) == list(all_lines(window, hits)[:1]) if len(table) else True


@given(windows=st.lists(LINES, min_size=1, max_size=4), long=LONG_LINES)
def test_the_same_is_read_in_columns_as_line_by_line(windows, long):
    cut = [window_of([*lines, *((long,) if not nth else ())]) for nth, lines in enumerate(windows)]
    assert numbers_read(cut, in_columns=True) == numbers_read(cut, in_columns=False)


@given(windows=st.lists(LINES, min_size=1, max_size=4))
def test_who_asks_is_answered_for_the_first_the_doublings_and_of_failures_the_last(windows):
    cut = [window_of(lines) for lines in windows]
    kept = [(nth, number) for nth, its in enumerate(numbers_read(cut, in_columns=True)) for number, _ in its]
    asked: dict[int, list[tuple[int, int]]] = {}
    for nth, (window, hits) in enumerate(cut):
        for line in all_lines(window, hits):
            for one in ROLES.asking(line.kind):
                asked.setdefault(one, []).append((nth, line.number))
    for one, its in asked.items():
        assert {its[(1 << power) - 1] for power in range(len(its).bit_length())} <= set(kept)
        if one in ROLES.asking(ROLES.telling):
            assert its[-1] in kept


@given(lines=LINES)
def test_lines_of_tracebacks_that_stand_together_are_read_together(lines):
    window, hits = window_of([*"aaaaaaa", *lines])
    kept = {number for number, _ in numbers_read([(window, hits)], in_columns=True)[0]}
    traced = [line.number for line in all_lines(window, hits) if not ROLES.of_traces.isdisjoint(line.kind)]
    for one, other in pairwise(traced):
        assert other - one > TRACE_GAP_LINES or (one in kept) == (other in kept)


def test_an_exception_that_says_something_new_is_read_however_late_it_comes():
    window = window_of([*["Lost: yon f"] * 700, "Lost: no hut f", *["Lost: yon f"] * 200])
    kept = [number for number, _ in numbers_read([window], in_columns=True)[0]]
    assert kept == [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 700, 900]


def test_of_exceptions_that_never_say_the_same_so_many_are_told_apart():
    lines = [f"f{chr(0x4E00 + nth)}" for nth in range(2 * MAX_CROWD_TEXTS)]
    kept = [number for number, _ in numbers_read([window_of(lines)], in_columns=True)[0]]
    assert kept[:MAX_CROWD_TEXTS] == list(range(MAX_CROWD_TEXTS))
    assert len(kept) < MAX_CROWD_TEXTS + 16


@pytest.mark.parametrize(("entries", "in_columns"), [(MANY_ENTRIES, False), (MANY_ENTRIES + 1, True)])
def test_a_window_in_which_too_much_was_found_is_kept_in_columns(entries, in_columns):
    window = Window("log", 0, 0, b".\n" * entries)
    found = hit_lines(
        window, Hits((2 * nth + 1, nth) for nth in range(entries)), shares=lambda kinds: dict.fromkeys(kinds, 1)
    )
    assert isinstance(found.lines, LineTable) is in_columns is found.crowded
    assert (len(found.lines), found.line_count) == (entries, entries)


def test_a_log_is_crowded_from_the_window_on_that_brings_a_kind_too_many():
    of_kinds = RepeatFilter(EntryRoles())
    few, many = range(MANY_KINDS // 2), range(MANY_KINDS // 2, MANY_KINDS + 1)
    read = []
    for entries in (few, many, many, many):
        window = Window("log", 0, 0, b".\n" * len(entries))
        hits = Hits((2 * nth + 1, entry) for nth, entry in enumerate(entries))
        read.append(len(of_kinds.thinned(hit_lines(window, hits)).lines))
    assert read == [len(few), len(many), len(many), 0]


def test_without_numpy_the_same_is_read(shipped, monkeypatch):
    literals = sorted({literal for signal in shipped.signals for literal in signal.literals if literal.isalpha()})
    log = "".join(f"{literal} {nth}\n" for nth in range(9) for literal in literals)
    with_numpy = events_of(Scanners(shipped), log)
    monkeypatch.setattr("logrules.parsing.hit_lines._table", lambda: all_lines)
    assert events_of(Scanners(shipped), log) == with_numpy


def events_of(scanners: Scanners, log: str) -> list[object]:
    with ScanPool(1) as pool:
        return list(Extraction(scanners, pool, lambda *_: None, Tally()).events(MemorySource("log", log)))
