"""The report on a terminal, in a pipe, narrow, in Chinese, and full of hostile text.

Golden pages are in tests/output/golden; LOGRULES_BLESS=1 writes them anew, and the diff shows what changed.
"""

import io
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from logrules.model.report import (
    Consequence,
    Diagnosis,
    Evidence,
    Fix,
    PhaseSource,
    Report,
    Restart,
    Risk,
    Run,
    Severity,
    SourceNote,
    Status,
    Text,
)
from logrules.model.timeline import PhaseSpan
from logrules.output.brief_text import BriefReport
from logrules.output.escape import safe
from logrules.output.numbers import certainty_in_words
from logrules.output.report_json import report_document
from logrules.output.shell import commands
from logrules.output.step_layout import fitted, forms_of
from logrules.output.styled import TerminalPage, columns_of, first_sentences, lines_taken, says_something
from logrules.output.text import render_text
from logrules.output.verdict import next_steps

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
    (
        Consequence(
            "torch/watchdog",
            "nccl-timeout",
            Text("A collective timed out", "集合通信超时"),
            (replace(OOM_LINE, line=1044),),
        ),
    ),
    ("https://docs.pytorch.org/docs/stable/notes/cuda.html",),
    phase_from=PhaseSource.MARKERS,
)
FAILED = Report(
    Status.FAILED,
    "train_step",
    (OOM,),
    (
        PhaseSpan("rank 3", None, None, 10, 400, "rank3.log", "model_load"),
        PhaseSpan("rank 3", None, None, 400, 1042, "rank3.log", "train_step"),
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
UNEXPLAINED = Report(
    Status.UNEXPLAINED,
    "launch",
    unusual=(
        Evidence("a.log", 7, "ERROR mesh has 3 of 4 parts", "main"),
        Evidence("a.log", 8, "CRITICAL aborting: mesh broken", "main"),
    ),
    sources=("a.log",),
    lines=9,
)
COMPLETED = Report(
    Status.COMPLETED, "eval", sources=("a.log",), lines=9, completed_by=Evidence("a.log", 9, "training done", "main")
)
RUNNING = Report(Status.RUNNING, "train_step", sources=("a.log",), lines=9)
_STEP, _LAST = Evidence("a.log", 8, "step 12 loss 0.51", "main"), Evidence("a.log", 9, "saving plots", "main")
# It is well: no second guess of the same lines is told, and of an error that was lived through one line.
STOPPED = replace(
    OOM,
    rule="detectors/stopped",
    cause="stopped-silently",
    severity=Severity.INFO,
    title=Text("The log ends in mid-run", "日志在训练途中结束"),
    evidence=(_STEP, _LAST),
)
GUESSED = replace(STOPPED, rule="alternatives/silent/worker-killed", cause="worker-killed", evidence=(_LAST,))
LIVED_THROUGH = replace(OOM, severity=Severity.INFO)
CALM = replace(RUNNING, diagnoses=(STOPPED, GUESSED, LIVED_THROUGH))


def page(report: Report, language: str = "en", shell: str = "bash", width: int | None = None) -> str:
    out = io.StringIO()
    if width is None:
        render_text(report, out, language, shell)
        return out.getvalue()
    console = Console(file=out, width=width, force_terminal=True, no_color=True, highlight=False, markup=False)
    BriefReport(TerminalPage(console), language, shell).write(report)
    return out.getvalue()


def full_page(report: Report, language: str = "en", shell: str = "bash") -> str:
    out = io.StringIO()
    render_text(report, out, language, shell, all_diagnoses=True)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("failed", lambda: page(FAILED)),
        ("failed-zh", lambda: page(FAILED, "zh")),
        ("failed-powershell", lambda: page(FAILED, "en", "powershell")),
        ("failed-narrow", lambda: page(FAILED, width=50)),
        ("failed-all", lambda: full_page(FAILED)),
        ("failed-all-zh", lambda: full_page(FAILED, "zh")),
        ("healthy", lambda: page(QUIET)),
        ("unexplained", lambda: page(UNEXPLAINED)),
        ("unexplained-zh", lambda: page(UNEXPLAINED, "zh")),
        ("completed", lambda: page(COMPLETED)),
        ("completed-zh", lambda: page(COMPLETED, "zh")),
        ("completed-odd-lines", lambda: page(replace(COMPLETED, completed_by=None, unusual=QUIET.unusual))),
        ("running", lambda: page(RUNNING)),
        ("running-calm", lambda: page(CALM)),
        ("running-calm-zh", lambda: page(CALM, "zh")),
        ("completed-lived-through", lambda: page(replace(COMPLETED, diagnoses=(LIVED_THROUGH,)))),
    ],
)
def test_golden_page(name, made):
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("LOGRULES_BLESS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(made(), encoding="utf-8")
    assert made() == path.read_text(encoding="utf-8")


LONG = "A reason that is told in a sentence of some length, and in another. " * 6
CROWDED = replace(
    OOM,
    why=Text(LONG, "一个很长的原因说明，" * 40),
    evidence=tuple(replace(OOM_LINE, line=number, text=f"{number}: {LONG}") for number in range(1, 9)),
    fixes=tuple(
        Fix(Text(LONG, "先做这一步，" * 20), run=f"grep -n {'x' * 90} a.log", env={"A": "1", "B": "2"})
        for _ in "123456"
    ),
)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("one", [OOM, CROWDED, replace(CROWDED, fixes=())])
def test_one_diagnosis_takes_one_screen(language, one):
    report = replace(FAILED, diagnoses=(one,), earlier_runs=(), notes=())
    text = page(report, language)
    assert sum(lines_taken(0, line, 100) for line in text.splitlines()) <= 20
    assert ("--all" in text) == (len(one.evidence) > 1 or len(one.fixes) > 3)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_diagnosis_takes_one_screen_whatever_stands_round_it(language):
    run = Run(Status.FAILED, "a.log", 1, 9, "cuda-oom")
    notes = tuple(SourceNote(f"{number}.log", "was cut", unread=True) for number in range(3))
    one = replace(CROWDED, title=Text("A title of some length that goes on " * 3, "一个很长的标题" * 9))
    report = replace(FAILED, diagnoses=(one,), earlier_runs=(run,), notes=notes)
    lines = page(report, language).splitlines()
    # Everything that must be told at once, and still the first step.
    assert sum(lines_taken(0, line, 100) for line in lines) <= 23
    assert any(line.lstrip().startswith("1. ") for line in lines)


def test_what_a_bar_repeats_leaves_room_for_what_it_hides():
    line = replace(OOM_LINE, text=f"Capturing:  8%|{'#' * 300}{' ' * 300}| 4/51Fatal Python error: Segmentation fault")
    assert "Segmentation fault" in page(replace(FAILED, diagnoses=(replace(OOM, evidence=(line,)),)))


def test_later_diagnoses_take_a_line_each():
    more = tuple(replace(OOM, rule=f"a/{number}", title=Text(f"Later {number}")) for number in range(1, 5))
    lines = page(replace(FAILED, diagnoses=(OOM, *more))).splitlines()
    assert sum("Later" in line for line in lines) == 2
    assert "Further diagnoses: 2 (--all)" in lines
    assert "Later 4" in full_page(replace(FAILED, diagnoses=(OOM, *more)))


def test_restart_advice_only_where_something_is_advised():
    told = replace(OOM, restart=Restart.NO)
    # That a restart comes after the fix goes without saying.
    for one in (OOM, replace(told, severity=Severity.INFO)):
        assert "Restart" not in page(replace(FAILED, diagnoses=(one,))) + full_page(replace(FAILED, diagnoses=(one,)))
    assert "\nRestart: no\n" in page(replace(FAILED, diagnoses=(told,)))


def test_what_stands_above_the_cause_is_called_no_consequence():
    (effect,) = OOM.consequences
    above = replace(effect, title=Text("A peer was lost"), evidence=(replace(OOM_LINE, line=7),))
    shown = page(replace(FAILED, diagnoses=(replace(OOM, consequences=(above,)),)))
    assert "\nAlso seen, above it: A peer was lost\n" in shown
    shown = page(replace(FAILED, diagnoses=(replace(OOM, consequences=(above, effect)),)))
    assert "\nConsequences of it: A collective timed out  +1 more (--all)\n" in shown
    whole = full_page(replace(FAILED, diagnoses=(replace(OOM, consequences=(above, effect)),)))
    assert "Consequences of it:\n     - A collective timed out" in whole
    assert "Also seen, above it:\n     - A peer was lost" in whole


def test_the_best_evidence_is_no_frame():
    frame = Evidence("a.log", 1, '  File "x.py", line 2, in f', "main")
    report = replace(FAILED, diagnoses=(replace(OOM, evidence=(frame, OOM_LINE)),))
    assert f"> {OOM_LINE.text}" in page(report)
    assert frame.text.strip() not in page(report)


@pytest.mark.parametrize(
    ("confidence", "measured", "en", "zh"),
    [
        (
            0.95,
            (12, 12),
            "almost certain (right in 12 of 12 labelled logs)",
            "几乎可以确定（在 12 份标注日志中判断正确 12 份）",
        ),
        (0.8, (4, 6), "likely (right in 4 of 6 labelled logs)", "很可能（在 6 份标注日志中判断正确 4 份）"),
        # So few logs say nothing for the word, nor against it.
        (0.95, (1, 1), "likely (little measured)", "很可能（实测很少）"),
        (0.8, (0, 1), "likely (little measured)", "很可能（实测很少）"),
        (0.5, (3, 4), "possible (little measured)", "有可能（实测很少）"),
        (0.8, (0, 0), "likely (not measured)", "很可能（尚无实测）"),
        (0.0, (0, 5), "a guess (right in 0 of 5 labelled logs)", "仅为猜测（在 5 份标注日志中判断正确 0 份）"),
    ],
)
def test_certainty_is_told_in_words_and_in_counts_that_say_something(confidence, measured, en, zh):
    one = replace(OOM, confidence=confidence, measured=measured)
    assert certainty_in_words(one, "en") == en
    assert certainty_in_words(one, "zh") == zh
    shown = report_document(replace(FAILED, diagnoses=(one,)), "en")["diagnoses"][0]
    assert (shown["confidence"], shown["measured"]) == (confidence, {"right": measured[0], "of": measured[1]})


@pytest.mark.parametrize("form", ["brief", "all"])
@pytest.mark.parametrize(
    ("paths", "shell", "commands"),
    [
        ({}, "bash", ["logrules diagnose SAVED_LOG --baseline GOOD_LOG", "logrules new SAVED_LOG:8"]),
        ({"a.log": "my run/a.log"}, "bash", ["diagnose 'my run/a.log' --baseline", "new 'my run/a.log':8"]),
        ({"a.log": "it's.log"}, "powershell", ["diagnose 'it''s.log' --baseline", "new 'it''s.log':8"]),
        ({"a.log": "it’s;reboot.log"}, "powershell", ["diagnose 'it’’s;reboot.log' --b", "new 'it’’s;reboot.log':8"]),
        ({"a.log": "0,1.log"}, "powershell", ["diagnose '0,1.log' --baseline", "new '0,1.log':8"]),
        ({"a.log": "-x.log"}, "bash", ["diagnose ./-x.log --baseline", "new ./-x.log:8"]),
    ],
)
def test_where_no_rule_knows_the_errors_the_next_steps_are_told(form, paths, shell, commands):
    out = io.StringIO()
    render_text(replace(UNEXPLAINED, paths=paths), out, "en", shell, all_diagnoses=form == "all")
    for command in commands:
        assert command in out.getvalue()


def test_of_several_logs_the_line_to_draft_from_is_named():
    assert [command for _, command in next_steps(replace(UNEXPLAINED, sources=("a.log", "b.log")), "bash")] == [
        "logrules diagnose LOGS --baseline GOOD_LOG",
        "logrules new SAVED_LOG:8",
    ]


def test_nothing_is_to_be_done_about_a_run_that_is_diagnosed_or_well():
    assert [one for report in (FAILED, COMPLETED, RUNNING) for one in next_steps(report, "bash")] == []


@pytest.mark.parametrize("report", [UNEXPLAINED, COMPLETED, RUNNING, FAILED])
def test_nothing_wrong_is_said_only_where_nothing_is_known(report):
    assert "NOTHING WRONG" not in page(report) + full_page(report)


def test_what_a_diagnosis_warns_of_is_not_called_well():
    warned = replace(OOM, severity=Severity.WARNING)
    report = replace(FAILED, status=Status.HEALTHY, diagnoses=(warned,))
    head, *rest = page(report).splitlines()
    assert head.startswith("NOT WELL  in phase")
    assert OOM.title.en in head
    assert all(OOM.title.en not in line for line in rest)
    assert "NOTHING WRONG" not in page(report) + full_page(report)
    told = replace(report, diagnoses=(replace(warned, severity=Severity.INFO),))
    assert page(told).startswith("NOTHING WRONG FOUND")


def test_errors_that_nobody_knows_are_not_explained_by_what_is_merely_worth_knowing():
    told = replace(UNEXPLAINED, diagnoses=(replace(OOM, severity=Severity.INFO),))
    shown = page(told)
    assert "Try, in this order" not in shown
    assert shown.count(OOM.title.en) == 1
    assert "Error lines that no rule knows" in shown
    assert "Try, in this order" in page(replace(told, diagnoses=(replace(OOM, severity=Severity.WARNING),)))


def test_the_best_line_is_not_one_that_says_nothing():
    line = replace(OOM.evidence[0], text="terminate called without an active exception", captures={})
    telling = replace(line, line=line.line + 2, text="OSError: [Errno 28] No space left on device")
    shown = page(replace(FAILED, diagnoses=(replace(OOM, evidence=(line, telling)),)))
    assert "> OSError: [Errno 28]" in shown


def test_as_many_sentences_as_fit():
    assert first_sentences("One. Two two. Three.", 14) == "One. Two two."
    assert first_sentences("一。二二。三。", 11) == "一。二二。"
    # The first is told whole, but for one that nobody would read to its end.
    assert first_sentences("Two words. More.", 5) == "Two words."
    assert first_sentences("aaaa " * 99, 10) == f"{'aaaa ' * 59}…"
    assert first_sentences("a" * 999, 10) == f"{'a' * 299}…"
    assert columns_of("数据") == 4


@pytest.mark.parametrize("width", [80, 100, 120])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_terminal_gets_no_blanks_at_ends_and_steps_stand_beside_their_numbers(width, language):
    fix = Fix(
        Text("Look at every rank that has not come yet and at what it does. " * 2, "先看每个没有到达的进程。" * 9),
        risk=Risk.LOOK,
    )
    effect = replace(
        OOM.consequences[0], title=Text("A rank went away while the others waited for it, and they told so " * 2)
    )
    report = replace(FAILED, diagnoses=(replace(CROWDED, fixes=(fix, fix), consequences=(effect,)),))
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in page(report, language, width=width).splitlines()]
    assert [line for line in lines if line != line.rstrip()] == []
    assert max(map(columns_of, lines)) <= width
    step = next(number for number, line in enumerate(lines) if line.startswith("  1. "))
    assert lines[step + 1].startswith("     ")
    assert not [line for line in lines[step:] if "…" in line]


