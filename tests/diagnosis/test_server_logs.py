"""Logs of servers: what they refuse and live through, how they are stopped, and that no server trains."""

import pytest

from logrules.engine.run import Prepared, prepared
from logrules.model.report import Report, Status
from logrules.ruleset.pack import Pack
from logrules.ruletest.harness import run_log

READY = "INFO:     Application startup complete.\n"
REFUSED = """ERROR 03-01 10:00:05 [serving_chat.py:203] Error in preprocessing prompt inputs
ERROR 03-01 10:00:05 [serving_chat.py:203] Traceback (most recent call last):
ERROR 03-01 10:00:05 [serving_chat.py:203]   File "/opt/venv/vllm/entrypoints/openai/serving_engine.py", line 6, in _check
ERROR 03-01 10:00:05 [serving_chat.py:203]     raise ValueError(
ERROR 03-01 10:00:05 [serving_chat.py:203] ValueError: Five of four tokens were asked for
INFO:     127.0.0.1:50100 - "POST /v1/chat/completions HTTP/1.1" 400 Bad Request
"""
ORDERED = """[2025-03-01 10:00:00] Decode batch, #running-req: 6, #token: 60, gen throughput (token/s): 25.00, #queue-req: 0
[2025-03-01 10:00:11] SIGTERM received. signum=None frame=None. Draining requests and shutting down...
[2025-03-01 10:00:11] Subprocess scheduler_0 (pid=344) crashed with exit code -15. Triggering SIGQUIT for cleanup...
[2025-03-01 10:00:11] SIGQUIT received. signum=None, frame=None. It usually means one child failed.
"""
TOLD = "(APIServer pid=7) INFO 03-01 10:09:00 [launcher.py:112] [shutdown] API server: shutdown triggered\n"
GONE = """(APIServer pid=7) ERROR 03-01 10:09:01 [async_llm.py:704] AsyncLLM output_handler failed.
(APIServer pid=7) ERROR 03-01 10:09:01 [async_llm.py:704] Traceback (most recent call last):
(APIServer pid=7) ERROR 03-01 10:09:01 [async_llm.py:704]   File "/opt/venv/vllm/v1/engine/async_llm.py", line 6, in output_handler
(APIServer pid=7) ERROR 03-01 10:09:01 [async_llm.py:704] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.
"""
RAISED = """Traceback (most recent call last):
  File "/srv/app/parse.py", line 8, in parse
    name = call.get("name")
AttributeError: 'NoneType' object has no attribute 'get'
"""
ANSWERED = '[2025-03-01 10:00:06] INFO:     127.0.0.1:50102 - "POST /v1/chat/completions HTTP/1.1" {status}\n'
DOWN = "INFO:     Application shutdown complete.\n"
BAR = "  4%|4         | 1/23 [00:07<02:39,  7.23s/it]\n"


@pytest.fixture(scope="module")
def on(shipped: Pack) -> Prepared:
    return prepared(shipped)


def failed(report: Report) -> bool:
    return report.status in (Status.FAILED, Status.STALLED, Status.UNEXPLAINED)


def test_a_request_that_the_front_end_refuses_is_lived_through(on: Prepared) -> None:
    assert not failed(run_log(on, READY + REFUSED))


def test_the_same_error_without_its_announcement_is_told(on: Prepared) -> None:
    assert failed(run_log(on, READY + "\n".join(REFUSED.splitlines()[1:5])))


def test_a_request_that_is_answered_with_its_failure_is_lived_through(on: Prepared) -> None:
    assert not failed(run_log(on, READY + RAISED + ANSWERED.format(status="500 Internal Server Error")))


def test_an_answer_to_another_request_says_nothing_of_a_failure_before(on: Prepared) -> None:
    other = "Loading of the adapters is over\n" + ANSWERED.format(status="404 Not Found")
    assert failed(run_log(on, READY + RAISED + other))


def test_children_that_an_ordered_stop_ends_did_not_crash(on: Prepared) -> None:
    assert not failed(run_log(on, READY + ORDERED))


@pytest.mark.parametrize("lines", [GONE, GONE + TOLD, GONE + TOLD + GONE])
def test_an_engine_is_dead_whatever_its_server_is_told_later(on: Prepared, lines: str) -> None:
    assert failed(run_log(on, READY + lines + DOWN))


def test_an_engine_that_its_server_ends_is_not_dead(on: Prepared) -> None:
    assert not failed(run_log(on, READY + TOLD + GONE + DOWN))


def test_a_child_that_was_killed_did(on: Prepared) -> None:
    lines = ORDERED.replace("-15", "-9").splitlines()
    assert failed(run_log(on, READY + "\n".join((lines[0], *lines[2:]))))


@pytest.mark.parametrize(
    ("head", "phase"),
    [
        ("[2025-03-01 10:00:00 TP0] Load weight begin. avail mem=75.00 GB\n", "model_load"),
        ("Loading checkpoint shards:  50%|#####     | 1/2 [00:01<00:01,  1.20s/it]\n", "train_step"),
    ],
)
def test_a_bar_without_a_name_is_of_training_where_no_server_was_seen(on: Prepared, head: str, phase: str) -> None:
    assert run_log(on, head + BAR).timeline[-1].phase == phase


WAITING = "[2025-06-07 08:09:1{0},111 E 901 901] (raylet) worker_pool.cc:592: Some workers of the worker process(73{0}) have not registered within the timeout. The process is still alive, probably it's hanging during start.\n"


@pytest.mark.parametrize(
    ("last", "status"), [("", Status.HEALTHY), ("ERROR 06-07 08:09:30 [a.py:1] the mesh is torn\n", Status.UNEXPLAINED)]
)
def test_errors_that_a_warning_rests_on_are_known(on: Prepared, last: str, status: Status):
    report = run_log(on, "".join(map(WAITING.format, range(3))) + last)
    assert (report.diagnoses[0].cause, report.status) == ("worker-startup-stall", status)
