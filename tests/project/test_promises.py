"""What must always hold, whatever the log says and however it arrives."""

import gc
import io
import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.engine.extraction import SamplingPlan, Scanners
from logrules.engine.run import prepared, replay
from logrules.inference.run_state import RunState
from logrules.inference.session import Session
from logrules.model.report import Report
from logrules.model.stream import Block, End
from logrules.output.report_json import render_json
from logrules.output.text import render_text
from logrules.parsing.clean import clean, may_be_redrawn, redraws
from logrules.parsing.hit_lines import hit_lines
from logrules.parsing.log_ends import RawLine
from logrules.parsing.reader import Reader
from logrules.parsing.scan import EVERYTHING, Scanner
from logrules.parsing.window import WINDOW_BYTES, Window, windows
from logrules.ruleset.pack import Pack
from logrules.ruletest.harness import events_of, judged
from tests.conftest import COSTLY

# Lines that move every part of the engine: markers, progress, errors, tracebacks, workers, times, redraws.
TELLING = [
    b"[2025-03-01 10:00:00,250] [INFO] [comm.py:652:init_distributed] cdb=None",
    b"INFO:root:Initializing process group",
    b"(TaskRunner pid=40100) Generating train split: 0 examples [00:00, ? examples/s]",
    b"(WorkerDict pid=7, ip=10.0.0.3) Traceback (most recent call last):",
    b'(WorkerDict pid=7, ip=10.0.0.3)   File "/app/x.py", line 3, in step',
    b"(WorkerDict pid=7, ip=10.0.0.3) ValueError: bad",
    b"[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
    b"[rank1]:[E419 10:42:28.858931807 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation "
    b"timeout: WorkNCCL(SeqNum=4486, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600010 "
    b"milliseconds before timing out.",
    b"{'loss': 0.5, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.1}",
    b"{'loss': nan, 'grad_norm': nan, 'learning_rate': 1e-05, 'epoch': 0.2}",
    b"  3%|#  | 3/100 [00:01<00:30]\r  4%|#  | 4/100 [00:02<00:30]\r  5%|## | 5/100",
    b"RuntimeError: NCCL error: unhandled system error\r",
    "数据加载 \x1b[31mOSError: [Errno 28] No space left on device\x1b[0m".encode(),
    b"",
]
lines = st.lists(
    st.one_of(st.sampled_from(TELLING), st.binary(max_size=40).filter(lambda b: b"\n" not in b)), max_size=25
)


class Cut:
    """A saved source that hands out its bytes in the given pieces."""

    name = "log"

    def __init__(self, data: bytes, cuts: Sequence[int] = ()) -> None:
        edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
        self._items = iter([Block("log", a, data[a:b]) for a, b in pairwise(edges)])

    def read(self, until: float | None) -> Block | End:
        return next(self._items, End())


@pytest.fixture(scope="module")
def scanners(shipped: Pack) -> Scanners:
    """Compiled once: it takes a second, and examples are many."""
    return Scanners(shipped)


@pytest.fixture(scope="module")
def literals(shipped: Pack) -> Scanner:
    return Scanner(shipped.signals)


def document(report: Report) -> str:
    out = io.StringIO()
    render_json(report, out)
    return out.getvalue()


@COSTLY
@given(lines=lines, cuts=st.lists(st.integers(0, 10_000), max_size=8), newline=st.booleans())
def test_cutting_the_bytes_anywhere_gives_the_same_report(shipped: Pack, lines, cuts, newline):
    data = b"\n".join(lines) + (b"\n" if newline else b"")
    whole = document(replay([Cut(data)], shipped, threads=1))
    assert document(replay([Cut(data, cuts)], shipped, threads=3)) == whole


@COSTLY
@given(data=st.binary(max_size=400), size=st.integers(1, 50), cuts=st.lists(st.integers(0, 400), max_size=6))
def test_windows_do_not_depend_on_the_cut(data, size, cuts):
    def cut(at):
        source = Cut(data, at)
        return [window.data for window in windows(iter(lambda: source.read(None), End()), size)]

    assert cut(cuts) == cut([])
    assert b"".join(cut(cuts)) == data


@COSTLY
@given(
    data=st.lists(st.sampled_from([b"x", b"yy", b"\n"]), max_size=200).map(b"".join),
    size=st.integers(1, 30),
    more=st.integers(0, 30),
    cuts=st.lists(st.integers(0, 400), max_size=6),
)
def test_no_line_makes_a_window_longer_than_its_stretch_and_the_longest_line(data, size, more, cuts):
    def cut(at):
        source = Cut(data, at)
        return list(windows(iter(lambda: source.read(None), End()), size, size + more))

    found = cut(cuts)
    assert found == cut([])
    assert b"".join(window.data for window in found) == data
    assert all(len(window.data) <= 2 * size + more for window in found)
    assert all(one.index < other.index for one, other in pairwise(found))
    for window in found[:-1]:
        assert window.data.endswith(b"\n") or len(window.data.rpartition(b"\n")[2]) == size + more


