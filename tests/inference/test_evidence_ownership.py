"""Who speaks for a failure: what knows it, else a row that only knows who raised it, else the catch-all."""

from dataclasses import replace

import pytest

from logrules import load_rules
from logrules.engine.run import replay
from logrules.model.report import Consequence, Diagnosis, Evidence, Restart, Severity, Text
from tests.conftest import MemorySource

_TRACE = """\
Traceback (most recent call last):
  File "/app/run.py", line 9, in <module>
    main()
  File "/usr/lib/python3.11/site-packages/{file}", line 70, in {function}
    raise
{raised}
"""


@pytest.mark.parametrize(
    ("file", "raised", "cause"),
    [
        # The library's own check, by who raised it alone.
        ("trl/trainer/sft_trainer.py", "ValueError: `a_setting` needs a second one beside it.", "bad-config"),
        ("ray/util/placement_group.py", "ValueError: a soft target asks for another kind of group", "bad-config"),
        ("ray/util/queue.py", "TypeError: maxsize must be an integer", "bad-config"),
        # A row that knows the words goes first.
        ("trl/trainer/sft_trainer.py", "ValueError: CUDA out of memory. Tried to allocate 2.00 GiB", "cuda-oom"),
        # The words are those of a tensor operation: the library only called it.
        (
            "trl/trainer/sft_trainer.py",
            "RuntimeError: The size of tensor a (3) must match the size",
            "python-exception",
        ),
        # The user's own code asks for nothing that a table knows.
        ("odd/thing.py", "ValueError: `a_setting` needs a second one beside it.", "python-exception"),
    ],
)
def test_who_knows_a_failure(file: str, raised: str, cause: str):
    text = _TRACE.format(file=file, function="run", raised=raised)
    report = replay([MemorySource("train.log", text)], load_rules())
    assert report.diagnoses[0].cause == cause


def test_one_failure_is_told_once():
    text = _TRACE.format(
        file="trl/trainer/sft_trainer.py", function="run", raised="ValueError: `a` needs `b` beside it."
    )
    (only,) = replay([MemorySource("train.log", text)], load_rules()).diagnoses
    assert "python/exception" not in {one.rule for one in only.consequences}


def test_a_row_speaks_for_what_its_record_quotes_on_the_way():
    text = """\
Traceback (most recent call last):
  File "/app/run.py", line 9, in <module>
    ray.get(manager.generate.remote(7))
  File "/usr/lib/python3.11/site-packages/ray/_private/worker.py", line 70, in get
    raise value
ray.exceptions.UnserializableException: Failed to deserialize exception. Refer to https://docs.ray.io/ for more.
Original exception:
ray.exceptions.RayTaskError: ray::Manager.generate() (pid=7, ip=10.3.0.8)
  File "/usr/lib/python3.11/site-packages/httpx/_models.py", line 70, in raise_for_status
    raise HTTPStatusError(message)
httpx.HTTPStatusError: Server error '503 Service Unavailable' for url 'http://10.3.0.8:31000/generate'
"""
    first = replay([MemorySource("train.log", text)], load_rules()).diagnoses[0]
    assert first.cause == "service-unreachable"


def test_what_announces_a_failure_is_shown_with_it():
    text = (
        "Failed to initialize vLLM engine\n"
        + _TRACE.format(
            file="vllm/engine/llm_engine.py", function="__init__", raised="RuntimeError: Cannot allocate memory"
        )
        + "Failed to initialize vLLM engine\n"
    )
    first = replay([MemorySource("train.log", text)], load_rules()).diagnoses[0]
    assert first.cause == "host-oom"
    assert [line.line for line in first.evidence] == [7]


def test_what_stands_right_above_a_failure_is_shown_with_it():
    text = "Failed to initialize vLLM engine\nRuntimeError: Cannot allocate memory\nFailed to initialize vLLM engine\n"
    first = replay([MemorySource("train.log", text)], load_rules()).diagnoses[0]
    assert [line.line for line in first.evidence][:2] == [1, 2]


def test_what_gives_the_details_of_a_failure_is_shown_with_it():
    text = (
        "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1300, internal error, NCCL version 2.18\n"
        "ncclInternalError: Internal check failed.\nLast error:\nNet : Connection closed by remote peer gpu-3<43210>\n"
    )
    first = replay([MemorySource("train.log", text)], load_rules()).diagnoses[0]
    assert 4 in [line.line for line in first.evidence]


def test_the_same_line_again_is_no_effect():
    line = Evidence("a.log", 7, "x", "main")
    effects = tuple(
        Consequence(rule, cause, Text(rule), (replace(line, line=at),))
        for rule, cause, at in (
            ("a/same-line", "peer-lost", 7),
            ("a/same-cause", "cuda-oom", 9),
            ("a/b", "peer-lost", 9),
        )
    )
    one = Diagnosis(
        "a/oom", "cuda-oom", "train_step", Severity.ERROR, 0.9, Text("x"), Text("x"), Restart.RETRY,
        evidence=(line,), consequences=effects,
    )  # fmt: skip
    assert [other.rule for other in one.effects] == ["a/b"]


def test_the_same_cause_again_is_no_effect():
    raised = "ModuleNotFoundError: No module named 'cv2'"
    text = f'Traceback (most recent call last):\n  File "/app/run.py", line 9, in <module>\n    import cv2\n{raised}\n'
    first = replay([MemorySource("train.log", text)], load_rules()).diagnoses[0]
    assert [one.cause for one in first.consequences] == ["missing-module"]
    assert first.effects == ()


def test_what_a_rule_knows_is_not_told_again_as_unknown_where_the_log_outlived_it():
    opening = "acme 1.2 starts\nreading settings of acme\nusing 8 threads for acme\nthe cards are ready\n"
    failed = '\nTraceback (most recent call last):\n  File "/app/{}.py", line 9, in <module>\n    main()\n{}\n'
    first = failed.format("fit", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.")
    last = failed.format("score", "ZeroDivisionError: division by zero")
    diagnoses = replay([MemorySource("train.log", opening + first + opening + last)], load_rules()).diagnoses

    assert diagnoses[0].cause == "python-exception"
    assert all("out of memory" not in line.text for line in diagnoses[0].evidence)
