"""Hit lines of a window full of them: thinned before anything is made of them, and never read in vain."""

import gc
from itertools import pairwise
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules import load_rules
from logrules.engine.extraction import (
    DENSE_HITS,
    FULL_WINDOWS,
    Extraction,
    SamplingPlan,
    Scanners,
    Tally,
)
from logrules.engine.run import prepared
from logrules.engine.scan_pool import ScanPool
from logrules.parsing.hit_lines import MAX_SLICE_BYTES, Found, HitLine, hit_lines
from logrules.parsing.literal_matcher import Hits
from logrules.parsing.sampler import LINES_IN_FULL
from logrules.parsing.window import Window
from logrules.parsing.window_sample import FLOOD_LINES, LAST_LINES, MANY_ENTRIES, WINDOW_LINES, WindowSample
from logrules.ruletest.harness import run_log
from tests.conftest import MemorySource

PACK = prepared(load_rules(), cache=True)

# Letters of a line stand for entries of the scanner.
LINES = st.lists(st.text("ab.", max_size=3), max_size=60)


def found(lines: list[str], share: int | None) -> Found:
    data = "".join(f"{line}\n" for line in lines).encode()
    hits = [(at + 1, byte - ord("a")) for at, byte in enumerate(data) if byte in b"ab"]
    sample = None if share is None else WindowSample(flood_lines=share)
    return hit_lines(Window("log", 0, 0, data), Hits(hits), sample)


@given(lines=LINES, share=st.integers(1, 5))
def test_of_each_kind_the_first_the_doublings_and_the_last_are_kept(lines, share):
    whole, thinned = found(lines, None), found(lines, share)
    wanted = set()
    kinds = [tuple(dict.fromkeys(entry for _, entry in line.hits)) for line in whole.lines]
    for kind in set(kinds):
        alike = [line.number for line, its in zip(whole.lines, kinds, strict=True) if its == kind]
        doubled = [alike[(1 << power) - 1] for power in range(len(alike).bit_length())]
        wanted.update(alike[:share] + doubled + alike[-share:])
    told = [(line.number, line.raw, line.hits) for line in whole.lines if line.number in wanted]
    assert told == [(line.number, line.raw, line.hits) for line in thinned.lines]
    assert (thinned.line_count, thinned.hits) == (whole.line_count, whole.hits)
    assert thinned.flooded == {line.kind for line in whole.lines if line.number not in wanted}
    assert all(one.number < other.number for one, other in pairwise(thinned.lines))


@given(ends=st.lists(st.integers(0, 40)).map(sorted), more=st.lists(st.integers(0, 40)).map(sorted))
def test_further_hits_stand_among_the_others_by_where_they_end(ends, more):
    hits = Hits((end, number % 3) for number, end in enumerate(ends))
    assert list(hits.with_more(more, 7)) == sorted([*hits, *((end, 7) for end in more)], key=itemgetter(0))


def test_hits_are_counted_however_few_lines_are_kept():
    assert found(["aab"] * 100, 2).hits == {0: 200, 1: 100}


def test_of_a_crowded_window_no_line_is_made_before_somebody_reads_it():
    lines = MANY_ENTRIES + 9
    window, hits = Window("log", 0, 0, b"x\n" * lines), Hits((2 * nth + 1, nth) for nth in range(lines))

    def made() -> int:
        return sum(isinstance(one, HitLine) and one.window is window for one in gc.get_objects())

    ahead = hit_lines(window, hits, WindowSample())
    assert (ahead.crowded, ahead.line_count, len(ahead.hits), made()) == (True, lines, lines, 0)
    assert [line.number for line in ahead.lines] == list(range(lines))
    assert ahead.settled >= lines


@pytest.mark.parametrize(("hits", "dense"), [(DENSE_HITS, False), (DENSE_HITS + 1, True)])
def test_a_log_full_of_hits_is_scanned_by_who_reads_it(hits, dense):
    head = [Found("log", (), 0, unfinished=False, hits={0: hits})] * FULL_WINDOWS
    assert SamplingPlan.after(head, frozenset()).dense is dense


@pytest.fixture(scope="module")
def scanners(shipped):
    return Scanners(shipped)


def test_a_window_of_nothing_but_errors_holds_only_those_that_are_read(scanners):
    line = b"RuntimeError: CUDA out of memory\n"
    window = Window("log", 0, 0, line * 5_000)
    lines = scanners.find(window).lines
    assert [line.number + 1 for line in lines[FLOOD_LINES:-FLOOD_LINES]] == [128, 256, 512, 1024, 2048, 4096]


def test_of_many_floods_in_a_window_less_of_each_is_read(scanners):
    names = [f"{name}Error" for name in ("Runtime", "Value", "Key", "Index", "OS", "Type", "Import", "Assertion")]
    for kinds in (1, 4, 8):
        floods = "".join(f"{name}: at {number}\n" for number in range(600) for name in names[:kinds])
        lines = scanners.find(Window("log", 0, 0, floods.encode())).lines
        assert len(lines) <= WINDOW_LINES + kinds * 10
        assert {line.number for line in lines} >= {*range(kinds), *range(599 * kinds, 600 * kinds)}


