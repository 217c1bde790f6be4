"""Logs of JSON records are read as the lines that they stand for, and told by the lines of their files."""

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.cli.main import main
from logrules.engine.run import replay
from logrules.model.stream import CONTINUED, Block
from logrules.sources.copied_text import records_as_lines
from logrules.sources.log_record import lines_of_record
from logrules.sources.source import SavedSource, numbered_lines_of
from tests.conftest import MemorySource, fixtures

TRACEBACK = (
    'Traceback (most recent call last):\n  File "/srv/app/train.py", line 4, in main\n    pour(3)\nacme.PourError: no 3'
)
# What a record holds, and its lines. The names of the fields are those of the writer named beside it.
RECORDS = {
    "docker": (
        {"log": "\tstep 3 loss 2.0\n", "stream": "stdout", "time": "2026-01-31T10:20:30.123456789Z"},
        ["2026-01-31 10:20:30.123 [stdout] \tstep 3 loss 2.0"],
    ),
    "python-json-logger": (
        {"asctime": "2026-01-31 10:20:30,250", "levelname": "ERROR", "message": "gave way", "exc_info": TRACEBACK},
        ["2026-01-31 10:20:30.250 [ERROR] gave way", *TRACEBACK.split("\n")],
    ),
    "structlog": (
        {"event": "shard read", "level": "warning", "timestamp": "2026-01-31T11:20:30.5+01:00", "shard": 4},
        ["2026-01-31 10:20:30.500 [WARNING] shard read shard=4"],
    ),
    "loguru": (
        {"text": "2026-01-31 10:20:30 | ERROR | gave way\n", "record": {"level": {"name": "ERROR"}}},
        ["[log] 2026-01-31 10:20:30 | ERROR | gave way"],
    ),
    "zap": (
        {"level": "error", "ts": 1769854830.25, "msg": "Reconciler error", "error": "pods is forbidden"},
        ["2026-01-31 10:20:30.250 [ERROR] Reconciler error: pods is forbidden"],
    ),
    "bunyan": ({"level": 50, "time": 1769854830250, "msg": "gave way"}, ["2026-01-31 10:20:30.250 [ERROR] gave way"]),
    "journald": (
        {"MESSAGE": "Out of memory", "PRIORITY": "3", "__REALTIME_TIMESTAMP": "1769854830250000"},
        ["2026-01-31 10:20:30.250 [ERROR] Out of memory"],
    ),
    "tracing": (
        {"timestamp": "2026-01-31T10:20:30Z", "level": "INFO", "fields": {"message": "Connected"}, "target": "router"},
        ["2026-01-31 10:20:30.000 [INFO] router: Connected"],
    ),
    # The level beside a program's output is one for all of standard error.
    "google": (
        {"textPayload": "step 3 loss 2.0", "severity": "ERROR", "timestamp": "2026-01-31T10:20:30Z"},
        ["2026-01-31 10:20:30.000 [log] step 3 loss 2.0"],
    ),
    "figures": (
        {
            "level": "info",
            "msg": "trained\nwell",
            "step": 3,
            "train/loss": float("nan"),
            "amp": True,
            "a b": 1,
            "run": "r",
        },
        ["[INFO] trained step=3 train/loss=nan", "well"],
    ),
    "figures-of-a-collector": (
        {"log": "step 3", "stream": "stdout", "time": "2026-01-31T10:20:30Z", "restarts": 4},
        ["2026-01-31 10:20:30.000 [stdout] step 3"],
    ),
    "slog": ({"level": "ERROR+4", "msg": "gave way"}, ["[ERROR] gave way"]),
    "no-time": ({"level": "fatal", "msg": "gave way"}, ["[CRITICAL] gave way"]),
    "a-rank": (
        {"level": "info", "msg": "one\ntwo", "rank": 3},
        ["[rank3]: [INFO] one", "[rank3]: two"],
    ),
    "nonsense-beside-it": (
        {
            "level": "info",
            "msg": "x",
            "record": "r",
            "stream": ["stdout"],
            "rank": True,
            "exception": {"type": 1},
            "error": 3,
        },
        ["[INFO] x"],
    ),
    "blank": ({"level": "info", "msg": "\n"}, [""]),
    "a-time-of-no-known-form": ({"time": "noon", "msg": "x"}, ["noon [log] x"]),
    "a-time-beyond-all-calendars": ({"time": 1e300, "level": "info", "msg": "x"}, ["[INFO] x"]),
    "a-time-before-all-calendars": (
        {"time": "0001-01-01T00:00:00+14:00", "level": "info", "msg": "x"},
        ["0001-01-01T00:00:00+14:00 [INFO] x"],
    ),
    "a-time-of-several-lines": ({"time": "at\nnoon", "msg": "x"}, ["at noon [log] x"]),
    "a-time-beyond-all-numbers": ({"time": 10**400, "level": "info", "msg": "x"}, ["[INFO] x"]),
    "a-level-that-is-no-number": ({"time": 0, "level": float("nan"), "msg": "x"}, ["1970-01-01 00:00:00.000 [log] x"]),
    "an-endless-level": ({"time": 0, "level": float("inf"), "msg": "x"}, ["1970-01-01 00:00:00.000 [log] x"]),
    "a-rank-between-two": ({"level": "info", "msg": "x", "rank": 2.7}, ["[INFO] x"]),
    "an-endless-rank": ({"level": "info", "msg": "x", "rank": float("inf")}, ["[INFO] x"]),
    "a-mark-within-a-mark": ({"level": "info", "msg": "a\n\x1f\x1f\x0e\x0eb"}, ["[INFO] a", "\x1f  \x0eb"]),
}
# JSON that a log holds and that is no record of it.
DATA = (
    b'{"loss": 0.5, "step": 3, "time": "10:20"}',
    b'{"text": "a sample", "label": 1}',
    b'{"message": {"role": "user"}, "level": 1}',
    b'{"text": "a sample of a crawl", "timestamp": "2026-01-31T10:20:30Z", "url": "https://example.com"}',
    b'{"prompt": "x", "message": "a request", "stream": true}',
    b'{"level": "info", "msg": "cut off',
    b'{"level": "info", "msg": "x"} and more',
    b'[{"level": "info", "msg": "x"}]',
    b'{"a": ' + b'[{"b": ' * 50_000 + b'"msg": 1}',
    b'{"level": "info", "msg": 3}',
)


