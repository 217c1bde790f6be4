"""The report on a terminal, in a pipe, narrow, in Chinese, and full of hostile text.

Golden pages are in tests/golden; LOGRULES_BLESS=1 writes them anew, and the diff shows what changed.
"""

import io
import os
from pathlib import Path

import pytest
from rich.console import Console

from logrules.model.report import (
    Consequence,
    Diagnosis,
    Evidence,
    Fix,
    PhaseSpan,
    Report,
    Restart,
    Risk,
    Run,
    Severity,
    SourceNote,
    Status,
    Text,
)
from logrules.output.escape import safe
from logrules.output.report_json import report_document
from logrules.output.shell import commands
from logrules.output.styled import TerminalPage
from logrules.output.text import ReportPage, render_text

GOLDEN = Path(__file__).parent / "golden"

OOM_LINE = Evidence(
    "rank3.log",
    1042,
    "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
    "rank 3",
    1_745_059_348.9,
    {"tried": "2.00 GiB"},
    ("step 11 loss 0.52", "step 12 loss 0.51"),
    ("[rank3]: during the forward pass",),
)
OOM = Diagnosis(
    "cuda/out-of-memory",
    "cuda-oom",
    "train_step",
    Severity.ERROR,
    0.91,
    Text("The GPU ran out of memory", "GPU 显存不足"),
    Text("An allocation of 2.00 GiB failed.", "分配 2.00 GiB 显存失败。"),
    Restart.AFTER_FIX,
    (3, 0, 1, 2),
    ("10.0.0.3",),
    (OOM_LINE,),
    (
        Fix(Text("See who holds the memory", "查看显存占用"), run="nvidia-smi", risk=Risk.LOOK),
        Fix(
            Text("Let the allocator grow its segments", "允许分段扩展"),
            env={"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"},
        ),
        Fix(Text("Train with less", "减小批大小"), flags=("--micro_train_batch_size 1",), risk=Risk.CHANGES_RUN),
        Fix(
            Text("Kill what is left over", "清理残留进程"),
            run="pkill -f train.py",
            powershell="Stop-Process -Name python",
            note=Text("ends every run of this user", "会结束该用户的所有训练"),
            risk=Risk.DESTRUCTIVE,
        ),
    ),
    (Consequence("torch/watchdog", "nccl-timeout", Text("A collective timed out", "集合通信超时"), (OOM_LINE,)),),
    ("https://docs.pytorch.org/docs/stable/notes/cuda.html",),
)
FAILED = Report(
    Status.FAILED,
    "train_step",
    (OOM,),
    (
        PhaseSpan("rank 3", "model_load", None, None, 10, 400, "rank3.log"),
        PhaseSpan("rank 3", "train_step", None, None, 400, 1042, "rank3.log"),
    ),
    (Run(Status.COMPLETED, "rank3.log", 1, 9),),
    (),
    (SourceNote("rank4.log.gz", "the archive ends early"),),
    ("rank0.log", "rank3.log"),
    20_480,
)
QUIET = Report(
    Status.HEALTHY, "launch", unusual=(Evidence("a.log", 7, "odd: something", "main"),), sources=("a.log",), lines=9
)


def page(report: Report, language: str = "en", shell: str = "bash", width: int | None = None) -> str:
    out = io.StringIO()
    if width is None:
        render_text(report, out, language, shell)
        return out.getvalue()
    console = Console(file=out, width=width, force_terminal=True, no_color=True, highlight=False, markup=False)
    made = ReportPage(TerminalPage(console), language, shell)
    made.verdict(report)
    for number, one in enumerate(report.diagnoses, start=1):
        made.diagnosis(number, one)
    made.rest(report, len(report.diagnoses))
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("failed", lambda: page(FAILED)),
        ("failed-zh", lambda: page(FAILED, "zh")),
        ("failed-powershell", lambda: page(FAILED, "en", "powershell")),
        ("failed-narrow", lambda: page(FAILED, width=50)),
        ("healthy", lambda: page(QUIET)),
    ],
)
def test_golden_page(name, made):
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("LOGRULES_BLESS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(made(), encoding="utf-8")
    assert made() == path.read_text(encoding="utf-8")


def test_the_verdict_stands_in_the_first_line():
    first = page(FAILED).splitlines()[0]
    assert first == "FAILED  in phase train_step  The GPU ran out of memory · rank 3 (+ 0-2) · host 10.0.0.3"


def test_a_pipe_gets_whole_lines_and_no_escape_codes():
    text = page(FAILED)
    assert "\x1b" not in text
    assert OOM_LINE.text in text


def test_a_command_is_never_broken_however_narrow_the_terminal():
    text = page(FAILED, width=30)
    assert "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True" in text.replace("\x1b[1m", "").replace(
        "\x1b[0m", ""
    )


def test_colour_is_off_where_the_user_says_so(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = page(FAILED)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" in coloured
    assert "\x1b[1;31m" not in page(FAILED)


def test_nothing_destructive_is_unmarked():
    line = next(line for line in page(FAILED).splitlines() if "Kill what is left over" in line)
    assert "⚠" in line
    assert "DESTRUCTIVE" in line


HOSTILE = "\x1b]0;owned\x07\x1b[2J\r\x00\x9b31m\u202etxt.exe\u2028 [bold]x[/bold] <script>"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_hostile_text_is_spelled_out_wherever_it_stands(language):
    line = Evidence(HOSTILE, 1, HOSTILE, HOSTILE, None, {"a": HOSTILE}, (HOSTILE,), (HOSTILE,))
    one = Diagnosis(
        "a/b", "cuda-oom", "eval", Severity.ERROR, 0.5, Text(HOSTILE, HOSTILE), Text(HOSTILE, HOSTILE), Restart.NO,
        hosts=(HOSTILE,), evidence=(line,), fixes=(Fix(Text(HOSTILE, HOSTILE), run=HOSTILE, flags=(HOSTILE,)),),
    )  # fmt: skip
    report = Report(
        Status.FAILED, "eval", (one,), unusual=(line,), notes=(SourceNote(HOSTILE, HOSTILE),), sources=(HOSTILE,)
    )
    text = page(report, language)
    assert not {char for char in text if (ord(char) < 32 and char != "\n") or 127 <= ord(char) < 160}
    assert "\u202e" not in text
    assert "[bold]x[/bold]" in text
    assert "\u202e" not in str(report_document(report, language)["diagnoses"][0]["evidence"])


@pytest.mark.parametrize(
    ("raw", "shown"), [("a\tb", "a\tb"), ("\x1b[31m", "\\x1b[31m"), ("\u2066x", "\\u2066x"), ("数据 🚀", "数据 🚀")]
)
def test_safe(raw, shown):
    assert safe(raw) == shown


@pytest.mark.parametrize(
    ("shell", "lines"),
    [
        ("bash", ["export A=1", "export B='x y'", "ls -l"]),
        ("powershell", ['$env:A = "1"', '$env:B = "x y"', "Get-ChildItem"]),
    ],
)
def test_commands_speak_the_shell(shell, lines):
    fix = Fix(Text("x", "x"), run="ls -l", powershell="Get-ChildItem", env={"A": "1", "B": "x y"})
    assert list(commands(fix, shell)) == lines
