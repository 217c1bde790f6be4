"""Dates without a year: the latest that is not in the future, or next to the last full date."""

from datetime import UTC, datetime

import pytest

from logrules.engine.run import replay
from logrules.inference.clock import Clock
from logrules.model.event import Event, Timestamp, Worker
from logrules.ruleset.pack import Pack
from logrules.sources.source import MemorySource


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


class CopiedLog(MemorySource):
    """A log whose file was written, by a copy, long after its lines."""

    modified = at("2026-11-22T10:00")


def read(clock: Clock, stamp: str, *, year_known: bool = False) -> str:
    event = Event("log", 1, 0, "", "", Worker("log"), (), stamp=Timestamp(at(stamp), year_known=year_known))
    seconds = clock.read(event)
    assert seconds is not None
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


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


def test_lines_before_the_first_full_date_are_of_its_year(shipped: Pack) -> None:
    text = (
        "W0304 10:00:00.000000 77 torch/distributed/run.py:779] starting\n"
        "[rank0]:2024-03-04 10:00:07,250 - root - INFO - Preparing c4 dataset from HuggingFace\n"
    )
    report = replay([CopiedLog("train.log", text)], shipped)
    assert report.status != "stalled" and not any(one.rule == "detectors/quiet" for one in report.diagnoses)