@pytest.mark.parametrize(("record", "lines"), RECORDS.values(), ids=RECORDS)
def test_a_record_is_read_as_the_lines_that_it_stands_for(record, lines):
    found = records_as_lines(f"before\n{json.dumps(record)}\nafter\n".encode())
    first, *more = lines
    wanted = ["before", first, *(CONTINUED.decode() + line for line in more), "after", ""]
    assert found.decode().split("\n") == wanted


@pytest.mark.parametrize("data", DATA, ids=range(len(DATA)))
def test_what_is_no_record_of_a_log_stays(data):
    assert records_as_lines(data + b"\n") == data + b"\n"


@given(messages=st.lists(st.text(max_size=30) | st.binary(max_size=9).map(repr)), plain=st.binary(max_size=40))
def test_every_line_of_the_file_keeps_its_number(messages, plain):
    records = [json.dumps({"level": "info", "msg": text}) for text in messages]
    data = "".join(f"{one}\n" for one in records).encode() + plain
    source = SavedSource("a.log", iter([Block("a.log", 0, records_as_lines(data))]))
    numbers = {number for number, _ in numbered_lines_of(source)}
    assert numbers == set(range(1, data.count(b"\n") + 1 + bool(data.rpartition(b"\n")[2])))


@pytest.mark.parametrize(
    "case", ["torch-rank1-sigkill-mid-step", "datasets-map-function-key-error", "ray-actor-init-raises"]
)
@pytest.mark.parametrize("at_once", [1, 5], ids=["a-line-each", "several-lines-each"])
def test_a_captured_log_says_the_same_in_records(case, at_once, shipped):
    log = next(path for path in sorted((fixtures() / "captured").glob(f"{case}*/*log*")))
    lines = log.read_text().split("\n")
    groups = ["\n".join(lines[at : at + at_once]) for at in range(0, len(lines), at_once)]
    wrapped = "".join(json.dumps({"log": f"{group}\n", "stream": "stdout"}) + "\n" for group in groups)
    plain, found = (replay([MemorySource("a.log", text)], shipped) for text in (log.read_text(), wrapped))
    assert plain.diagnoses
    assert (found.status, found.phase) == (plain.status, plain.phase)
    assert [one.rule for one in found.diagnoses] == [one.rule for one in plain.diagnoses]


@given(
    moment=st.datetimes(),
    digits=st.integers(0, 9),
    mark=st.sampled_from(".,"),
    between=st.sampled_from("T "),
    zone=st.sampled_from(["", "Z", "+00:00", "+0000"]),
)
def test_a_time_in_utc_is_read_to_its_thousandths_however_it_is_written(moment, digits, mark, between, zone):
    fraction = f"{mark}{moment.microsecond:06}000"[: digits + 1] if digits else ""
    told = f"{moment.isoformat(between, 'seconds')}{fraction}{zone}"
    kept = f"{fraction[1:4]:0<3}"
    wanted = f"{moment.isoformat(' ', 'seconds')}.{kept}"
    assert lines_of_record(json.dumps({"time": told, "msg": "x"}).encode()) == [f"{wanted} [log] x"]


