"""A job that is ended from outside after it stood still for longer than it may: the stall is told first."""

import pytest

from logrules import diagnose
from logrules.model.report import Status

BEGUN = "2026-03-04 10:00:00 - INFO - datasets.builder - Generating train split\n"


def ended(tmp_path, shipped, line: str, *, begun: str = BEGUN):
    log = tmp_path / "slurm-4711.out"
    log.write_text(f"{begun}{line}\n", encoding="utf-8")
    return diagnose(log, pack=shipped)


@pytest.mark.parametrize(
    "line",
    [
        "slurmstepd: error: *** JOB 4711 ON gpu-04 CANCELLED AT 2026-03-04T10:45:00 DUE TO TIME LIMIT ***",
        "slurmstepd: error: *** JOB 4711 ON gpu-04 CANCELLED AT 2026-03-04T10:45:00 ***",
        "2026-03-04 10:45:00 - ERROR - main - KeyboardInterrupt",
        "\rGenerating train split: 0 examples [00:00, ? examples/s]\n"
        "slurmstepd: error: *** JOB 4711 ON gpu-04 CANCELLED AT 2026-03-04T10:45:00 ***",
        "\rGenerating train split: 0 examples [00:00, ? examples/s]"
        "slurmstepd-gpu-04: error: *** JOB 4711 ON gpu-04 CANCELLED AT 2026-03-04T10:45:00 ***",
    ],
    ids=["time limit", "cancelled", "typed", "below a bar", "behind a bar"],
)
def test_what_stood_for_longer_than_its_patience_is_why_it_was_ended(tmp_path, shipped, line):
    report = ended(tmp_path, shipped, line)
    assert report.status is Status.STALLED
    assert report.diagnoses[0].cause == "dataset-build-stall"
    assert {one.cause for one in report.diagnoses[0].consequences} <= {"preempted", "interrupted"}
    assert report.diagnoses[0].consequences


@pytest.mark.parametrize(
    ("begun", "line"),
    [
        (BEGUN, "slurmstepd: error: *** JOB 4711 ON gpu-04 CANCELLED AT 2026-03-04T10:01:00 DUE TO TIME LIMIT ***"),
        ("Generating train split\n", "slurmstepd: error: *** JOB 4711 ON gpu-04 CANCELLED AT 2026-03-04T10:45:00 ***"),
        (
            BEGUN,
            "\rGenerating train split: 9000 examples [42:00, 3.57 examples/s]"
            "slurmstepd: error: *** JOB 4711 ON gpu-04 CANCELLED AT 2026-03-04T10:45:00 ***",
        ),
    ],
    ids=["young", "without a time", "a bar that moved to the last"],
)
def test_what_may_have_been_at_work_is_not(tmp_path, shipped, begun, line):
    report = ended(tmp_path, shipped, line, begun=begun)
    assert report.status is Status.FAILED
    assert report.diagnoses[0].cause in {"preempted", "interrupted"}


def summary(at: str) -> str:
    """A table that a program logs line by line, of more kinds of lines than who waits writes."""
    rows = ("mean", "median", "least", "most", "count", "spread", "width", "height", "left", "right", "above")
    return "".join(f"2026-03-04 {at} - INFO -     {row}: 0.4711\n" for row in rows)


@pytest.mark.parametrize(
    ("story", "at", "stands"),
    [
        ("what is printed with what was begun is one thing said", "10:00:01", True),
        ("who logs a table half an hour later does not wait", "10:30:00", False),
    ],
)
def test_a_table_is_of_the_one_who_waits_where_it_comes_at_once(tmp_path, shipped, story, at, stands):
    begun = "2026-03-04 10:00:00 - INFO - Loading dataset from /data/quotes.json\n"
    report = ended(tmp_path, shipped, "2026-03-04 10:45:00 - INFO -     total: 17", begun=begun + summary(at))
    assert (report.status is Status.STALLED) is stands
