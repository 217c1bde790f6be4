"""Several batch jobs that append to one log: the last one counts, whatever became of those before it."""

import pytest

import logrules
from logrules.model.report import Report, Status

FAILED = (
    "Traceback (most recent call last):",
    '  File "/home/ann/train.py", line 40, in <module>',
    "    main()",
    '  File "/home/ann/train.py", line 12, in main',
    "    out = model(batch)",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    "srun: error: node3: task 0: Exited with exit code 1",
)
OUT_OF_TIME = ("slurmstepd: error: *** JOB 7101 ON node3 CANCELLED AT 2024-05-06T11:00:00 DUE TO TIME LIMIT ***",)
COMPLETED = ("Training finished",)
HEADS = ("SLURM_JOB_ID={}", "Job ID: {}", "== Slurm Job ID {} ==", "export SLURM_JOBID={}")


def job(number: int, steps: int, end: tuple[str, ...] = (), head: str = HEADS[0]) -> list[str]:
    told = [f"step {step} loss 0.5" for step in range(1, steps + 1)]
    return ["Mon May  6 10:00:00 UTC 2024", head.format(number), "reading the settings", *told, *end]


def read(tmp_path, *lines: str) -> Report:
    log = tmp_path / "slurm-train.out"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return logrules.diagnose(str(log))


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("steps", [0, 3, 60])
@pytest.mark.parametrize(("end", "cause"), [(FAILED, "cuda-oom"), (OUT_OF_TIME, "preempted")])
def test_a_failed_job_above_one_that_runs_is_no_failure(tmp_path, head, steps, end, cause):
    report = read(tmp_path, *job(7101, 20, end, head), *job(7102, steps, head=head))
    assert report.status in (Status.RUNNING, Status.HEALTHY)
    assert [(run.status, run.cause, run.first_line) for run in report.earlier_runs] == [(Status.FAILED, cause, 1)]


@pytest.mark.parametrize("end", [COMPLETED, (), FAILED])
def test_the_last_job_that_fails_has_failed_whatever_was_before(tmp_path, end):
    report = read(tmp_path, *job(7101, 20, end), *job(7102, 5, FAILED))
    assert (report.status, report.diagnoses[0].cause) == (Status.FAILED, "cuda-oom")
    assert len(report.earlier_runs) == 1
    assert all(line.line > len(job(7101, 20, end)) for line in report.diagnoses[0].evidence)


def test_of_three_the_last_one_counts(tmp_path):
    report = read(tmp_path, *job(7101, 5, FAILED), *job(7102, 5, OUT_OF_TIME), *job(7103, 5, COMPLETED))
    assert report.status is Status.COMPLETED
    assert [run.cause for run in report.earlier_runs] == ["cuda-oom", "preempted"]


PREEMPTED = "slurmstepd: error: *** JOB 7101 ON node3 CANCELLED AT 2024-05-06T10:00:00 DUE TO PREEMPTION ***"


@pytest.mark.parametrize(
    ("story", "later", "earlier"),
    [
        ("a job that was put back into the queue goes on in its log", "2024-05-06 10:31:00,100 - INFO - ", 1),
        ("what its processes say while they end is of the same job", "2024-05-06 10:01:00,100 - INFO - ", 0),
    ],
)
def test_what_a_log_has_long_after_a_scheduler_ended_its_job(tmp_path, story, later, earlier):
    steps = [f"{later}step {step} loss 0.5" for step in range(1, 4)]
    report = read(tmp_path, *job(7101, 5), PREEMPTED, *steps)
    assert len(report.earlier_runs) == earlier
    assert (report.status is Status.FAILED) is (earlier == 0)


def test_a_job_that_is_requeued_keeps_its_number(tmp_path):
    assert read(tmp_path, *job(7101, 5), *job(7101, 5)).earlier_runs == ()


def test_each_rank_may_say_the_number_of_the_job(tmp_path):
    assert read(tmp_path, "0: SLURM_JOB_ID=7101", "1: SLURM_JOB_ID=7101", *job(7101, 5)).earlier_runs == ()


def test_jobs_side_by_side_are_not_told_apart_again_and_again(tmp_path):
    heads = [f"{number % 2}: SLURM_JOB_ID={7101 + number % 2}" for number in range(8)]
    assert len(read(tmp_path, *heads, *job(7102, 5)).earlier_runs) <= 1


def test_of_several_logs_of_a_job_the_run_begins_once(tmp_path):
    for node in range(2):
        lines = [*job(7101, 5, FAILED), *job(7102, 5)]
        stamped = [f"2024-05-06 10:{place:02d}:0{node} {line}" for place, line in enumerate(lines)]
        (tmp_path / f"node{node}.out").write_text("\n".join(stamped) + "\n", encoding="utf-8")
    report = logrules.diagnose(*(str(tmp_path / f"node{node}.out") for node in range(2)))
    assert len(report.earlier_runs) == 1


@pytest.mark.parametrize("date", ["Tue May  7 16:38:21 2024       ", "Tue May  7 16:38:21 CEST 2024"])
def test_a_date_that_is_printed_tells_the_next_job_from_one_that_was_cancelled(tmp_path, date):
    cancelled = "slurmstepd: error: *** JOB 7101 ON node3 CANCELLED AT 2024-05-06T10:00:00 ***"
    report = read(tmp_path, *job(7101, 5), cancelled, date, "reading the settings", *COMPLETED)
    assert (report.status, [run.cause for run in report.earlier_runs]) == (Status.COMPLETED, ["interrupted"])
