"""One sampler for saved and for growing logs: fed by whole windows or by parts, it keeps the same promises."""

from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.model.record import replace
from logrules.parsing.deduplication import EntryRoles
from logrules.parsing.hit_lines import Found, HitLine, hit_lines
from logrules.parsing.literal_matcher import Hits
from logrules.parsing.sampler import LINES_IN_FULL, Sampler
from logrules.parsing.window import Window
from logrules.parsing.window_sample import LAST_LINES, MANY_ENTRIES, WINDOW_LINES, WindowSample

# Letters of a line stand for entries of the scanner: `a` is routine, `e` tells of a failure.
LETTERS = "abe"
ROUTINE, FAILURE = 0, 2
ROLES = EntryRoles(telling=frozenset({FAILURE}), askers=tuple(LETTERS))


def scanned(lines: Sequence[str], sample: WindowSample, first: int = 0) -> Found:
    """What is found in lines behind so many others."""
    data = "".join(f"{line}\n" for line in lines).encode()
    hits = Hits((at + 1, LETTERS.index(chr(byte))) for at, byte in enumerate(data) if chr(byte) in LETTERS)
    return placed(hit_lines(Window("log", 0, first * 100, data), hits, sample), first)


def placed(found: Found, first: int) -> Found:
    return replace(found, lines=[line._replace(number=first + line.number) for line in found.lines])


def sampler() -> Sampler:
    return Sampler(frozenset({ROUTINE}), lambda: ROLES)


def read_in_parts(
    parts: Sequence[Sequence[str]], asked: Sequence[bool] = (), sample: Sampler | None = None
) -> list[int]:
    """The numbers of the lines that are read of a window that comes in parts, after which somebody asked or not."""
    sample, read, first = sample or sampler(), [], 0
    for nth, part in enumerate(parts):
        read += sample.take(scanned(part, sample.window, first))
        first += len(part)
        if nth < len(asked) and asked[nth]:
            read += sample.release()
    return [line.number for line in [*read, *sample.release()]]


PARTS = st.lists(st.lists(st.text("abe.", max_size=2), max_size=60), max_size=8)


@given(parts=PARTS, times=st.integers(1, 8), asked=st.lists(st.booleans(), max_size=8))
def test_what_is_read_of_parts_is_never_less_than_of_the_whole_and_in_order(parts, times, asked):
    parts = [part * times for part in parts]
    in_parts = read_in_parts(parts, asked)
    assert in_parts == sorted(set(in_parts))
    assert set(in_parts) >= set(read_in_parts([[line for part in parts for line in part]]))


@given(
    counts=st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), min_size=1, max_size=12),
    past=st.booleans(),
    live=st.booleans(),
)
def test_of_an_error_the_first_the_last_and_as_many_as_it_doubles_are_read(counts, past, live):
    """Whether its log is saved, with windows between head and tail, or grows line by line."""
    sample, read, errors, first = sampler(), [], [], 0
    for nth, (routine, failures) in enumerate(counts):
        lines = ["a"] * routine + ["e"] * failures + ["a"] * routine
        errors += range(first + routine, first + routine + failures)
        sample.enter(nth)
        take = partial(sample.take, past=past and not live and 0 < nth < len(counts) - 1)
        for part in [[line] for line in lines] if live else [lines]:
            read += take(scanned(part, sample.window, first))
            first += len(part)
        read += sample.release()
    told = [line.number for line in read if line.kind == (FAILURE,)]
    assert len(told) >= len(errors).bit_length()
    assert {*told} >= {*errors[:1], *errors[-1:]}


def test_a_flood_that_is_asked_for_often_is_read_in_shares_with_the_last_of_each_kind():
    parts = [["a", "b", "e", "b"] * 25 for _ in range(200)]
    read = read_in_parts(parts, [True] * len(parts))
    assert {19_996, 19_998, 19_999} <= set(read)
    assert len(read) < 3 * WINDOW_LINES


def test_a_line_that_is_open_does_not_stand_for_the_last_of_its_kind():
    sample = sampler()
    read_in_parts([["a", "b"] * 25] * 200, [True] * 200, sample)
    sample.take(scanned(["b"] * 3, sample.window, 10_000))
    sample.take(placed(hit_lines(Window("log", 0, 10**6, b"b"), Hits([(1, 1)]), sample.window), 10_003))
    assert [line.number for line in sample.release()] == [10_002, 10_003]


@pytest.mark.parametrize("share", [1, 7, 100])
def test_of_each_writer_the_last_lines_are_read_however_the_window_comes(share):
    lines = [f"[{writer}]: b" for n in range(400) for writer in "12345" if writer != "3" or n < 60]
    own = [nth for nth, line in enumerate(lines) if "3" in line]
    parts = [lines[at : at + share] for at in range(0, len(lines), share)]
    read = read_in_parts(parts)
    assert [nth for nth in read if nth in own][-LAST_LINES:] == own[-LAST_LINES:]


def test_a_line_that_grows_is_held_once():
    sample = sampler()
    assert read_in_parts([["a"] * 40], sample=sample) == list(range(40))
    for _ in range(3):
        assert sample.take(scanned(["a"], sample.window, 40)) == []
    assert [line.number for line in sample.release()] == [40]


def crowd(first: int, entries: int) -> tuple[Window, Hits]:
    """Lines behind so many others, each of which has an entry of its own."""
    return Window("log", 0, 2 * first, b".\n" * entries), Hits((2 * nth + 1, nth) for nth in range(entries))


def test_of_a_crowd_that_grows_what_is_asked_for_is_read_as_it_doubles_and_what_failed_last():
    entries, parts = 2 * MANY_ENTRIES, 30
    roles = EntryRoles(telling=frozenset({FAILURE}), askers=range(entries))
    sample, read, first = Sampler(frozenset(), lambda: roles), list[HitLine](), 0
    for _ in range(parts):
        found = placed(hit_lines(*crowd(first, entries), sample.window), first)
        read += sample.take(found)
        first += entries
    read += sample.release()
    numbers = [line.number for line in read]
    assert numbers == sorted(set(numbers))
    assert first - entries + FAILURE in numbers
    assert len(numbers) < LINES_IN_FULL + entries * (parts.bit_length() + 1)
