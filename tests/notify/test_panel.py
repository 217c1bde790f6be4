"""The panel: its lines, and a real terminal on which the log stays as it is above it."""

import io
import os
import re
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from logrules.model.change import QuietNoticed, Raised, Update, Withdrawn
from logrules.model.report import Diagnosis, Evidence, Fix, Report, Restart, Severity, Status, Text
from logrules.model.timeline import WorkerNow
from logrules.notify.event_lines import IncidentHistory, Lines
from logrules.notify.evidence_pager import evidence_file, lines_around, pager_command
from logrules.notify.notifications import NotificationPolicy
from logrules.notify.panel import Panel
from logrules.notify.panel_view import PanelView, folded, panel_lines
from logrules.output.step_layout import in_one_line
from logrules.sources.relay import Turn

REPORT = Report(
    Status.STALLED,
    "rollout",
    (
        Diagnosis(
            "vllm/x", "generation-stall", "rollout", Severity.WARNING, 0.83, Text("Generation hangs", "生成卡住"),
            Text("x", "x"), Restart.AFTER_FIX, (3,), (), (Evidence("a.log", 7, "evil \x1b[2J line", "rank 3"),),
            (Fix(Text("Look at the stack", "查看堆栈"), run="py-spy dump --pid 1"),),
        ),
    ),
)  # fmt: skip
UPDATE = Update(100.0, (), 1234, 0, 0, ended=False)


def worker(name: str, quiet: float = 1.0, step: str = "step 5 loss 0.3", phase: str = "train_step") -> WorkerNow:
    return WorkerNow(name, phase, step, 2.0, quiet, 120.0)


def plain(lines: list[str]) -> list[str]:
    return [re.sub(r"\x1b\[[\d;]*m", "", line) for line in lines]


def test_what_the_panel_says():
    workers = [worker(f"rank {rank}", step=f"step {rank} loss 0.{rank}") for rank in range(8)]
    lines = plain(
        panel_lines(UPDATE, REPORT, [*workers, worker("rank 9", 70.0, "", "rollout")], (100, 8), PanelView(keys=True))
    )
    assert lines == [
        "── logrules STALLED in phase rollout · 1,234 lines ──",
        "  rank 9: rollout · 2s a step · quiet 1m 10s of 2m",
        "  rank 0-7: train_step · step 0 loss 0.0 · 2s a step · quiet 1s of 2m",
        "  ! Generation hangs · rank 3 · likely (not measured)",
        "    a.log:7: evil \\x1b[2J line",
        "    → Look at the stack: py-spy dump --pid 1",
        "  q quit · d dump the report · h history · f one worker · e evidence",
    ]


def test_a_step_that_ends_in_a_full_stop_is_one_sentence_with_its_command():
    step = Fix(Text("Look at the stack.", "查看堆栈。"), run="py-spy dump --pid 1")
    assert in_one_line(step, "en") == "Look at the stack: py-spy dump --pid 1"
    assert in_one_line(step, "zh") == "查看堆栈: py-spy dump --pid 1"
    assert in_one_line(replace(step, run=None), "en") == "Look at the stack."


def test_the_name_of_the_job_stands_first():
    view = PanelView(job="llama \x1b[2J")
    first = plain(panel_lines(UPDATE, REPORT, [], (100, 8), view))[0]
    assert first.startswith("── logrules llama \\x1b[2J STALLED in phase rollout")


def test_one_worker_alone():
    workers = [worker(f"rank {rank}", phase=f"p{rank}") for rank in range(3)]
    lines = plain(panel_lines(UPDATE, REPORT, workers, (100, 8), PanelView(only="rank 1")))
    assert [line for line in lines if "rank" in line and ": p" in line] == [
        "  rank 1: p1 · step 5 loss 0.3 · 2s a step · quiet 1s of 2m"
    ]


def test_the_history_of_incidents_comes_in_place_of_the_workers():
    history = IncidentHistory(NotificationPolicy(), "en")
    changes = (QuietNoticed(1.0, 60.0, 4.0),), (Raised("vllm/x", 2.0, 65.0),), (Withdrawn("vllm/x", 3.0),)
    for now, told in enumerate(changes):
        history.on_update(Update(float(now), told, 1, 1, 0, ended=False), lambda: REPORT)
    assert [line[9:] for line in history.lines()] == [
        "1. over: vllm/x", "1. stalled: Generation hangs · 1m 5s", "quiet for 1m",
    ]  # fmt: skip
    shown = plain(
        panel_lines(UPDATE, REPORT, [worker("rank 0")], (100, 4), PanelView(keys=True, history=history.lines()))
    )
    assert [line.strip()[9:] for line in shown[1:3]] == ["1. over: vllm/x", "1. stalled: Generation hangs · 1m 5s"]
    assert shown[3].startswith("  q quit")
    empty = plain(panel_lines(UPDATE, REPORT, [], (100, 4), PanelView(history=())))
    assert empty[1] == "  nothing was told so far"