def test_what_stands_behind_a_word_too_long_for_a_line_is_not_moved_in():
    """Where the path ends with the line, the blank behind it began the next one."""
    fix = Fix(Text(f"Open /{'a' * 149} in f: see."), risk=Risk.LOOK)
    report = replace(FAILED, diagnoses=(replace(CROWDED, fixes=(fix,)),))
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in page(report, "en", width=80).splitlines()]
    step = next(number for number, line in enumerate(lines) if line.startswith("  1. Open"))
    told = [line for line in lines[step + 1 :] if line.startswith("     ")]
    assert [line for line in told if line.startswith("      ")] == []


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


def test_an_option_goes_before_what_the_environment_says_of_colours(monkeypatch):
    def written(color: str) -> str:
        out = io.StringIO()
        render_text(FAILED, out, "en", "bash", color=color)
        return out.getvalue()

    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" in written("always")
    assert "\x1b" not in written("auto")
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    assert "\x1b" in written("auto")
    assert "\x1b" not in written("never")


def test_nothing_destructive_is_unmarked():
    line = next(line for line in full_page(FAILED).splitlines() if "Kill what is left over" in line)
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
    text = page(report, language) + full_page(report, language)
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


@pytest.mark.parametrize(
    ("line", "beside", "told"),
    [
        ("step 7: loss 0.5", "RuntimeError: gone", True),
        ("[rank4]:     ~~~~~^^^^^", "[rank4]: KeyError: 'labels'", False),
        ("=" * 80, "RuntimeError: gone", False),
        ("RuntimeError: gone", "RuntimeError: gone", False),
    ],
)
def test_a_neighbour_is_shown_that_says_something(line, beside, told):
    assert says_something(line, beside) == told