@pytest.mark.parametrize("told", ["2026-02-30 10:20:30.250Z", "2026-01-31 24:20:30.250", "2026-01-31 10:20:60.250"])
def test_a_time_that_no_calendar_has_stays_as_it_is_written(told):
    assert lines_of_record(json.dumps({"time": told, "msg": "x"}).encode()) == [f"{told} [log] x"]


def test_figures_beside_the_message_of_a_record_count(shipped):
    records = (
        {"level": "info", "timestamp": f"2026-01-31T10:20:{at}Z", "message": "train", "step": at, "loss": loss}
        for at, loss in zip(range(10, 40), [2.5] * 5 + [float("nan")] * 25, strict=True)
    )
    report = replay([MemorySource("a.log", "".join(json.dumps(one) + "\n" for one in records))], shipped)
    assert (report.phase, report.diagnoses[0].cause) == ("train_step", "loss-nan")


def test_evidence_is_told_by_the_line_of_its_record_live_and_saved(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    records = [
        *({"level": "info", "time": f"2026-01-31T10:20:{at}Z", "msg": f"step {at} loss 2.0"} for at in range(10, 40)),
        {"level": "error", "time": "2026-01-31T10:20:41Z", "msg": "training gave way", "exception": TRACEBACK},
        {"level": "info", "time": "2026-01-31T10:20:42Z", "msg": "bye"},
    ]
    Path("a.log").write_text("".join(json.dumps(one) + "\n" for one in records))
    main(["diagnose", "--format", "json", "a.log"])
    saved = json.loads(capsys.readouterr().out)
    assert (saved["lines"], saved["diagnoses"][0]["evidence"][0]["line"]) == (32, 31)
    main(["watch", "--quiet", "--panel", "off", "--format", "json", "a.log", "--replay", "max"])
    live = json.loads(capsys.readouterr().out)
    assert live["lines"] == 32
    assert [one["line"] for one in live["diagnoses"][0]["evidence"]] == [
        one["line"] for one in saved["diagnoses"][0]["evidence"]
    ]


def test_records_of_ever_other_names_leave_nothing_behind():
    def record(number: int) -> bytes:
        names = {f"{'x' * 40}{number}_{n}": 1 for n in range(2_000)}
        return json.dumps({"message": "m", "level": "info", **names}).encode()

    tracemalloc.start()
    try:
        assert lines_of_record(record(0)) is not None
        before, _ = tracemalloc.get_traced_memory()
        for number in range(1, 20):
            lines_of_record(record(number))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 300_000


_TEXTS = st.text(max_size=12) | st.sampled_from(
    ["step 3", "", " ", "a\n", 'said "x"', "a\\b", "学习率", "\ud800", "x\x1f\x0e"]
)
_TIMES = st.sampled_from(
    ["2026-01-31T10:20:30.250Z", "2024-02-29 10:20:30,250", "2026-02-30 10:20:30.250", "10:20", "2026-04-30T23:59:59.123456789+00:00"]
) | st.just(1769854830)  # fmt: skip
_BESIDE = st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS | st.just({"a": 1})
_WRITERS = (
    {"ts": _TIMES, "level": st.sampled_from(["INFO", "error", "Warn", "none", 30]), "msg": _TEXTS},
    {"log": _TEXTS, "stream": st.sampled_from(["stdout", "stderr", "tty"]), "time": _TIMES},
    {"time": _TIMES, "levelname": st.just("DEBUG"), "step": _BESIDE, "message": _TEXTS, "logger": _BESIDE, "rate": _BESIDE},
    {"message": _TEXTS, "time": _TIMES, "level": st.just("fatal"), "rank": st.integers(0, 8), "error": _BESIDE},
)  # fmt: skip


@given(
    records=st.lists(st.one_of([st.fixed_dictionaries(one) for one in _WRITERS]), min_size=1, max_size=12),
    separators=st.sampled_from([(", ", ": "), (",", ":")]),
    ends=st.sampled_from(["\n", " \r\n", " x\n"]),
)
def test_a_record_is_read_alike_in_a_block_of_many_and_alone(records, separators, ends):
    lines = [json.dumps(one, separators=separators).encode() + ends.encode() for one in records]
    assert records_as_lines(b"".join(lines)) == b"".join(map(records_as_lines, lines))
