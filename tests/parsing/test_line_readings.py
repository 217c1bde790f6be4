"""A line that was read before is known again; nothing but the latest lines is kept."""

from logrules.engine.run import prepared
from logrules.parsing.reader import MAX_KEPT_BYTES
from logrules.ruletest.harness import events_of


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


def test_long_lines_are_not_kept(shipped):
    reader = prepared(shipped).reader
    short, long = (b"x" * size for size in (MAX_KEPT_BYTES, MAX_KEPT_BYTES + 1))
    assert reader._reading(short, ()) is reader._reading(short, ())
    assert reader._reading(long, ()) is not reader._reading(long, ())


def test_what_another_pack_reads_in_a_line_is_its_own(shipped):
    reader = prepared(shipped).reader
    assert reader.over(shipped)._reading(b"line", ()) is not reader._reading(b"line", ())
