"""Dates without a year: the latest that is not in the future, or next to the last full date."""

from datetime import UTC, datetime

import pytest

from logrules.engine.dating import after_full_date
from logrules.engine.replay_source import ReplaySource
from logrules.engine.run import replay
from logrules.inference.clock import Clock
from logrules.model.event import Event, Timestamp, Worker
from logrules.model.record import replace
from logrules.model.stream import End
from logrules.output.report_json import report_document
from logrules.output.verdict import clock
from logrules.sources.file import FileSource
from tests.conftest import MemorySource


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def read(clock: Clock, stamp: str, *, year_known: bool = False) -> str:
    event = Event("log", 1, 0, "", "", Worker("log"), (), stamp=Timestamp(at(stamp), year_known=year_known))
    seconds = clock.read(event)
    assert seconds is not None
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def test_a_line_without_a_stamp_is_as_far_from_the_last_one_as_it_came_behind_it():
    """The clock of a job may be hours off from ours: its other lines must not lie hours away from these."""
    clock = Clock()
    bare = Event("log", 1, 0, "", "", Worker("log"), ())
    came = at("2026-11-22T10:00")
    assert clock.read(replace(bare, arrived=came)) == came
    stamp = Timestamp(at("2026-11-22T18:00"))
    assert clock.read(replace(bare, stamp=stamp, arrived=came + 5)) == stamp.seconds
    assert clock.read(replace(bare, arrived=came + 12)) == stamp.seconds + 7
    assert clock.now == came + 12


@pytest.mark.parametrize(
    ("written", "stamp", "is_of"),
    [
        ("2026-11-22T10:00", "1970-04-30T10:20:35", "2026-04-30"),
        ("2026-11-22T10:00", "1970-12-30T10:20:35", "2025-12-30"),
        ("2026-11-22T10:00", "1970-11-22T18:00:00", "2026-11-22"),
        ("2026-01-03T10:00", "1970-12-31T23:59:00", "2025-12-31"),
        ("2026-12-31T23:00", "1970-01-01T05:00:00", "2027-01-01"),
    ],
)
def test_a_date_without_a_year_is_not_in_the_future(written, stamp, is_of):
    assert read(Clock(at(written)), stamp) == is_of


def test_a_full_date_in_the_log_counts_more_than_when_the_file_was_written():
    clock = Clock(at("2026-11-22T10:00"))
    read(clock, "2024-12-31T23:00", year_known=True)
    assert read(clock, "1970-01-01T01:00") == "2025-01-01"


# A framework's own lines have no year, those of the logger that comes later do.
MIXED = """\
INFO 07-04 10:00:01 worker.py:10] starting
2024-07-04 10:00:05,000 - INFO - step 1
INFO 07-04 10:00:09 worker.py:20] RuntimeError: lost
"""


@pytest.mark.parametrize(
    ("first", "shown", "guessed"),
    [
        ("INFO 07-04 10:00:05 worker.py:12] step 1", "  07-04 10:00:09", True),
        ("2024-07-04 10:00:05,000 - INFO - step 1", "  2024-07-04 10:00:09", None),
    ],
)
def test_a_year_that_nothing_in_the_log_tells_is_not_told_as_a_fact(shipped, tmp_path, first, shown, guessed):
    path = tmp_path / "log"
    path.write_text(f"{first}\nERROR 07-04 10:00:09 worker.py:20] RuntimeError: CUDA error: out of memory\n")
    report = replay([FileSource(path, "log")], shipped)
    (line,) = [line for line in report.diagnoses[0].evidence if line.line == 2]
    assert clock(line) == shown
    (told,) = [line for line in report_document(report, "en")["diagnoses"][0]["evidence"] if line["line"] == 2]
    assert told.get("year_guessed") is guessed


def saved(shipped):
    seen = []
    replay([MemorySource("log", MIXED)], shipped, observe=seen.append)
    return [event.stamp.seconds for event in seen if event.stamp is not None]


def replayed(shipped):
    source = ReplaySource([MemorySource("log", MIXED)], shipped, speed=None)
    return [item.arrived for item in iter(lambda: source.read(None), End())]


@pytest.mark.parametrize("way", [saved, replayed], ids=lambda way: way.__name__)
def test_lines_before_the_first_full_date_go_by_it(way, shipped):
    assert {datetime.fromtimestamp(seconds, UTC).year for seconds in way(shipped)} == {2024}


def test_only_the_first_lines_wait_for_a_full_date():
    read_ahead = 0

    def lines():
        nonlocal read_ahead
        for _ in range(1_000_000):
            read_ahead += 1
            yield None

    assert next(after_full_date(lines(), lambda stamp: stamp, Clock())) is None
    assert read_ahead < 10_000
