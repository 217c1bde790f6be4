"""What a batch script tells before it has the ranks started, whose lines a launcher labels."""

import pytest

from logrules import load_rules
from logrules.engine.run import prepared
from logrules.ruletest.harness import run_log


@pytest.fixture(scope="module")
def on():
    return prepared(load_rules())


_TRACKER = """\
Traceback (most recent call last):
  File "/home/ann/bin/tracker", line 5, in <module>
    from tracker.cli import cli
  File "/home/ann/lib/tracker/util.py", line 28, in <module>
    import dataclasses
ModuleNotFoundError: No module named 'dataclasses'
"""
_TIMED_OUT = "slurmstepd: error: *** STEP 4242.1 ON gpu-1 CANCELLED AT 2025-03-04T05:06:07 DUE TO TIME LIMIT ***\n"


def steps(label: str) -> str:
    return "".join(
        f"{label.format(rank=rank)}iteration {step} of rank {rank}\n" for step in range(20) for rank in (0, 1)
    )


def raised(label: str, kind: str = "StopIteration") -> str:
    lines = ("Traceback (most recent call last):", '  File "/srv/train.py", line 9, in main', "    next(batches)", kind)
    return "".join(f"{label}{line}\n" for line in lines)


def headline(on, log: str) -> tuple[str, str]:
    top = run_log(on, log).diagnoses[0]
    return top.cause, top.title.en


@pytest.mark.parametrize("label", ["{rank}: ", " {rank}: ", "[default{rank}]:", "[1,{rank}]<stderr>:"])
def test_what_failed_before_the_labelled_ranks_is_no_end_of_theirs(on, label):
    assert headline(on, _TRACKER + steps(label) + _TIMED_OUT)[0] == "preempted"


@pytest.mark.parametrize(
    "refused",
    ["/var/spool/job4242/script: line 12: python: command not found\n", "cat: nodes: No such file or directory\n"],
)
def test_a_command_that_was_missing_before_is_not_either(on, refused):
    assert headline(on, refused + steps("{rank}: ") + _TIMED_OUT)[0] == "preempted"


def test_the_title_is_of_what_a_rank_raised(on):
    log = _TRACKER + steps("{rank}: ") + raised("1: ")
    assert headline(on, log)[0] == "python-exception"
    assert "StopIteration" in headline(on, log)[1]


@pytest.mark.parametrize(
    ("story", "log"),
    [
        ("a rank tells of it", steps("{rank}: ") + "".join(f"1: {line}\n" for line in _TRACKER.splitlines())),
        ("the script tells of it once the ranks are through", steps("{rank}: ") + _TRACKER),
    ],
)
def test_elsewhere_it_is_the_end(on, story, log):
    assert headline(on, log)[0] == "missing-module"


def test_torch_names_a_rank_in_what_it_writes_itself_alone(on):
    hang = "HW Exception by GPU node-9 (Agent handle: 0x4f1a173e4b15) reason :GPU Hang\n"
    late = "".join(
        f"[rank{rank}]:[E1109 16:13:20.2{rank}5619596 ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective "
        f"operation timeout: WorkNCCL(SeqNum=45, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for "
        f"60002{rank} milliseconds before timing out.\n"
        for rank in (1, 2, 3)
    )
    assert headline(on, hang + late)[0] == "gpu-xid"
