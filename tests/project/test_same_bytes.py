"""The same log gives the same report, whichever way it comes: saved, compressed, on standard input, replayed."""

import gzip
import json
import os
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from pathlib import Path

import pytest

from logrules.cli.main import main

_CAPTURED = Path(__file__).parents[2] / "fixtures" / "captured"
_ALL = [logs[0] for folder in sorted(_CAPTURED.iterdir()) if len(logs := sorted(folder.glob("*log*"))) == 1]
_LOGS = _ALL[:: len(_ALL) // 12][:12]
# A replay is a live reading: a line without a time of its own is dated by when it comes (docs/attacks.md).
_ARRIVAL = {"time", "start", "end"}
_COMMANDS = {"run", "powershell"}


def _report(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    main(list(words))
    return capsys.readouterr().out


@contextmanager
def _on_standard_input(log: Path) -> Iterator[None]:
    before, opened = os.dup(0), os.open(log, os.O_RDONLY)
    os.dup2(opened, 0)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(opened)


def _without(found: object, left_out: AbstractSet[str]) -> object:
    if isinstance(found, dict):
        return {key: _without(value, left_out) for key, value in found.items() if key not in left_out}
    return [_without(each, left_out) for each in found] if isinstance(found, list) else found


def test_twelve_logs_are_tried():
    assert len(_LOGS) == 12


@pytest.mark.one_in(2)
@pytest.mark.parametrize("log", _LOGS, ids=lambda log: log.parent.name)
def test_a_log_gives_the_same_report_whichever_way_it_comes(log, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_bytes(log.read_bytes())
    Path("a.log.gz").write_bytes(gzip.compress(log.read_bytes()))
    saved = _report(capsys, "diagnose", "--format", "json", "a.log")
    assert json.loads(saved)["sources"] == ["a.log"]
    packed = _report(capsys, "diagnose", "--format", "json", "a.log.gz").replace("a.log.gz", "a.log")
    # Commands read the compressed one by its own tools.
    assert packed.replace("zgrep", "grep") == saved
    with _on_standard_input(Path("a.log")):
        piped = _report(capsys, "diagnose", "--format", "json", "-").replace("<stdin>", "a.log")
    # Commands to run name the file where there is one.
    assert _without(json.loads(piped), _COMMANDS) == _without(json.loads(saved), _COMMANDS)


# Fixtures whose reports a live reading once told otherwise: stalls that only the end of a log shows, and others.
_STALLED = ("datasets-generator-no-examples", "datasets-map-function-key-error", "torch-launch-silence")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", [*_STALLED, *(log.parent.name for log in _LOGS[:3])])
def test_a_log_followed_through_a_pipe_says_the_same_but_for_times_of_arrival(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (log,) = (_CAPTURED / name).glob("*log*")
    Path("a.log").write_bytes(log.read_bytes())
    saved = _report(capsys, "diagnose", "--format", "json", "a.log")
    with _on_standard_input(Path("a.log")):
        piped = _report(capsys, "watch", "--quiet", "--panel", "off", "--format", "json", "-")
    left_out = {*_ARRIVAL, *_COMMANDS}
    assert _without(json.loads(piped.replace("<stdin>", "a.log")), left_out) == _without(json.loads(saved), left_out)


def test_what_followed_from_a_crash_does_so_live_whatever_the_clock_of_the_job(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_text(
        "2019-03-04 05:06:07,890 WARNING worker.py:1619 -- A worker died or was killed while executing task 4ab2.\n"
        "(pid=77) *** SIGSEGV (@0x10) received by PID 77 (TID 0x7f) from PID 16; stack trace: ***\n"
    )
    saved = json.loads(_report(capsys, "diagnose", "--format", "json", "a.log"))
    with _on_standard_input(Path("a.log")):
        piped = json.loads(_report(capsys, "watch", "--quiet", "--panel", "off", "--format", "json", "-"))
    told = [[(one["rule"], [c["rule"] for c in one["consequences"]]) for one in r["diagnoses"]] for r in (saved, piped)]
    assert told[0] == told[1] == [("host/segfault", ["ray/worker-died"])]


@pytest.mark.parametrize("log", _LOGS[:4], ids=lambda log: log.parent.name)
def test_a_replay_says_the_same_but_for_times_of_arrival(log, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_bytes(log.read_bytes())
    saved = _report(capsys, "diagnose", "--format", "json", "a.log")
    replayed = _report(capsys, "watch", "--quiet", "--panel", "off", "--format", "json", "--replay", "max", "a.log")
    if not replayed:
        pytest.skip("its lines have no times")
    left_out = {*_ARRIVAL, *_COMMANDS}
    assert _without(json.loads(replayed), left_out) == _without(json.loads(saved), left_out)


_FAR = "".join(f"some word {number} of the second attempt\n" for number in range(500))
_HOURS_APART = f"""\
2026-01-05 08:00:00 - INFO - __main__ - attempt 1
[rank0]: Traceback (most recent call last):
[rank0]:   File "/w/train.py", line 3, in <module>
[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.
{_FAR}OSError: [Errno 28] No space left on device: '/w/model.safetensors'
"""
_YEARS = """\
I0304 05:06:07.100000 77 launch.cc:10] starting
[rank0]:[E304 05:06:08.000000000 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: \
WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600001 milliseconds before \
timing out.
2021-03-04 05:07:00,000 - ERROR - __main__ - the job is over
"""


@pytest.mark.parametrize("text", [_HOURS_APART, _YEARS], ids=["lines without times", "a year told late"])
def test_lines_that_come_at_once_say_what_they_say_on_disk(text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_text(text)
    saved = json.loads(_report(capsys, "diagnose", "--format", "json", "a.log"))
    with _on_standard_input(Path("a.log")):
        piped = _report(capsys, "watch", "--quiet", "--panel", "off", "--format", "json", "-")
    found = json.loads(piped.replace("<stdin>", "a.log"))
    assert _without(found, {*_ARRIVAL, *_COMMANDS}) == _without(saved, {*_ARRIVAL, *_COMMANDS})
    years = [[e["time"][:4] for e in one["evidence"] if e["time"]] for one in saved["diagnoses"]]
    if text is _YEARS:
        assert years == [[e["time"][:4] for e in one["evidence"] if e["time"]] for one in found["diagnoses"]]
        assert years[0][0] == "2021"


def test_a_replay_reads_the_time_of_what_stands_behind_an_open_bar(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_bytes(
        b"2026-03-04 10:00:00 - INFO - datasets.builder - Generating train split\n"
        b"\rGenerating train split: 0 examples [00:00, ? examples/s]"
        b"slurmstepd-gpu-04: error: *** JOB 4711 ON gpu-04 CANCELLED AT 2026-03-04T10:45:00 ***\n"
    )
    saved = json.loads(_report(capsys, "diagnose", "--format", "json", "a.log"))
    told = _report(capsys, "watch", "--quiet", "--panel", "off", "--format", "json", "--replay", "max", "a.log")
    replayed = json.loads(told)
    assert saved["status"] == replayed["status"] == "stalled"
    told, known = (
        [(d["cause"], [c["cause"] for c in d["consequences"]]) for d in r["diagnoses"]] for r in (replayed, saved)
    )
    assert told == known == [("dataset-build-stall", ["interrupted"])]
    assert "nothing for 45m in data_load; then it was ended: The job was cancelled" in replayed["diagnoses"][0]["title"]