def test_keys_choose_workers_in_turn_and_the_history():
    workers = (worker("rank 0"), worker("rank 1"))
    panel = Panel(1, Turn(), lambda: workers, PanelView())
    seen = []
    for _ in range(3):
        panel.next_worker()
        seen.append(panel.view.only)
    assert seen == ["rank 0", "rank 1", None]
    panel.toggle_history()
    assert panel.view.history == ()
    panel.next_worker()
    assert panel.view.history is None


def test_the_evidence_in_a_pager(tmp_path):
    log = tmp_path / "-odd name.log"
    log.write_text("".join(f"line {n} \x1b[2J\n" for n in range(1, 41)))
    first = replace(REPORT.diagnoses[0], evidence=(Evidence("output", 1, "x", "w"), Evidence(str(log), 20, "y", "w")))
    places = {str(log): log, "a.log": tmp_path / "gone"}
    assert evidence_file(replace(REPORT, diagnoses=(first,)), places.get) == (log, 20)
    assert evidence_file(REPORT, places.get) is None
    assert pager_command(log, 20, {}) == ["less", "+20", "--", str(log)]
    assert pager_command(log, 20, {"PAGER": "cat -n"}) == ["cat", "-n", "--", str(log)]
    around = list(lines_around(log, 20))
    assert len(around) == 11
    assert around[5] == r">     20 line 20 \x1b[2J"


@pytest.mark.parametrize(("columns", "rows"), [(20, 3), (40, 8), (200, 5)])
def test_it_keeps_to_its_room(columns, rows):
    workers = [worker(f"rank {rank}", phase=f"p{rank}") for rank in range(40)]
    lines = plain(panel_lines(UPDATE, REPORT, workers, (columns, rows), PanelView("zh")))
    assert len(lines) <= rows
    assert all(len(line) < columns for line in lines)


@pytest.mark.parametrize(
    ("names", "label"),
    [
        (["rank 0"], "rank 0"),
        (["rank 0", "rank 1", "rank 2"], "rank 0-2"),
        (["rank 0", "rank 2"], "rank 0…2 (2)"),
        (["Actor pid=7", "rank 1"], "Actor pid=7 (+ 1)"),
    ],
)
def test_workers_at_the_same_place_are_one_line(names, label):
    assert [shown for shown, _ in folded([worker(name) for name in names])] == [label]


pexpect = pytest.importorskip("pexpect") if os.name == "posix" else None
pyte = pytest.importorskip("pyte")
ROOT = Path(__file__).resolve().parents[2]


