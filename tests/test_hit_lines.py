"""Hit lines of a window full of them: thinned before anything is made of them, and never read in vain."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules import load_rules
from logrules.engine.extraction import Scanners
from logrules.engine.run import prepared
from logrules.parsing.hit_lines import MAX_LINE_BYTES, Found, hit_lines
from logrules.parsing.reader import FLOOD_LINES
from logrules.parsing.window import Window
from logrules.ruletest.harness import run_log

PACK = prepared(load_rules(), cache=True)

# Letters of a line stand for entries of the scanner.
LINES = st.lists(st.text("ab.", max_size=3), max_size=60)


def found(lines: list[str], share: int | None) -> Found:
    data = "".join(f"{line}\n" for line in lines).encode()
    hits = [(at + 1, byte - ord("a")) for at, byte in enumerate(data) if byte in b"ab"]
    return hit_lines(Window("log", 0, 0, data), hits, share=None if share is None else lambda _: share)


@given(lines=LINES, share=st.integers(1, 5))
def test_of_each_kind_the_first_and_the_last_are_kept(lines, share):
    whole, thinned = found(lines, None), found(lines, share)
    wanted = set()
    kinds = [tuple(dict.fromkeys(entry for _, entry in line.hits)) for line in whole.lines]
    for kind in set(kinds):
        alike = [line.number for line, its in zip(whole.lines, kinds, strict=True) if its == kind]
        wanted.update(alike[:share] + alike[-share:])
    assert [line for line in whole.lines if line.number in wanted] == list(thinned.lines)
    assert (thinned.line_count, thinned.hits) == (whole.line_count, whole.hits)
    assert all(one.number < other.number for one, other in pairwise(thinned.lines))


def test_hits_are_counted_however_few_lines_are_kept():
    assert found(["aab"] * 100, 2).hits == {0: 200, 1: 100}


@pytest.fixture(scope="module")
def scanners(shipped):
    return Scanners(shipped)


def test_a_window_of_nothing_but_errors_holds_only_those_that_are_read(scanners):
    line = b"RuntimeError: CUDA out of memory\n"
    window = Window("log", 0, 0, line * 5_000)
    assert len(scanners.find(window).lines) == 2 * FLOOD_LINES


def test_an_exception_that_stands_alone_needs_no_neighbours_and_one_below_a_frame_does(scanners):
    alone = scanners.find(Window("log", 0, 0, b"RuntimeError: CUDA out of memory\n")).lines[0]
    framed = scanners.find(Window("log", 0, 0, b'  File "/a/b.py", line 3, in f\n    x()\nRuntimeError: no\n')).lines[
        -1
    ]
    assert scanners.of_traces.isdisjoint(entry for _, entry in alone.hits)
    assert not scanners.of_traces.isdisjoint(entry for _, entry in framed.hits)


@given(places=st.lists(st.integers(0, 200_000), min_size=1, unique=True).map(sorted))
def test_each_hit_of_a_very_long_line_lies_in_a_stretch_that_is_read(places):
    data = bytearray(b"." * 200_001)
    for at in places:
        data[at] = ord("a")
    found = hit_lines(Window("log", 0, 0, bytes(data)), [(at + 1, 0) for at in places])
    assert [line.offset + at for line in found.lines for at, _ in line.hits] == places
    assert all(
        len(line.raw) <= MAX_LINE_BYTES and line.raw[at] == ord("a") for line in found.lines for at, _ in line.hits
    )
    assert {(line.number, line.start, line.end) for line in found.lines} == {(0, 0, len(data))}


@pytest.mark.parametrize("before", [33_000, 66_000, 990_000])
def test_what_stands_far_into_a_line_is_found(before):
    # As the message of a JSON record, whose newlines are spelt, and as text.
    for line in (
        "x" * before + " RuntimeError: {}\n",
        '{{"level": "error", "message": "step 7 ' + "x" * before + '\\n{}"}}\n',
    ):
        report = run_log(PACK, line.format("CUDA out of memory. Tried to allocate 2.00 GiB"))
        assert [one.cause for one in report.diagnoses] == ["cuda-oom"]
