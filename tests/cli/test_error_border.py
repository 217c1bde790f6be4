"""No input, file, folder, cache, history, environment or stream ends in a traceback or in a wrong exit status."""

import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from logrules.cli import main as border
from logrules.cli.main import main
from logrules.inference.clock import choose_year
from logrules.model.errors import LogrulesError
from logrules.model.event import Timestamp
from logrules.sources.decoding import encoding_of, no_text
from logrules.sources.file_patterns import leads_to_kernel
from logrules.tools.fleet.jobs import jobs_of

pytestmark = pytest.mark.unmeasured

posix = pytest.mark.skipif(sys.platform == "win32", reason="streams and files of POSIX")
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
FINE = "step 1 loss 0.5\nstep 2 loss 0.4\n"
TEXT = "训练 " + OOM + "Traceback (most recent call last):\n" + FINE


def ran(*words: str, script: str | None = None, **rest) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "logrules", *words]
    if script is not None:
        return subprocess.run(
            ["bash", "-c", script, "bash", *command], capture_output=True, text=True, check=False, timeout=120, **rest
        )
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **rest)


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("fine.log").write_text(FINE)
    Path("oom.log").write_text(OOM)
    return tmp_path


def one_sentence(err: str) -> bool:
    return err.startswith("logrules: ") and err.count("\n") == 1 and "Traceback" not in err


@pytest.mark.one_in(2)
@posix
@pytest.mark.parametrize(
    ("script", "log", "status"),
    [
        ('"$@" | true; exit ${PIPESTATUS[0]}', "fine.log", 0),
        ('"$@" | true; exit ${PIPESTATUS[0]}', "oom.log", 1),
        ('"$@" >&-', "fine.log", 0),
        ('"$@" >&-', "oom.log", 1),
        ('"$@" 2>&-', "oom.log", 1),
        ('"$@" <&- >&- 2>&-', "oom.log", 1),
        ('"$@" 2>/dev/full', "missing.log", 2),
    ],
)
def test_the_exit_status_says_what_was_found_whoever_reads(here, script, log, status):
    done = ran("diagnose", log, script=script)
    assert done.returncode == status
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_standard_output_is_one_sentence(here):
    done = ran("diagnose", "oom.log", script='"$@" >/dev/full')
    assert done.returncode == 2
    assert done.stderr == "logrules: standard output: no space left on device\n"


@posix
def test_an_encoding_that_lacks_a_character_is_no_fault(here):
    done = ran("rules", "--lang", "zh", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0, done.stderr


def test_what_nobody_expected_is_one_sentence_with_a_hint(here, monkeypatch, capsys):
    def broken(*_words, **_more):
        raise ZeroDivisionError("division\n by \x1b]0;zero")

    monkeypatch.setattr("logrules.sources.discover.discover", broken)
    assert main(["diagnose", "fine.log"]) == 2
    said = capsys.readouterr().err
    assert one_sentence(said)
    assert "ZeroDivisionError: division by \\x1b]0;zero" in said
    assert "--debug" in said
    assert main(["diagnose", "fine.log", "--debug"]) == 2
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert "\x1b" not in said


def test_what_the_sentence_is_made_with_may_be_spoilt_too(here, monkeypatch, capsys):
    def broken(*_words, **_more):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("logrules.sources.discover.discover", broken)
    monkeypatch.setattr(border, "package_of", broken)
    assert main(["diagnose", "fine.log"]) == 2
    said = capsys.readouterr().err
    assert one_sentence(said)
    assert "ZeroDivisionError: by zero" in said


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (MemoryError(), "not enough memory"),
        (ValueError("Unable to allocate memory. (id:0)"), "not enough memory"),
        (ImportError("x.so: failed to map segment from shared object"), "not enough memory"),
        (RuntimeError("can't start new thread"), "no further thread"),
    ],
)
def test_what_the_machine_or_a_limit_denies_is_no_fault_of_ours(here, monkeypatch, capsys, fault, says):
    def denied(*_words, **_more):
        raise fault

    monkeypatch.setattr("logrules.sources.discover.discover", denied)
    assert main(["diagnose", "fine.log"]) == 2
    said = capsys.readouterr().err
    assert one_sentence(said)
    assert says in said
    assert "report" not in said


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "words",
    [
        ["diagnose", "x\x1b]0;P\x07.log"],
        ["diagnose", "fine.log", "--rules", "r\x1b[31m"],
        ["diagnose", "fine.log", "-o", "no/\x1b[2J"],
        ["bundle", "fine.log", "--config", "c\x1b"],
        ["bundle", "fine.log", "--redact", "(\x1b"],
        ["scan", "s\x1b"],
        ["explain", "e\x1b"],
        ["watch", "--replay", "1x", "w\x1b"],
        ["mcp", "--root", "m\x1b"],
        ["test", "t\x1b"],
        ["check", "k\x1b"],
        ["fmt", "f\x1b"],
        ["try", "r\x1b", "fine.log"],
    ],
    ids=lambda words: words[0],
)
def test_no_error_takes_an_escape_to_the_terminal(here, capsys, words):
    assert main(words) == 2
    said = capsys.readouterr()
    assert "\x1b" not in said.err + said.out
    assert "\\x1b" in said.err


