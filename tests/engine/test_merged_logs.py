"""Events of many logs are told in the same order whether the logs are read side by side or one after the other."""

import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.engine import merged_logs
from logrules.engine.merged_logs import merged
from logrules.engine.run import replay
from logrules.model.event import Event, Timestamp, Worker
from tests.conftest import MemorySource

# For each log the times of its lines: some have none, and some are earlier than those of the line above.
JOBS = st.lists(st.lists(st.none() | st.integers(0, 5), max_size=7), max_size=9)


def logs_of(job):
    return [
        iter([
            Event(f"{number}.log", line, 0, "x", "x", Worker(), stamp=None if time is None else Timestamp(float(time)))
            for line, time in enumerate(times, 1)
        ])
        for number, times in enumerate(job)
    ]  # fmt: skip


@pytest.fixture(params=["on-disk", "no-disk"])
def small_runs(request, monkeypatch):
    monkeypatch.setattr(merged_logs, "RUN_EVENTS", 3)
    if request.param == "no-disk":

        def refused(*_given, **_named):
            raise OSError("no space left on device")

        monkeypatch.setattr(tempfile, "TemporaryDirectory", refused)


@given(job=JOBS)
@pytest.mark.usefixtures("small_runs")
def test_logs_that_are_read_one_after_the_other_are_merged_as_those_side_by_side(job):
    assert list(merged(logs_of(job), len(job), 0)) == list(merged(logs_of(job), len(job)))


def test_of_many_logs_few_are_open_at_once(monkeypatch, tmp_path):
    monkeypatch.setattr(merged_logs, "RUN_EVENTS", 10)
    begun, ended = [], []

    def log(number):
        begun.append(number)
        yield from logs_of([[number % 4, number]])[0]
        ended.append(number)
        assert len(begun) == len(ended)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    events = list(merged(map(log, range(40)), 40, 8))
    assert [one.stamp.seconds for one in events] == sorted(one.stamp.seconds for one in events)
    assert not list(tmp_path.iterdir())


def test_the_report_on_more_logs_than_are_held_open_is_the_same(shipped, monkeypatch):
    def report():
        texts = (
            f"2026-03-01 10:00:{number:02},000 ERROR trainer: RuntimeError: CUDA out of memory on task {number}\n"
            for number in range(30)
        )
        return replay([MemorySource(f"slurm-{number}.out", text) for number, text in enumerate(texts)], shipped)

    side_by_side = report()
    monkeypatch.setattr("logrules.engine.run.OPEN_LOGS", 4)
    monkeypatch.setattr(merged_logs, "RUN_EVENTS", 7)
    assert report() == side_by_side