class Terminal:
    """logrules in a real pseudo-terminal, and the screen that a person would see."""

    def __init__(self, *arguments: str, rows: int = 24, columns: int = 90) -> None:
        env = {**os.environ, "TERM": "xterm", "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}
        words = ["-m", "logrules", "watch", "--lang", "en", *arguments]
        self.screen = pyte.HistoryScreen(columns, rows, history=10_000)
        self._stream = pyte.ByteStream(self.screen)
        self.child = pexpect.spawn(sys.executable, words, env=env, dimensions=(rows, columns), timeout=30)

    def shows(self, *texts: str, seconds: float = 30.0) -> bool:
        """Read until the screen has all of these."""
        limit = time.monotonic() + seconds
        while not all(text in "\n".join(self.screen.display) for text in texts):
            if time.monotonic() > limit:
                raise AssertionError("\n".join(self.screen.display))
            self.read()
        return True

    def read(self) -> None:
        try:
            self._stream.feed(self.child.read_nonblocking(65_536, timeout=0.1))
        except pexpect.TIMEOUT:
            return
        except pexpect.EOF:
            time.sleep(0.01)

    def ends(self) -> int:
        """Read to the end; the exit status."""
        while self.child.isalive():
            self.read()
        for _ in range(5):
            self.read()
        self.child.close()
        return self.child.exitstatus

    def seen(self) -> list[str]:
        """All lines that scrolled by, and those on the screen."""
        width = self.screen.columns
        above = ["".join(line[at].data for at in range(width)).rstrip() for line in self.screen.history.top]
        return [*above, *(line.rstrip() for line in self.screen.display)]


def test_the_panel_stands_under_a_growing_file_and_q_ends_it(tmp_path):
    log = tmp_path / "train.log"
    log.write_text("".join(f"[rank0]: step {number} loss 0.5{number}\n" for number in range(12)))
    terminal = Terminal(str(log))
    assert terminal.shows("── logrules", "train_step", "q quit")
    with log.open("a") as stream:
        stream.write("[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
    assert terminal.shows("FAILED", "! ")
    terminal.child.send("d")
    assert terminal.shows("[changes the run]", "rule cuda/out-of-memory")
    terminal.child.send("q")
    assert terminal.ends() == 1


def test_in_a_terminal_history_one_worker_and_the_evidence_are_a_key_away(tmp_path, monkeypatch):
    monkeypatch.setenv("PAGER", f"{sys.executable} -c 'import sys; print(chr(61) * 3, sys.argv[-1]); input()'")
    log = tmp_path / "train.log"
    log.write_text("".join(f"[rank{rank}]: step {n} loss 0.5{n}\n" for n in range(12) for rank in range(2)))
    terminal = Terminal("--job-name", "llama", str(log))
    assert terminal.shows("── logrules llama", "rank 0-1", "q quit")
    terminal.child.send("h")
    assert terminal.shows("nothing was told so far")
    terminal.child.send("f")
    assert terminal.shows("rank 0: train_step")
    assert "rank 0-1" not in "\n".join(terminal.screen.display)
    terminal.child.send("f")
    assert terminal.shows("rank 1: train_step")
    with log.open("a") as stream:
        stream.write("[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
    assert terminal.shows("FAILED")
    terminal.child.send("h")
    assert terminal.shows("1. diagnosed: ")
    terminal.child.send("e")
    assert terminal.shows(f"=== {log}"[:60])
    terminal.child.send("\n")
    assert terminal.shows("── logrules llama", "q quit")
    terminal.child.send("q")
    assert terminal.ends() == 1


def test_the_lines_of_a_command_are_as_they_would_be_without_the_panel(tmp_path):
    script = "import sys, time\nfor n in range(200):\n print(f'line {n} of the log', flush=True)\n time.sleep(0.005)\n"
    terminal = Terminal("--panel", "under", "--", sys.executable, "-c", script)
    assert terminal.shows("── logrules")
    assert terminal.ends() == 0
    lines = [line for line in terminal.seen() if line.startswith("line ")]
    assert lines == [f"line {number} of the log" for number in range(200)]


def test_a_panel_instead_of_the_log(tmp_path):
    script = "import time\nprint('a line of the log', flush=True)\ntime.sleep(1.5)\n"
    terminal = Terminal("--panel", "only", "--", sys.executable, "-c", script)
    assert terminal.shows("── logrules")
    assert terminal.ends() == 0
    assert not any(line.startswith("a line of the log") for line in terminal.seen())


def test_no_panel_where_it_is_not_wanted(tmp_path):
    terminal = Terminal("--panel", "off", "--", sys.executable, "-c", "print('a line of the log')")
    assert terminal.ends() == 0
    assert any(line.startswith("a line of the log") for line in terminal.seen())
    assert not any("── logrules" in line for line in terminal.seen())


def test_a_log_that_nothing_explains_is_told_in_red_and_a_command_can_be_pasted():
    unknown = Report(Status.UNEXPLAINED, "train_step")
    (head, *_) = panel_lines(UPDATE, unknown, [], (100, 8), PanelView())
    assert "\x1b[1;31mNO DIAGNOSIS" in head
    step = Fix(Text("Look at the stack", "查看堆栈"), run="py-spy dump --pid <pid>")
    asked = replace(REPORT, diagnoses=(replace(REPORT.diagnoses[0], fixes=(step,)),))
    shown = plain(panel_lines(UPDATE, asked, [], (100, 8), PanelView()))
    assert "    → Look at the stack: py-spy dump --pid PID" in shown
    out = io.StringIO()
    Lines(out, "en").on_update(replace(UPDATE, changes=(Raised("vllm/x", 1.0, 60.0),)), lambda: asked)
    assert "→ Look at the stack: py-spy dump --pid PID" in out.getvalue()