@pytest.mark.parametrize("words", [["diagnose", "--no\x1b"], ["no\x1b"], ["diagnose", "x", "--threads", "\x1b"]])
def test_no_complaint_about_the_command_line_does(capsys, words):
    try:
        status = border.main(words)
    except SystemExit as ended:
        status = int(ended.code or 0)
    assert status == 2
    assert "\x1b" not in capsys.readouterr().err


def _zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.log", FINE)


UNUSABLE = {
    "empty": lambda path: path.write_bytes(b""),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 40),
    "program": lambda path: path.write_bytes(b"\x7fELF\2\1\1" + bytes(200) + b"text\n" * 100),
    "zip": _zip,
    "notebook": lambda path: path.write_text(json.dumps({"cells": [{"outputs": [OOM]}], "nbformat": 4}, indent=1)),
    "png": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20)),
    "random": lambda path: path.write_bytes(os.urandom(60_000)),
}


@pytest.mark.parametrize("kind", UNUSABLE)
@pytest.mark.parametrize("form", ["text", "json"])
def test_what_is_no_log_is_one_sentence_and_status_2(here, capsys, kind, form):
    UNUSABLE[kind](Path("given"))
    assert main(["diagnose", "given", "--format", form]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert one_sentence(said.err)
    assert "given" in said.err


@pytest.mark.one_in(3)
@posix
@pytest.mark.parametrize("kind", ["empty", "program", "random"])
def test_so_it_is_on_standard_input(here, kind):
    UNUSABLE[kind](Path("given"))
    with Path("given").open("rb") as stream:
        done = ran("diagnose", "-", stdin=stream)
    assert (done.returncode, one_sentence(done.stderr)) == (2, True)


@pytest.mark.parametrize("block_bytes", [1, 64, 1_000_000])
@pytest.mark.parametrize("content", [b"step 1\n" * 20 + b"\1" * 500, b"\1\n" * 40 + b"step 1\n" * 500, b"\1" * 70])
def test_however_it_is_cut_it_is_text_or_not(here, content, block_bytes):
    Path("given").write_bytes(content)
    text = not no_text(content[:1024])
    assert main(["diagnose", "given", "--block-bytes", str(block_bytes)]) == (0 if text else 2)


def test_a_binary_file_beside_a_log_does_not_hide_it(here, capsys):
    UNUSABLE["random"](Path("given"))
    assert main(["diagnose", "given", "oom.log", "--format", "json"]) == 1
    assert "is not text" in json.dumps(json.loads(capsys.readouterr().out)["notes"])


ENCODINGS = ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16", "utf-32", "utf-8-sig", "utf-8"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", [TEXT, OOM, FINE * 50 + OOM, "一二三 step 1\n" * 30 + OOM])
def test_the_report_is_the_same_in_every_encoding(here, capsys, text):
    found = {}
    for encoding in ENCODINGS:
        Path("a.log").write_bytes(text.encode(encoding))
        found[encoding] = main(["diagnose", "a.log", "--format", "json"]), capsys.readouterr().out
    assert found == dict.fromkeys(ENCODINGS, found["utf-8"])
    assert found["utf-8"][0] == 1


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        (b"", None),
        (b"ab", None),
        (b"step 1 loss\n" * 9, None),
        (b"\0" * 1000, None),
        (b"\0\0\0step 1\n\0\n", None),
        (b"\1\1", None),
        (b"\0" * 500 + b"step 1\n" * 70, None),
        (b"step 1\n" * 70 + b"\0" * 500, None),
        ("日志里全是汉字没有别的".encode("gbk") * 20, None),
    ],
)
def test_other_text_is_left_as_it_is(head, encoding):
    assert encoding_of(head) == encoding
    assert no_text(head) is None


@posix
@pytest.mark.parametrize("links", [{"loop": "."}, {"a.log": "."}, {"up": ".."}, {"x": "y", "y": "x"}, {"root": "/"}])
def test_a_folder_of_links_that_lead_back_has_no_log(here, capsys, links):
    Path("folder").mkdir()
    for name, target in links.items():
        (Path("folder") / name).symlink_to(target)
    assert main(["diagnose", "folder"]) == 2
    said = capsys.readouterr().err
    assert one_sentence(said)
    assert "no log in this folder" in said


def test_a_folder_named_beside_its_own_part_is_no_fault(here):
    Path("runs/42").mkdir(parents=True)
    Path("runs/42/a.log").write_text(FINE)
    assert main(["diagnose", "runs/42", "runs"]) == 0
    assert main(["diagnose", "runs", "runs/42"]) == 0
    assert main(["diagnose", "runs", "runs"]) == 0


@pytest.fixture
def deep(here) -> Iterator[Path]:
    """A folder 1,500 levels deep, taken away again: neither pytest nor shutil can do that."""
    top = here / "jobs" / "deep"
    top.mkdir(parents=True)
    os.chdir(top)
    for _ in range(1_500):
        Path("d").mkdir()
        os.chdir("d")
    Path("x.log").write_text(FINE)
    os.chdir(here)
    yield here / "jobs"
    subprocess.run(["rm", "-rf", str(top)], check=True)