@COSTLY
@given(lines=lines)
def test_the_scanner_never_misses_a_line_that_a_rule_would_accept(shipped: Pack, literals: Scanner, lines):
    data = b"\n".join(lines)
    found = {line.number for line in hit_lines(Window("log", 0, 0, data), literals.scan(data)).lines}
    texts = {literal.encode() for signal in shipped.signals for literal in signal.literals}
    wanted = {number for number, line in enumerate(data.split(b"\n")) if any(text in line for text in texts)}
    assert found == wanted


@COSTLY
@given(raw=st.binary(max_size=300))
def test_reading_any_bytes_never_raises(shipped: Pack, scanners: Scanners, raw):
    reader = Reader(shipped, scanners.signals_of)
    event = reader.unasked("log", RawLine(1, 0, raw))
    states = [state for _, state in redraws(raw)] if may_be_redrawn(raw) else [raw]
    assert event.text in {clean(state) for state in (*states, b"")}
    assert event.repeat >= 1


OF_A = [
    b"[rank0]: INFO:root:Initializing process group",
    b"[rank0]: Loading checkpoint from /ckpt/a",
    b"[rank0]: Saving checkpoint to /ckpt/b",
]
OF_B = [line.replace(b"rank0", b"rank1") for line in OF_A]


@COSTLY
@given(data=st.data(), a=st.lists(st.sampled_from(OF_A), max_size=6), b=st.lists(st.sampled_from(OF_B), max_size=6))
def test_interleaving_two_workers_leaves_the_phases_of_each_unchanged(shipped: Pack, data, a, b):
    order = data.draw(st.permutations([0] * len(a) + [1] * len(b)))
    queues = [iter(a), iter(b)]
    mixed = [next(queues[which]) for which in order]

    def phases(log, rank):
        report = replay([Cut(b"\n".join(log))], shipped, threads=1)
        return [span.phase for span in report.timeline if span.worker == f"rank {rank}"]

    assert phases(mixed, 0) == phases(a, 0)
    assert phases(mixed, 1) == phases(b, 1)


@COSTLY
@given(lines=lines)
def test_no_control_byte_of_a_log_reaches_the_terminal(shipped: Pack, lines):
    report = replay([Cut(b"\n".join(lines))], shipped, threads=1)
    out = io.StringIO()
    render_text(report, out, "en", "bash", all_diagnoses=True)
    render_json(report, out)
    assert not {char for char in out.getvalue() if (ord(char) < 32 and char not in "\n\t") or 127 <= ord(char) < 160}


@COSTLY
@given(lines=lines)
def test_reporting_changes_nothing(shipped: Pack, scanners: Scanners, lines):
    session = Session(shipped)
    reader = Reader(shipped, scanners.signals_of)
    for event in reader.events(scanners.find(Window("log", 0, 0, b"\n".join(lines))), 1):
        session.feed(event)
        assert session.report() == session.report()
    session.feed(End())
    assert session.report() == session.report()


# Head, two windows of the middle, and tail: each tells a little, between words that no rule knows.
QUIET = b"a line of which nothing is known\n"
MANY_WINDOWS = (b"\n".join(TELLING * 20) + b"\n" + QUIET * (WINDOW_BYTES // len(QUIET))) * 4


@pytest.fixture(scope="module")
def read_whole(shipped: Pack) -> str:
    return document(replay([Cut(MANY_WINDOWS)], shipped, threads=1))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_log_of_many_windows_gives_the_same_report_on_any_number_of_threads(
    shipped: Pack, read_whole: str, threads: int
):
    assert document(replay([Cut(MANY_WINDOWS, [10**6, 3 * 10**6 + 7])], shipped, threads=threads)) == read_whole


def test_what_the_scanner_leaves_out_between_head_and_tail_changes_no_diagnosis(
    shipped: Pack, read_whole: str, monkeypatch
):
    """Which of several equal lines is shown may differ: routine between head and tail is looked for in samples."""
    monkeypatch.setattr(SamplingPlan, "detail", lambda _plan, _window: EVERYTHING)
    found = json.loads(document(replay([Cut(MANY_WINDOWS)], shipped, threads=1)))
    known = json.loads(read_whole)
    assert found["diagnoses"]
    assert (found["status"], found["phase"]) == (known["status"], known["phase"])
    assert [(one["rule"], one["ranks"]) for one in found["diagnoses"]] == [
        (one["rule"], one["ranks"]) for one in known["diagnoses"]
    ]


def test_of_a_log_of_many_runs_only_the_last_two_are_kept_in_memory(shipped: Pack):
    """Without waiting for the garbage collector, which looks seldom."""
    steps = "".join(f"{{'loss': 0.{n}, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.{n}}}\n" for n in range(9))
    on = prepared(shipped)
    gc.collect()
    gc.disable()
    try:
        before = _runs_in_memory()
        session = judged(on, events_of(on, f"Distributed environment: NO\n{steps}RuntimeError: no\n" * 8), None)
        assert len(session.report(0, ()).earlier_runs) > 4
        assert _runs_in_memory() - before <= 2
    finally:
        gc.enable()


def _runs_in_memory() -> int:
    return sum(isinstance(one, RunState) for one in gc.get_objects())
