"""A line that was read before is known again; nothing but the latest lines is kept."""

from logrules.engine.run import prepared
from logrules.parsing.header import Header
from logrules.parsing.known_lines import KEPT_LINES, MAX_KEPT_BYTES, KnownLines, LineReading
from logrules.ruletest.harness import events_of

READING = LineReading("text", Header("text"), ())


def test_the_latest_lines_are_known_and_no_more_than_twice_as_many():
    known = KnownLines()
    for number in range(5 * KEPT_LINES):
        known.keep(b"%d" % number, (1,), READING)
    kept = [number for number in range(5 * KEPT_LINES) if known.get(b"%d" % number, (1,)) is not None]
    assert kept[-KEPT_LINES:] == list(range(4 * KEPT_LINES, 5 * KEPT_LINES))
    assert len(kept) <= 2 * KEPT_LINES


def test_what_is_asked_for_stays():
    known = KnownLines()
    known.keep(b"often", (1,), READING)
    for number in range(5 * KEPT_LINES):
        known.keep(b"%d" % number, (1,), READING)
        assert number % 1_000 or known.get(b"often", (1,)) is READING


def test_a_line_is_another_one_where_other_literals_were_found_in_it():
    known = KnownLines()
    known.keep(b"line", (1,), READING)
    assert known.get(b"line", (1, 2)) is None


def test_long_lines_are_not_kept():
    known = KnownLines()
    known.keep(b"x" * (MAX_KEPT_BYTES + 1), (1,), READING)
    assert known.get(b"x" * (MAX_KEPT_BYTES + 1), (1,)) is None


def test_a_line_read_again_says_the_same_at_its_own_place(shipped):
    line = "(Worker pid=71) 2024-05-01 10:00:00,120 ERROR [rank3]: torch.OutOfMemoryError: CUDA out of memory.\n"
    first, second = events_of(prepared(shipped), 2 * line)[:2]
    assert (first.line, second.line, second.offset) == (1, 2, len(line))
    assert (first.text, first.worker, first.stamp, first.hits) == (
        second.text,
        second.worker,
        second.stamp,
        second.hits,
    )
