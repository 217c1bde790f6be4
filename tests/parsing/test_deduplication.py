"""Lines that a big log repeats for ever are read ever more seldom, those of tracebacks together or not at all."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.parsing.deduplication import (
    FAMILIAR_LINES,
    MANY_KINDS,
    MAX_FLOOD_TEXTS,
    MAX_KIND_TEXTS,
    MAX_TEXTS,
    EntryRoles,
    RepeatFilter,
    may_name_exception,
)
from logrules.parsing.hit_lines import Found, HitLine, Stretch
from logrules.parsing.literal_matcher import Hits
from logrules.parsing.window import Window

FRAME, EXCEPTION, TELLING = 9, 8, 5
FAILURE = b"ValueError: the step is lost"


def line(number: int, *entries: int, raw: bytes = b"") -> HitLine:
    hits = Hits((0, entry) for entry in entries)
    return HitLine(Window("log", 0, 0, raw), hits, Stretch(0, len(raw), 0, len(hits), entries), 0, len(raw), number)


def traceback(at: int, *texts: bytes) -> list[HitLine]:
    """Frames on every second line, as source text stands between them."""
    return [line(at + 2 * place, 5, FRAME, raw=text) for place, text in enumerate(texts)]


def filter_of_traces() -> RepeatFilter:
    return RepeatFilter(EntryRoles(frozenset({FRAME}), frozenset({EXCEPTION})))


def read(familiar: RepeatFilter, lines: list[HitLine]) -> list[int]:
    return [kept.number for kept in familiar.thinned(Found("log", tuple(lines), len(lines), unfinished=False))[0]]


def test_the_first_of_a_kind_are_all_read_and_then_ever_fewer():
    kept = read(RepeatFilter(EntryRoles()), [line(number, 5) for number in range(1, 40_001)])
    assert kept[:FAMILIAR_LINES] == list(range(1, FAMILIAR_LINES + 1))
    apart = [later - earlier for earlier, later in pairwise(kept[FAMILIAR_LINES:])]
    assert apart == sorted(apart)
    assert len(kept) < 4 * FAMILIAR_LINES


def test_between_two_powers_of_two_one_is_always_read():
    kept = read(RepeatFilter(EntryRoles()), [line(number, 5) for number in range(1, 40_001)])
    assert all(any(power < number <= 2 * power for number in kept) for power in (2**bits for bits in range(15)))


def test_a_kind_is_the_set_of_its_literals():
    familiar = RepeatFilter(EntryRoles())
    read(familiar, [line(number, 5) for number in range(2 * FAMILIAR_LINES)])
    assert read(familiar, [line(0, 5, 6), line(1, 6)]) == [0, 1]


def test_a_traceback_told_again_is_read_where_its_number_has_doubled():
    told = [each for nth in range(1, 101) for each in traceback(100 * nth, b"  main()", FAILURE)]
    kept = read(filter_of_traces(), told)
    assert kept == [number for nth in (1, 2, 4, 8, 16, 32, 64) for number in (100 * nth, 100 * nth + 2)]


def test_an_exception_is_known_by_the_literals_of_its_line_or_by_its_name():
    for entries, text in (((FRAME, EXCEPTION), b"| lost"), ((FRAME,), b"[rank3]: my.Lost")):
        known = filter_of_traces()
        assert [nth for nth in range(1, 20) if read(known, [line(nth, *entries, raw=text)])] == [1, 2, 4, 8, 16]


def test_frames_that_were_told_before_are_no_news_without_an_exception():
    told = [each for nth in range(1, 20) for each in traceback(100 * nth, b"  main()", b"  step()")]
    assert read(filter_of_traces(), told) == [100, 102]


def test_a_traceback_with_one_new_line_is_read_whole():
    known = filter_of_traces()
    for nth in range(20):
        read(known, traceback(100 * nth, b"main", b"step"))
    assert read(known, traceback(5_000, b"main", b"step", b"save")) == [5_000, 5_002, 5_004]


def test_lines_of_tracebacks_of_different_writers_are_all_read():
    told = [each for nth in range(300) for each in traceback(100 * nth, b"[rank%d]: main" % nth)]
    assert len(read(filter_of_traces(), told)) == len(told)


def test_a_time_and_the_numbers_of_a_message_make_no_other_line():
    said = b"2024-05-01 10:%02d:%02d,%03d [rank3] the store did not answer for a long while, waited %d s, %d keys left"
    told = [line(10 * nth, 5, FRAME, raw=said % (nth % 60, nth % 59, nth, nth, nth)) for nth in range(1, 40)]
    assert read(filter_of_traces(), told) == [10]


def test_an_error_that_is_new_is_read_however_often_its_literals_came():
    known = filter_of_traces()
    read(known, [line(number, 5, raw=b"error: one") for number in range(1_000)])
    again = [line(1_000 + nth, 5, raw=b"error: another") for nth in range(1, 10)]
    assert read(known, again) == [1_001, 1_002, 1_004, 1_008]


def test_a_kind_that_never_says_the_same_is_read_ever_more_seldom():
    kept = read(filter_of_traces(), [line(number, 5, raw=chr(0x4E00 + number).encode()) for number in range(20_000)])
    assert kept[:MAX_KIND_TEXTS] == list(range(MAX_KIND_TEXTS))
    assert len(kept) < 2 * MAX_KIND_TEXTS


def test_of_a_kind_that_floods_a_window_fewer_texts_are_told_apart():
    lines = [line(number, 5, raw=chr(0x4E00 + number).encode()) for number in range(20_000)]
    found = Found("log", tuple(lines), len(lines), unfinished=False, flooded=frozenset({(5,)}))
    kept = [one.number for one in filter_of_traces().thinned(found)[0]]
    assert kept[:MAX_FLOOD_TEXTS] == list(range(MAX_FLOOD_TEXTS))
    assert len(kept) < 3 * MAX_FLOOD_TEXTS
    assert all(any(power < number <= 2 * power for number in kept) for power in (2**bits for bits in range(14)))


def test_of_lines_of_tracebacks_that_flood_a_window_a_number_behind_the_writer_makes_ever_fewer_others():
    said = [b"[rank%d]: ShardError: shard %d is lost" % (nth % 200, nth) for nth in range(20_000)]
    lines = [line(10 * nth, FRAME, raw=raw) for nth, raw in enumerate(said)]
    found = Found("log", tuple(lines), len(lines), unfinished=False, flooded=frozenset({(FRAME,)}))
    kept = [one.number // 10 for one in filter_of_traces().thinned(found)[0]]
    assert kept[:MAX_FLOOD_TEXTS] == list(range(MAX_FLOOD_TEXTS))
    assert {nth % 200 for nth in kept} == set(range(200)), "each writer is heard, however late it tells"
    for writer in range(200):
        its = [nth // 200 + 1 for nth in kept if nth % 200 == writer]
        assert its == [1, 2, 4, 8, 16, 32, 64]


def test_in_a_flood_of_lines_of_tracebacks_other_words_are_heard_however_late_they_come():
    said = [b"ShardError: shard %d is lost" % nth for nth in range(1_000)]
    said[900] = b"ShardError: shard 900 is found"
    lines = [line(10 * nth, FRAME, raw=raw) for nth, raw in enumerate(said)]
    found = Found("log", tuple(lines), len(lines), unfinished=False, flooded=frozenset({(FRAME,)}))
    kept = [one.number // 10 for one in filter_of_traces().thinned(found)[0]]
    assert kept == [*(2**power - 1 for power in range(10)), 900]


def test_in_a_flood_numbers_behind_the_prefixes_of_an_error_make_no_other_line():
    said = [b"[rank%d] OSError: shard %d is lost" % (nth % 40, nth) for nth in range(4_000)]
    said[3_000] = b"[rank7] OSError: shard 3000 is found"
    lines = [line(nth, TELLING, raw=raw) for nth, raw in enumerate(said)]
    found = Found("log", tuple(lines), len(lines), unfinished=False, flooded=frozenset({(TELLING,)}))
    familiar = RepeatFilter(EntryRoles(telling=frozenset({TELLING})))
    kept = [one.number for one in familiar.thinned(found)[0]]
    assert 3_000 in kept, "other words are heard however late they come"
    assert kept[-1] == len(lines) - 1
    for writer in range(40):
        its = [nth // 40 + 1 for nth in kept if nth % 40 == writer and nth not in {3_000, len(lines) - 1}]
        assert its == [1, 2, 4, 8, 16, 32, 64]


def test_how_lines_fall_into_windows_does_not_matter():
    lines = [line(number, number % 2) for number in range(4 * FAMILIAR_LINES)]
    whole = read(RepeatFilter(EntryRoles()), lines)
    pieces = RepeatFilter(EntryRoles())
    assert [number for at in range(0, len(lines), 100) for number in read(pieces, lines[at : at + 100])] == whole


@given(
    windows=st.lists(
        st.lists(
            st.tuples(st.sampled_from([(TELLING,), (6,), (TELLING, 6), (TELLING, FRAME), (FRAME,)]), st.integers(0, 3))
        ),
        max_size=9,
    )
)
def test_of_what_tells_of_failures_the_first_the_doublings_and_the_last_are_read(windows):
    familiar = RepeatFilter(EntryRoles(frozenset({FRAME}), frozenset({EXCEPTION}), telling=frozenset({TELLING})))
    lines, kept = [], []
    for window in windows * 20:
        its = [
            line(10 * (len(lines) + nth), *kind, raw=b"Lost%s: no" % (b"abcd"[which : which + 1]))
            for nth, (kind, which) in enumerate(window)
        ]
        lines += its
        kept += read(familiar, its)
    assert kept == sorted(set(kept))
    for kind in {one.kind for one in lines if one.kind[0] == TELLING}:
        alike = [one for one in lines if one.kind == kind]
        assert alike[-1].number in kept
        for text in {one.raw for one in alike if FRAME not in kind}:
            its = [one.number for one in alike if one.raw == text]
            assert {its[(1 << power) - 1] for power in range(len(its).bit_length())} <= set(kept)


def test_the_last_of_a_kind_is_left_to_the_next_window_that_has_more_of_it():
    familiar = RepeatFilter(EntryRoles(telling=frozenset({TELLING})))
    windows = [[line(100 * nth + each, TELLING) for each in range(90)] for nth in range(8)]
    founds = [Found("log", tuple(window), len(window), unfinished=False) for window in windows]
    kept = [
        one.number for nth, found in enumerate(founds, 1) for one in familiar.thinned(found, founds[nth : nth + 1])[0]
    ]
    assert windows[-1][-1].number in kept
    assert not {window[-1].number for window in windows[1:-1]} & set(kept)


def test_of_more_kinds_than_any_job_writes_each_is_read_as_it_doubles():
    kinds = range(MANY_KINDS + 1)
    told = [line(nth * len(kinds) + kind, kind) for nth in range(16) for kind in kinds]
    kept = read(RepeatFilter(EntryRoles(askers=kinds)), told)
    last = [number // len(kinds) + 1 for number in kept if number % len(kinds) == MANY_KINDS]
    assert last == [1, 2, 4, 8, 16]


def test_a_log_that_says_something_else_with_every_line_is_read_by_its_kinds():
    kinds = 64
    told = [line(nth, nth % kinds, raw=chr(0x4E00 + nth).encode()) for nth in range(2 * MAX_TEXTS)]
    kept = read(RepeatFilter(EntryRoles()), told)
    assert kept[:MAX_TEXTS] == list(range(MAX_TEXTS))
    assert len(kept) <= MAX_TEXTS + 2 * kinds


@pytest.mark.parametrize(
    ("line", "may"),
    [
        (b"Lost: no route", True),
        (b"    Lost", True),
        (b"[rank3]: 12:30:01 trainer) shop.errors.Lost: no route", True),
        (b"12:30:01 | Lost:", True),
        (b"    return shop(Lost, 3)", False),
        (b"    raise Lost(f'{a}: b')", False),
        (b"no route: lost: again", False),
    ],
)
def test_an_exception_is_a_name_in_capitals_at_the_beginning_or_behind_a_prefix(line, may):
    assert may_name_exception(line) is may