SHORT = Fix(Text("Do it."), run="one")
CODED = Fix(Text("Do it."), code="first = 1\nsecond = 2\nthird = 3\nfourth = 4")


@pytest.mark.parametrize(
    ("fixes", "room", "lines"),
    [
        ((SHORT, SHORT, SHORT), 6, [2, 2, 2]),
        ((SHORT, SHORT, SHORT), 4, [2, 1, 1]),
        ((SHORT, SHORT, SHORT), 3, [1, 1, 1]),
        ((SHORT, SHORT, SHORT), 2, [1, 1]),
        ((SHORT, SHORT, SHORT), 0, [1]),
        ((CODED,), 9, [1]),
        ((replace(CODED, code="first = 1\nsecond = 2"), SHORT), 5, [3, 2]),
        ((), 9, []),
    ],
)
def test_rather_three_short_steps_than_two_long_ones(fixes, room, lines):
    steps = [forms_of(number, fix, "en", "bash") for number, fix in enumerate(fixes, start=1)]
    assert [len(step) for step in fitted(steps, room)] == lines


def test_a_phase_that_nothing_in_the_log_shows_is_called_probable():
    told = replace(FAILED, diagnoses=(replace(OOM, phase_from=PhaseSource.CAUSE),))
    assert page(told).startswith("FAILED  probably in phase train_step  ")
    assert page(FAILED).startswith("FAILED  in phase train_step  ")
