"""What a launcher prints through a buffer comes out as it ends: then its banner is the last thing in the log."""

import pytest

from logrules import load_rules
from logrules.engine.run import prepared
from logrules.model.report import Status
from logrules.ruletest.harness import run_log

BAR = "".join(
    f"[{'>' * number:<40}] {number * 15}/600, 12.5 task/s, elapsed: {number}s, ETA: {40 - number:5}s\n"
    for number in range(1, 41)
)
STARS = "*****************************************"
WORDS = "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded"
BANNER = f"{STARS}\n{WORDS}\n{STARS}\n"
LOGGED = "".join(f"W1120 22:32:28.956000 5476 torch/distributed/run.py:874] {line}\n" for line in (STARS, WORDS, STARS))


@pytest.fixture(scope="module")
def on():
    return prepared(load_rules())


@pytest.mark.parametrize(
    ("story", "log", "status", "earlier"),
    [
        ("the banner of the run above", f"{BAR}mAP : 41.50\n{BANNER}", Status.RUNNING, 0),
        ("a logger does not wait: this is another run", f"{BAR}mAP : 41.50\n{LOGGED}", Status.STALLED, 1),
        ("the run above had its own", f"{BANNER}{BAR}mAP : 41.50\n{BANNER}", Status.STALLED, 1),
        ("nothing ran above", BANNER, Status.STALLED, 0),
    ],
)
def test_a_banner_at_the_end_of_a_log(on, story, log, status, earlier):
    report = run_log(on, log)
    assert (report.status, len(report.earlier_runs)) == (status, earlier)


def launched(hour: int, *said: str) -> str:
    at = f"[2025-05-04 {hour}:00:07,100]"
    return "".join(
        f"{line}\n"
        for line in (
            f"{at} [INFO] [runner.py:605:main] cmd = /env/bin/python -u -m deepspeed.launcher.launch train.py",
            f"{at} [INFO] [launch.py:146:main] WORLD INFO DICT: {{'localhost': [0, 1]}}",
            *said,
            f"{at} [INFO] [launch.py:319:sigkill_handler] Killing subprocess 77",
            f"{at} [ERROR] [launch.py:325:sigkill_handler] ['/env/bin/python', 'train.py'] exits with return code = 1",
        )
    )


def test_a_launcher_with_a_logger_whose_ranks_end_at_once_is_a_run_of_its_own(on):
    rendezvous = (
        "[2025-05-04 18:00:07,100] [INFO] [comm.py:700:init_distributed] Initializing TorchBackend in DeepSpeed"
    )
    report = run_log(on, launched(18, rendezvous) + launched(19))

    assert len(report.earlier_runs) == 1
    assert report.phase == "launch"
    assert min(line.line for line in report.diagnoses[0].evidence) > 5