def lines_read(scanners: Scanners, log: str) -> list[int]:
    """The numbers of the lines that were read of a log because somebody asks for them."""
    with ScanPool(1) as pool:
        how = Extraction(scanners, pool, lambda *_: None, Tally())
        return [event.line for event in how.events(MemorySource("log", log)) if event.hits]


def test_a_window_that_asks_for_more_lines_than_any_job_is_thinned_wherever_it_stands(scanners, shipped):
    literals = sorted({literal for signal in shipped.signals for literal in signal.literals if literal.isalpha()})
    told = [f"{literal}\n" for literal in literals]
    most = LINES_IN_FULL // len(told)
    in_full, thinned = lines_read(scanners, "".join(told * most)), lines_read(scanners, "".join(told * 3 * most))
    assert len(in_full) < len(thinned) < 2 * len(in_full)


def test_an_exception_that_stands_alone_needs_no_neighbours_and_one_below_a_frame_does(scanners):
    alone = scanners.find(Window("log", 0, 0, b"RuntimeError: CUDA out of memory\n")).lines[0]
    framed = scanners.find(Window("log", 0, 0, b'  File "/a/b.py", line 3, in f\n    x()\nRuntimeError: no\n')).lines[
        -1
    ]
    assert scanners.roles.of_traces.isdisjoint(entry for _, entry in alone.hits)
    assert not scanners.roles.of_traces.isdisjoint(entry for _, entry in framed.hits)


@given(
    hits=st.dictionaries(st.integers(0, 300_000), st.integers(0, 3), min_size=1).map(lambda one: sorted(one.items()))
)
def test_of_a_very_long_line_its_first_and_last_hits_and_one_of_each_kind_are_read(hits):
    data = bytearray(b"." * 300_001)
    for at, _ in hits:
        data[at] = ord("a")
    found = hit_lines(Window("log", 0, 0, bytes(data)), Hits((at + 1, entry) for at, entry in hits))
    read = [(line.offset + at, entry) for line in found.lines for at, entry in line.hits]
    assert (read[0], read[-1]) == (hits[0], hits[-1])
    assert read == sorted(set(read) & set(hits))
    assert {entry for _, entry in read} == {entry for _, entry in hits}
    assert all(
        len(line.raw) <= MAX_SLICE_BYTES and line.raw[at] == ord("a") for line in found.lines for at, _ in line.hits
    )
    assert {(line.number, line.start, line.end) for line in found.lines} == {(0, 0, len(data))}


def test_a_bar_that_never_ends_its_line_is_read_at_its_start_and_its_end():
    hits = [(at + 1, 0) for at in range(0, 900_000, 40)]
    assert len(hit_lines(Window("log", 0, 0, b"." * 900_000), Hits(hits)).lines) == 2


@pytest.mark.parametrize("before", [33_000, 66_000, 990_000])
def test_what_stands_far_into_a_line_is_found(before):
    # As the message of a JSON record, whose newlines are spelt, and as text.
    for line in (
        "x" * before + " RuntimeError: {}\n",
        '{{"level": "error", "message": "step 7 ' + "x" * before + '\\n{}"}}\n',
    ):
        report = run_log(PACK, line.format("CUDA out of memory. Tried to allocate 2.00 GiB"))
        assert [one.cause for one in report.diagnoses] == ["cuda-oom"]


@pytest.mark.parametrize("front", ["[rank{}]: ", "{}: ", "(Worker pid=4{}) ", "2024-05-06T10:00:00.5Z [rank{}] "])
def test_of_each_of_several_writers_the_last_lines_are_kept(front):
    lines = [front.format(writer) + "a" for n in range(200) for writer in range(4) if writer != 2 or n < 60]
    data = "".join(f"{line}\n" for line in lines).encode()
    hits = [(at + 1, 0) for at in range(len(data)) if data[at : at + 2] == b"a\n"]
    kept = hit_lines(Window("log", 0, 0, data), Hits(hits), WindowSample(flood_lines=16)).lines
    own = [n for n, line in enumerate(lines) if line == front.format(2) + "a"]
    assert [line.number for line in kept if line.number in own][-LAST_LINES:] == own[-LAST_LINES:]
    assert len(kept) <= 2 * 16 + LAST_LINES + len(lines).bit_length()


@pytest.mark.parametrize("front", ["{}: ", "step {}: ", "", "2024-05-06 10:00:00 "])
def test_what_opens_in_as_many_ways_as_there_are_lines_is_no_writer(front):
    data = "".join(f"{front.format(n)}a\n" for n in range(400)).encode()
    hits = [(at + 1, 0) for at in range(len(data)) if data[at : at + 2] == b"a\n"]
    kept = hit_lines(Window("log", 0, 0, data), Hits(hits), WindowSample(flood_lines=16)).lines
    assert len(kept) <= 2 * 16 + (400).bit_length()
