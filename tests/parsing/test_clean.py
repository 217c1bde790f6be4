"""Raw bytes to text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.parsing.clean import clean, may_be_redrawn, redraws


@pytest.mark.parametrize(
    ("what", "raw", "text"),
    [
        ("plain", b"hello", "hello"),
        ("colours", b"\x1b[31mred\x1b[0m", "red"),
        ("several codes at once", b"\x1b[2m\x1b[36m(pid=1)\x1b[0m hi", "(pid=1) hi"),
        ("two numbers in the reset", b"\x1b[1;36mhi\x1b[0;0m", "hi"),
        ("cursor movement", b"\x1b[2K\x1b[1Ghi\x1b[?25l", "hi"),
        ("a title", b"\x1b]0;title\x07hi", "hi"),
        ("a link", b"\x1b]8;;http://x\x1b\\hi\x1b]8;;\x1b\\", "hi"),
        ("syslog's spelling", b"#033[36mhi#033[0m", "hi"),
        ("a terminal's echo", b"^[[36mhi^[[0m", "hi"),
        ("pasted", "\u2190[36mhi\u2190[0m".encode(), "hi"),
        ("a code that lost its escape", b"[36mhi[0m", "hi"),
        ("NUL bytes", b"h\0i\0", "hi"),
        ("broken UTF-8", b"h\xffi", "h\ufffdi"),
        ("Chinese", "数据".encode(), "数据"),
        (
            "Chinese as Windows writes it",
            "错误：拒绝访问。 [WinError 5]".encode("gbk"),
            "错误：拒绝访问。 [WinError 5]",
        ),
        ("Chinese cut within characters", "数据集".encode()[1:-1], "\ufffd\ufffd据\ufffd"),
        ("Latin-1", "café naïve".encode("latin-1"), "caf\ufffd na\ufffdve"),
        ("a tab stays", b"a\tb", "a\tb"),
        ("CRLF", b"hi\r", "hi"),
        ("brackets stay", b"[rank0] x[1] [32]", "[rank0] x[1] [32]"),
    ],
)
def test_clean(what, raw, text):
    assert clean(raw) == text


def test_redraws_are_split_at_carriage_returns_of_both_kinds():
    assert list(redraws(b"1%\r2%^M3%")) == [(0, b"1%"), (3, b"2%"), (7, b"3%")]


@pytest.mark.parametrize(
    "end",
    [
        b"slurmstepd-gpu-04: error: *** JOB 4711 ON gpu-04 CANCELLED",
        b"srun: error: gpu-04: task 1: Killed",
        b"[default2]:[E ProcessGroupNCCL.cpp:474] [Rank 2] Watchdog caught collective operation timeout",
        b"ERROR:root:no such shard",
        b"2025-03-01 10:00:00,123 - acme - ERROR - no such shard",
    ],
)
@pytest.mark.parametrize("rate", [b"1.00it/s", b"4866.01 examples/s", b"9.81s/it"])
def test_what_others_write_behind_an_open_bar_is_a_line_of_its_own(end, rate):
    bar = b"5%|#| 1/20 [00:01<00:19, " + rate + b"]"
    assert may_be_redrawn(bar + end)
    assert list(redraws(bar + end)) == [(0, bar), (len(bar), end)]


@pytest.mark.parametrize(
    "line",
    [
        b"rows[3]slurmstepd_log",
        b"[worker] main: error: no such shard",
        b"a[1]: error: b",
        b"[gpu-4][rank3]: lost",
        b"read at [2.1 GB/s][cached]: 3 files",
        b"read at [2.1 GB/s]2 of 3 files, no ERROR",
    ],
)
def test_other_brackets_cut_no_line(line):
    assert list(redraws(line)) == [(0, line)]


@given(st.binary(max_size=200))
def test_what_may_not_be_redrawn_is_one_stretch(raw):
    assert may_be_redrawn(raw) or list(redraws(raw)) == ([(0, raw)] if raw else [])


@given(st.binary(max_size=200))
def test_nothing_that_moves_a_terminal_is_left(raw):
    assert not [char for char in clean(raw) if (ord(char) < 32 and char != "\t") or 127 <= ord(char) < 160]


@given(st.binary(max_size=200))
def test_redraws_lose_nothing_but_the_returns(raw):
    for start, part in redraws(raw):
        assert raw[start : start + len(part)] == part
        assert b"\r" not in part