@pytest.mark.one_in(2)
@posix
@pytest.mark.parametrize("verb", ["diagnose", "scan"])
def test_deep_folders_are_no_fault(here, deep, verb, monkeypatch):
    monkeypatch.setenv("LOGRULES_STATE_DIR", str(here / "state"))
    assert main([verb, str(deep)]) == 0


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Linux")
@pytest.mark.parametrize("verb", ["diagnose", "scan"])
def test_the_folder_of_a_process_is_no_fault(here, verb):
    done = ran(verb, f"/proc/{os.getpid()}/fdinfo", env={**os.environ, "LOGRULES_STATE_DIR": str(here / "state")})
    assert done.returncode in {0, 1, 2}
    assert "error in logrules" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/proc/self/mountinfo").exists(), reason="Linux")
def test_folders_of_the_kernel_are_not_searched_for_logs_unless_named():
    found, proc = Path("/proc").stat(), Path("/proc/self").stat()
    assert leads_to_kernel(proc, Path("/").stat())
    assert not leads_to_kernel(proc, found)
    assert not leads_to_kernel(Path.cwd().stat(), Path("/").stat())
    with pytest.raises(LogrulesError, match="nothing matches"):
        jobs_of([Path("/")], "proc")


@posix
def test_a_folder_that_is_gone_is_said_to_be(here, capsys):
    Path("gone").mkdir()
    os.chdir("gone")
    Path("../gone").rmdir()
    for words in (["rules"], ["check"], ["diagnose", "fine.log", "../fine.log"], ["new", "../fine.log:1"]):
        assert main(words) == 2
        assert one_sentence(capsys.readouterr().err)
    main(["rules"])
    assert "no longer exists" in capsys.readouterr().err
    os.chdir(here)


@pytest.mark.one_in(2)
@posix
@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("words", [["diagnose", "fine.log"], ["scan", "."], ["history"], ["test"], ["check"]])
def test_a_user_without_a_home_gets_no_traceback(here, monkeypatch, capsys, words):
    def unknown(*_words):
        raise RuntimeError("Could not determine home directory.")

    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "LOGRULES_CACHE_DIR", "LOGRULES_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    Path("rules").mkdir()
    status = main([*words, "rules"] if words[0] in {"test", "check"} else words)
    said = capsys.readouterr().err
    assert "error in logrules" not in said
    assert (status == 2) is (words[0] == "history")
    assert ("results are not kept" in said) == (words[0] == "scan")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "row",
    ["{", "null", "[]", '"x"', '{"schema": 1}', "[" * 100_000, b"\xff", None, 7, '{"lost_s": "a"}'],
    ids=lambda row: str(row)[:12],
)
def test_a_damaged_row_of_the_history_is_as_if_not_there(here, monkeypatch, capsys, row):
    monkeypatch.setenv("LOGRULES_STATE_DIR", str(here / "state"))
    Path("jobs").mkdir()
    Path("jobs/a.log").write_text(FINE)
    Path("jobs/b.log").write_text(FINE)
    assert main(["scan", "jobs"]) == 0
    with sqlite3.connect(here / "state" / "history.sqlite") as database:
        if isinstance(row, str) and row.startswith("{") and row.endswith("}"):
            (text,) = database.execute("select summary from results where path like '%a.log'").fetchone()
            row = json.dumps(json.loads(text) | json.loads(row)) if row != '{"schema": 1}' else row
        if row is None:
            row = ""
        database.execute("update results set summary = ? where path like '%a.log'", (row,))
    database.close()
    capsys.readouterr()
    assert main(["history"]) == 0
    said = capsys.readouterr()
    assert "b.log" in said.out
    assert "a.log" not in said.out
    assert main(["scan", "jobs"]) == 0


@pytest.mark.parametrize(
    "line",
    [
        "Okt 12 10:11:12 node1 kernel: it is dark",
        "Dez 31 23:59:59 node1 kernel: it is dark",
        "févr 31 23:59:59 node1 kernel: it is dark",
        "Oct 99 10:11:12 node1 kernel: it is dark",
        "[Sam Mai 32 25:61:61 2026] it is dark",
        "9999-12-31 23:59:59 last\nOct 12 10:11:12 node1 kernel: first",
        "0001-01-01 00:00:00 first\nOct 12 10:11:12 node1 kernel: last",
        "9999-12-31T23:59:59-14:00 last\nFeb 29 10:11:12 node1 kernel: leap",
        "99999999999999999999.5 epoch",
    ],
)
def test_no_time_is_a_fault(here, capsys, line):
    Path("a.log").write_text(f"{line}\n{FINE}{line}\n{OOM}", encoding="utf-8")
    assert main(["diagnose", "a.log"]) == 1
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("near", [-62_135_596_800.0, 253_402_300_799.0, 1e18, -1e18, float("inf"), float("nan")])
def test_any_year_may_be_near(near):
    stamp = Timestamp(datetime(1972, 10, 12, tzinfo=UTC).timestamp(), year_known=False)
    assert isinstance(choose_year(stamp, near), float)
