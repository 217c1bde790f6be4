"""No report takes the place of a log that it is about, and what names nothing is refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from logrules.cli.main import main

pytestmark = pytest.mark.unmeasured

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOGRULES_STATE_DIR", str(tmp_path / "state"))
    Path("runs").mkdir()
    for log in ("oom.log", "runs/rank0.log", "runs/rank1.log"):
        Path(log).write_text(OOM)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "log"),
    [
        ("diagnose oom.log -o oom.log", "oom.log"),
        ("diagnose oom.log -o runs/../oom.log", "oom.log"),
        ("diagnose runs -o runs/rank1.log", "runs/rank1.log"),
        ("diagnose runs/*.log -o runs/rank1.log", "runs/rank1.log"),
        ("diagnose runs --baseline oom.log -o oom.log", "oom.log"),
        ("diagnose oom.log --baseline runs -o runs/rank1.log", "runs/rank1.log"),
        ("diagnose runs --expect oom.log -o oom.log", "oom.log"),
        ("bundle oom.log -o oom.log", "oom.log"),
        ("learn oom.log -o oom.log", "oom.log"),
        ("learn runs --healthy oom.log -o oom.log", "oom.log"),
        ("scan runs -o runs/rank0.log", "runs/rank0.log"),
        ("watch --replay max oom.log --report oom.log", "oom.log"),
    ],
)
def test_a_log_that_is_read_is_not_written_over(here, capsys, words, log):
    assert main(words.split()) == 2
    assert Path(log).read_text() == OOM
    err = capsys.readouterr().err
    assert "is one of the files that are read" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="standard input by its descriptor")
def test_the_file_behind_standard_input_is_not_written_over(here):
    with Path("oom.log").open() as log:
        done = subprocess.run(
            [sys.executable, "-m", "logrules", "diagnose", "-o", "oom.log"],
            stdin=log, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
    assert (done.returncode, Path("oom.log").read_text()) == (2, OOM), done.stderr


def test_a_report_beside_the_logs_is_replaced(here):
    for _ in range(2):
        assert main(["diagnose", "runs", "-o", "runs/report.json"]) == 1
    os.link("oom.log", "other.txt")
    assert main(["diagnose", "runs", "-o", "other.txt"]) == 1


def test_a_hyphen_is_standard_output(here, capsys):
    assert main(["diagnose", "oom.log", "--format", "json", "-o", "-"]) == 1
    assert capsys.readouterr().out.startswith("{")
    assert not Path("-").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["diagnose", ""],
        ["diagnose", "oom.log", ""],
        ["watch", "--replay", "max", ""],
        ["diagnose", "oom.log", "-o", ""],
        ["diagnose", "oom.log", "--settings", ""],
        ["diagnose", "oom.log", "--expect", ""],
        ["watch", "--replay", "max", "oom.log", "--report", ""],
        ["learn", "oom.log", "-o", ""],
        ["scan", "runs", "--history", ""],
        ["explain", ""],
    ],
)
def test_a_path_without_a_name_is_no_folder(here, capsys, words):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "names nothing; is a variable of the shell empty?" in capsys.readouterr().err


def test_a_file_has_colours_only_where_they_are_always_wanted(here, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["diagnose", "oom.log", "-o", "bare.txt", "--expect", "verl-gkd"]) == 1
    assert main(["diagnose", "oom.log", "-o", "coloured.txt", "--color", "always"]) == 1
    assert main(["diagnose", "oom.log"]) == 1
    assert "\x1b" not in Path("bare.txt").read_text(encoding="utf-8")
    assert "\x1b[1" in Path("coloured.txt").read_text(encoding="utf-8")
    assert "\x1b[1" in capsys.readouterr().out
