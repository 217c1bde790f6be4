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
