"""A log says the same whoever carried its lines: a container's runtime, a collector, a launcher."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from logrules import diagnose
from logrules.model.stream import Block
from logrules.parsing.deduplication import EntryRoles
from logrules.parsing.growing_log import GrowingLog
from logrules.parsing.header import HeaderParser
from logrules.parsing.hit_lines import MAX_SLICE_BYTES, Found, hit_lines
from logrules.parsing.log_ends import RawLine
from logrules.parsing.reader import Reader
from logrules.parsing.sampler import Sampler
from logrules.parsing.scan import Scanner
from logrules.parsing.window import Window
from logrules.parsing.window_sample import WindowSample
from tests.conftest import fixtures

_BEGIN = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)


def _clock(number: int) -> str:
    return (_BEGIN + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%S.250000001Z")


def _docker(number: int, line: str) -> str:
    return json.dumps({"log": line + "\n", "stream": "stderr", "time": _clock(number)})


# How each writes a line: its number and what it says. A bar is drawn over what stands at the beginning of its line.
_CARRIERS: dict[str, Callable[[int, str], str]] = {
    "kubectl logs --timestamps": lambda number, line: f"{_clock(number)} {line}",
    "the log of a pod on its node": lambda number, line: f"{_clock(number)} stderr F {line}",
    "docker compose": lambda _, line: f"trainer-1  | {line}",
    "docker's own file": _docker,
    "journal": lambda number, line: f"Jan 02 03:{number // 60:02}:{number % 60:02} gpu-7 train[4242]: {line}",
    "an actor of Ray": lambda _, line: f"(TaskRunner pid=4242) {line}",
}
_LOGS = (
    "torch-rank1-sigkill-mid-step",
    "deepspeed-rank1-raises",
    "datasets-corrupt-parquet",
    "datasets-map-function-key-error",
    "hub-healthy-download-resumed",
    "gunicorn-worker-fails-to-boot",
    "accelerate-token-out-of-range",
    "ray-more-actors-than-cpus",
    "trainer-loss-nan",
    "dask-worker-killed-each-time",
    "lightning-step-hangs",
    "torch-sharded-save-by-one-rank",
    "datasets-healthy-build-and-map",
)


def _told(log: Path) -> tuple[object, ...]:
    report = diagnose(log)
    return report.status, [(one.cause, one.phase, one.ranks[:1]) for one in report.diagnoses]


def _carried(text: str, write: Callable[[int, str], str]) -> str:
    return "\n".join(write(number, line) if line else line for number, line in enumerate(text.split("\n")))


@pytest.mark.one_in(11)
@pytest.mark.parametrize("carrier", _CARRIERS)
@pytest.mark.parametrize("case", _LOGS)
def test_whoever_carries_a_log_it_is_diagnosed_the_same(case, carrier, tmp_path):
    bare = fixtures() / "captured" / case / "log.txt"
    log = tmp_path / "log.txt"
    log.write_text(_carried(bare.read_text(), _CARRIERS[carrier]), newline="")
    assert _told(log) == _told(bare)


def test_what_several_raise_at_once_is_not_one_process_that_lives_on(tmp_path):
    """Though all is printed by their launcher, which the journal names."""
    head, frame = "Traceback (most recent call last):", '  File "/home/user/job/train.py", line 9, in main'
    source, last = "    rows = os.listdir(path)", "FileNotFoundError: [Errno 2] No such file or directory: '/srv/books'"
    lines = [head, frame, head, head, frame, frame, source, last, source, last, source, last, head, frame, source, last]
    text = "\n".join(lines) + "\n"
    bare, log = tmp_path / "bare.log", tmp_path / "log.txt"
    bare.write_text(text)
    log.write_text(_carried(text, _CARRIERS["journal"]))
    assert diagnose(log).diagnoses[0].cause == diagnose(bare).diagnoses[0].cause == "dataset-missing"
    assert diagnose(log).status == "failed"


@pytest.fixture(scope="module")
def peeler(shipped):
    return HeaderParser(shipped)


@pytest.mark.parametrize(
    ("line", "rank", "message"),
    [
        ("trainer-1  | 3: hello", 3, "hello"),
        ("(TaskRunner pid=4242) 3: [rank7]: hello", 7, "hello"),
        ("Jan 02 03:04:05 gpu-7 train[4242]: [rank=3] || hello", 3, "hello"),
        ("2025-01-02 03:04:05.250 [ERROR] r3: hello", 3, "hello"),
        ("2025-01-02T03:04:05.250000001Z   r3: hello", 3, "hello"),
        # What a program logs is no line of another's, and of two numbers the second counts no ranks.
        ("[2025-01-02 03:04:05,250] [INFO] [a.py:7:f] 3: hello", None, "3: hello"),
        ("3: 4: hello", 3, "4: hello"),
    ],
)
def test_behind_a_carrier_a_line_begins_as_any_line(peeler, line, rank, message):
    header = peeler.peel(line)
    assert (header.rank, header.message) == (rank, message)


def test_the_time_of_a_container_leaves_what_is_indented(peeler):
    assert peeler.peel("2025-01-02T03:04:05.250000001Z     main()").message == "    main()"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("trainer-1  | (TaskRunner pid=7) [2025-01-02 03:04:05,250] [INFO] [a.py:7:f] hello", ("TaskRunner", 7)),
        ("trainer-1  | hello", ("trainer-1", None)),
        ("[2025-01-02 03:04:05,250] [INFO] [a.py:7:f] [RANK 3] hello", (None, None)),
    ],
)
def test_who_carries_a_line_is_told_apart_from_who_logs_it(peeler, line, said):
    carrier = peeler.carrier(line)
    assert (carrier.role, carrier.pid, carrier.level, carrier.rank) == (*said, None, None)


def test_what_a_bar_draws_over_a_line_is_of_who_carries_the_line(shipped):
    """However long the line has grown, live as saved."""
    bars = "".join(f"\rMap:  {n // 10}%|#2   | {n}/1000 [01:00<07:20,  5.0s/it]" for n in range(1000))
    data = f"trainer-1  | {bars}\ntrainer-1  | epoch 1, loss: 0.3\n".encode()
    scanner = Scanner(shipped.signals, trace=shipped.trace)

    def found(window: Window, sample: WindowSample | None = None, known: int = 0) -> Found:
        return hit_lines(window, scanner.scan(window.data), sample, known)

    reader = Reader(shipped, scanner.signals_of)
    saved = list(reader.events(found(Window("log", 0, 0, data)), 1))
    growing = GrowingLog("log", reader.for_another(), found, lambda: Sampler(scanner.sampled, EntryRoles))
    pieces = [data[start : start + 5_000] for start in range(0, len(data), 5_000)]
    live = [event for n, piece in enumerate(pieces) for event in growing.read(Block("log", n * 5_000, piece))]
    assert len(bars) > MAX_SLICE_BYTES
    assert (
        {event.worker.role for event in saved}
        == {event.worker.role for event in [*live, *growing.held()]}
        == {"trainer-1"}
    )


def test_of_a_last_line_that_was_drawn_over_the_last_state_counts(shipped):
    reader = Reader(shipped, Scanner(shipped.signals, trace=shipped.trace).signals_of)
    line = RawLine(7, 100, b"trainer-1  | \rMap: 1%|#  | 1/100\rMap: 2%|#  | 2/100\r  \r")
    (event,) = reader.tail_events("log", [line])
    assert (event.text, event.offset, event.worker.role) == ("Map: 2%|#  | 2/100", 133, "trainer-1")


def test_a_level_that_a_collector_gave_to_a_whole_stream_tells_of_no_line(tmp_path):
    def record(line: str) -> str:
        return json.dumps({"severity": "ERROR", "message": line, "timestamp": "2025-01-02T03:04:05.1Z"})

    calm = ["using the cached extensions", "INFO 02-27 20:33:36 [loggers.py:259] ready", *["batch is read"] * 10]
    log = tmp_path / "log.txt"
    log.write_text("\n".join(map(record, calm)))
    assert diagnose(log).status != "unexplained"
    log.write_text("\n".join(map(record, [*calm, "the shard server refused the hand-over of epoch 3"])))
    assert diagnose(log).status == "unexplained"
    # What a program logs itself counts, whatever its words.
    log.write_text("\n".join(f"{one}" for one in [*calm, "2025-01-02 03:04:05 ERROR shards: the hand-over is void"]))
    assert diagnose(log).status == "unexplained"


def test_a_level_in_front_of_a_line_is_none_of_its_words(shipped):
    scanner = Scanner(shipped.signals, trace=shipped.trace)
    window = Window("log", 0, 0, b"2025-01-02 03:04:05.250 [ERROR] NCCL version 2.21.5+cuda12.4\n")
    (event,) = Reader(shipped, scanner.signals_of).events(hit_lines(window, scanner.scan(window.data)), 1)
    assert "nccl/version:marker" in {shipped.signals[hit.signal].id for hit in event.hits}


@pytest.mark.parametrize(
    ("above", "stance"),
    [
        ("2025-01-02 03:04:05.250 | INFO     | app:stream:42 -     out.write(row)", "fact"),
        ("2025-01-02 03:04:05.250 | INFO     | app:stream:42 - the row could not be written", "caught"),
        ("    out.write(row)", "caught"),
    ],
)
def test_what_a_logger_passes_on_line_by_line_is_not_logged_at_its_level(shipped, above, stance):
    line = "2025-01-02 03:04:05.250 | INFO     | app:stream:42 - OSError: [Errno 28] No space left on device"
    scanner = Scanner(shipped.signals, trace=shipped.trace)
    window = Window("log", 0, 0, f"hello\n{above}\n{line}\n".encode())
    *_, event = Reader(shipped, scanner.signals_of).events(hit_lines(window, scanner.scan(window.data)), 1)
    assert (event.line, event.stance) == (3, stance)
