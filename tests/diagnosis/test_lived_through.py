"""Exceptions that actors catch, log and live on after, and those that end them."""

import pytest

from logrules import load_rules
from logrules.engine.run import prepared
from logrules.model.report import Status
from logrules.ruletest.harness import run_log


@pytest.fixture(scope="module")
def on():
    return prepared(load_rules())


def raised(pid: int, line: int = 40) -> str:
    return (
        f"(PlayWorker pid={pid}) Traceback (most recent call last):\n"
        f'(PlayWorker pid={pid})   File "/srv/play/agent.py", line {line}, in act\n'
        f"(PlayWorker pid={pid})     move = self.parse(answer)\n"
        f"(PlayWorker pid={pid}) ValueError: answer {pid} holds no move\n"
    )


@pytest.mark.parametrize(
    ("story", "log", "failed"),
    [
        ("one actor that raised it ends in it", raised(7), True),
        ("each of three actors raised it once", raised(7) + raised(8) + raised(9), True),
        ("one actor raised it thrice and lives", raised(7) * 3, False),
        ("what a peer lives through ends no actor", raised(7) * 3 + raised(8), False),
        ("what a peer raised elsewhere is another matter", raised(7) * 3 + raised(8, line=90), True),
    ],
)
def test_what_actors_raise_again_and_again_ends_none_of_them(on, story, log, failed):
    assert (run_log(on, log).status is Status.FAILED) is failed


_BARS = "".join(
    f"Processed prompts:   0%|          | 0/8 [00:00<?, ?it/s]\n"
    f"Processed prompts: 100%|##########| 8/8 [00:0{number}<00:00,  2.60s/it]\n"
    for number in range(1, 7)
)


@pytest.mark.parametrize(
    ("story", "log", "failed"),
    [
        ("bars of one size, each drawn from its beginning", _BARS, False),
        ("one bar that is drawn at its end again and again", _BARS.splitlines(keepends=True)[1] * 6, True),
    ],
)
def test_a_bar_that_begins_anew_moves(on, story, log, failed):
    assert (run_log(on, "error: subprocess-exited-with-error\n" + log).status is Status.FAILED) is failed


_STOP = (
    "INFO 03-01 10:00:00 api_server.py:840] vLLM API server version 0.7.2\n"
    "INFO:     Application startup complete.\n"
    "INFO 03-01 10:05:00 launcher.py:59] Shutting down FastAPI HTTP server.\n"
    "ERROR 03-01 10:05:00 engine.py:389] Traceback (most recent call last):\n"
    'ERROR 03-01 10:05:00 engine.py:389]   File "/e/site-packages/vllm/engine/multiprocessing/engine.py", line 374\n'
    "ERROR 03-01 10:05:00 engine.py:389] KeyboardInterrupt: {words}\n"
    "INFO:     Application shutdown complete.\n"
)


@pytest.mark.parametrize(("words", "failed"), [("MQLLMEngine terminated", False), ("terminated", True)])
def test_an_engine_that_its_own_server_stops_was_not_killed(on, words, failed):
    assert (run_log(on, _STOP.format(words=words)).status is Status.FAILED) is failed


@pytest.mark.parametrize(
    ("said", "failed"),
    [
        (
            "[W 2026-04-02 11:20:07,250] Trial 8 failed with parameters: {'depth': 4} because of the following error: x",
            False,
        ),
        ("2026-04-02 11:20:07 ERROR Training failed because of the following error: ", True),
    ],
)
def test_a_search_takes_the_next_trial_and_a_job_that_says_why_it_failed_has_failed(on, said, failed):
    log = (
        f'{said}\nTraceback (most recent call last):\n  File "/srv/a.py", line 7, in fit\nValueError: no such column\n'
    )
    assert (run_log(on, log).status is Status.FAILED) is failed


_DONE = "[rank{0}]: epoch 9 step 990 loss 1.31\n[rank{1}]: epoch 9 step 990 loss 1.31\n[rank{0}]: Training finished\n"
_WAITED = (
    "[rank1]:[E ProcessGroupNCCL.cpp:629] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=51, "
    "OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600034 milliseconds before timing out.\n"
)
_LOST = (
    "[rank{0}]: Traceback (most recent call last):\n"
    '[rank{0}]:   File "/job/a.py", line 3, in step\n[rank{0}]:     run()\n'
    "[rank{0}]: RuntimeError: [gloo/transport/tcp/pair.cc:547] Connection closed by peer [10.0.0.2]:28048\n"
)


@pytest.mark.parametrize(
    ("story", "log", "failed"),
    [
        ("the first rank is done, and the others wait until their time runs out", _DONE.format(0, 1) + _WAITED, True),
        (
            "the same, without the limit in that line",
            _DONE.format(0, 1) + _WAITED.partition("WorkNCCL")[0] + "\n",
            True,
        ),
        ("what its peers lose when the first rank has ended is no matter", _DONE.format(0, 1) + _LOST.format(1), False),
        ("another rank is done, and the first loses it", _DONE.format(1, 0) + _LOST.format(0), True),
    ],
)
def test_a_job_has_ended_well_only_if_nobody_was_left_behind(on, story, log, failed):
    assert (run_log(on, log).status is Status.FAILED) is failed


def _run(clock: str, minute: int) -> str:
    return (
        f"2025-05-07 {clock}:{minute:02}:00,100 - __main__ - INFO - Loading model: acme/csm\n"
        f"2025-05-07 {clock}:{minute:02}:09,100 - __main__ - INFO - Starting epoch 1/9\n"
        f"2025-05-07 {clock}:{minute:02}:11,100 - __main__ - INFO - step 1/40 loss 2.5{minute}\n"
    )


_RAISED = (
    "2025-05-07 10:00:20,100 - __main__ - ERROR - Error in training: no label of 9\n"
    "Traceback (most recent call last):\n"
    '  File "/srv/tune.py", line 40, in main\n'
    "    label = labels[key]\n"
    "KeyError: 'no label of 9'\n"
)


@pytest.mark.parametrize(
    ("story", "after", "failed"),
    [
        ("nothing comes after it", "", True),
        ("the same script is started again and trains", _run("11", 5), False),
        ("another process of the same job is still at its start", _run("10", 0), True),
        ("it is started again and has not come to train", _run("11", 5).split("\n")[0] + "\n", True),
    ],
)
def test_what_a_script_is_started_again_after_is_past(on, story, after, failed):
    assert (run_log(on, _run("10", 0) + _RAISED + after).status is Status.FAILED) is failed


_MODULES = "Loaded module: python/3.7\nLoaded dependency [cudnn/7.6]: cuda/10.0\nLoaded module: cudnn/7.6 for cuda\n"


def _ended(line: int, said: str) -> str:
    return f'Traceback (most recent call last):\n  File "train.py", line {line}, in <module>\n    main()\n{said}\n'


def test_of_the_runs_that_one_log_holds_the_last_that_did_more_than_open_it_counts(on):
    log = _MODULES + _ended(9, "TypeError: no such key") + _MODULES + _ended(7, "ValueError: no such format")
    for then in ("", _MODULES):
        (first, *_) = run_log(on, log + then).diagnoses
        assert [line.text for line in first.evidence] == ["ValueError: no such format"]


@pytest.mark.parametrize("between", ["\n", "\r"], ids=["a line each", "all on one line"])
def test_a_bar_shows_that_its_writer_steps_on_however_it_is_drawn(on, between):
    bar = [f"Epoch 2: {n:3}%|##        | {n}/100 [00:{n:02}<01:00,  1.0s/it, loss=0.4]" for n in range(10, 50)]
    error = 'Traceback (most recent call last):\n  File "/job/a.py", line 3, in probe\nValueError: no such probe\n'
    assert run_log(on, error + "\n").status is Status.FAILED
    assert run_log(on, f"{bar[0]}\n{error}{between.join(bar)}\n").status is Status.RUNNING


_TRIAL = (
    "[W 2026-04-02 11:20:07,250] Trial 3 failed with parameters: {{'heads': 9}} because of the following error: {error}\n"
    "Traceback (most recent call last):\n"
    '  File "/e/site-packages/optuna/study/_optimize.py", line 201, in _run_trial\n'
    "    value_or_values = func(trial)\n"
    '  File "/srv/search.py", line 31, in objective\n'
    "{error}\n"
)


_NEXT = "[I 2026-04-02 11:20:{0}9,250] Trial {0} finished with value: 0.5 and parameters: {{'heads': 8}}.\n"


def test_what_a_search_catches_fails_no_run_that_goes_on(on):
    log = _NEXT.format(2) + _TRIAL.format(error="ValueError: 512 is not divisible by 9")
    assert run_log(on, log + _NEXT.format(4)).status is Status.RUNNING
    assert run_log(on, log).status is Status.FAILED


_KINDS = tuple(f"{one} {two}" for one in ("page", "menu", "form", "chart") for two in ("drawn", "sent", "kept", "shut"))


@pytest.mark.parametrize(
    ("task", "failed"),
    [("lifespan.<locals>._force_log()", False), ("MQLLMEngineClient.run_output_handler_loop()", True)],
)
def test_a_task_that_notes_figures_may_lose_its_socket_when_its_server_ends(on, task, failed):
    log = (
        "INFO:     Shutting down\nINFO:     Waiting for application shutdown.\nTask exception was never retrieved\n"
        f"future: <Task finished name='Task-4' coro=<{task} done, defined at /env/vllm/entrypoints/api_server.py:75>>\n"
        'Traceback (most recent call last):\n  File "/env/lib/python3.10/site-packages/vllm/rpc/client.py", line 59, in socket\n'
        "    socket = self.context.socket(DEALER)\nzmq.error.ZMQError: Operation not supported\n"
        "INFO:     Application shutdown complete.\n"
    )
    assert (run_log(on, log).status is Status.FAILED) is failed


def test_what_a_server_catches_fails_no_run_that_tells_more(on):
    log = (
        "2026-04-02 11:20:07.371 Examining the path of acme.models.vision raised:\n"
        "Traceback (most recent call last):\n"
        '  File "/e/site-packages/streamlit/watcher/local_sources_watcher.py", line 31, in get_module_paths\n'
        "ModuleNotFoundError: No module named 'acmevision'\n"
    )
    assert run_log(on, log + "".join(f"the {kind}\n" for kind in _KINDS)).status is not Status.FAILED
    assert run_log(on, log).status is Status.FAILED


@pytest.mark.parametrize(
    ("said", "failed"),
    [
        ("ERROR reporter_agent.py:706 -- Error publishing node physical stats.", False),
        ("ERROR node_head.py:412 -- Error receiving node physical stats from reporter agent.", False),
        ("ERROR actor_head.py:209 -- Error processing actor info from GCS.", False),
        ("ERROR utils.py:635 -- Error looping coroutine <function Head._record at 0x7f9acd>.", False),
        ("ERROR agent.py:412 -- Agent is stopping.", True),
    ],
)
def test_what_a_loop_of_rays_dashboard_catches_fails_nothing(on, said, failed):
    log = (
        "2025-03-01 10:00:00,250\tINFO runtime_env_agent.py:514 -- Got request from raylet.\n"
        f"2025-03-01 10:00:05,250\t{said}\n"
        "Traceback (most recent call last):\n"
        '  File "/opt/py/lib/python3.11/site-packages/ray/dashboard/modules/reporter/reporter_agent.py", line 700, in look\n'
        "    stats = self._get_all_stats()\n"
        "AttributeError: _cache\n"
    )
    assert (run_log(on, log).status is Status.FAILED) is failed


@pytest.mark.parametrize(
    ("method", "phase"), [("rollout", "rollout"), ("update_weights", "weight_sync"), ("init_model", "model_load")]
)
def test_what_a_driver_has_its_actors_do_is_where_it_fails(on, method, phase):
    log = (
        "Traceback (most recent call last):\n"
        '  File "/srv/driver.py", line 90, in train\n'
        f"    ray.get([one.{method}.remote(step) for one in crew])\n"
        '  File "/e/site-packages/ray/_private/worker.py", line 2700, in get\n'
        "    raise value\n"
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n"
    )
    assert run_log(on, log).diagnoses[0].phase == phase


_KILLED_AT_EXIT = (
    "(TaskRunner pid=8) step:2 - actor/pg_loss:0.1 - training/global_step:2\n"
    "(TaskRunner pid=8) 'Final validation metrics: None'\n"
    "(TaskRunner pid=8) Training Progress: {percent}%|##### | {done}/4 [00:34<00:00, 17.99s/it]\n"
    "(TaskRunner pid=8) Traceback (most recent call last):\n"
    '(TaskRunner pid=8)   File "/e/site-packages/torch/utils/data/_utils/signal_handling.py", line 73, in handler\n'
    "(TaskRunner pid=8) RuntimeError: DataLoader worker (pid 90) is killed by signal: Killed. \n"
)


@pytest.mark.parametrize(("percent", "done", "failed"), [(100, 4, False), (50, 2, True)])
def test_a_bar_that_only_closes_takes_up_no_run_that_is_complete(on, percent, done, failed):
    report = run_log(on, _KILLED_AT_EXIT.format(percent=percent, done=done))
    assert (report.status is Status.FAILED) is failed


_AT_ITS_START = "INFO 03-01 10:00:00 [__init__.py:216] Automatically detected platform cuda.\n"
_DREW = (
    "Traceback (most recent call last):\n"
    '  File "/srv/embed.py", line 26, in distances\n'
    "    total = near.sum(-2)\n"
    '  File "/e/site-packages/torch/utils/data/_utils/signal_handling.py", line 73, in handler\n'
    "    _error_if_any_worker_fails()\n"
    "RuntimeError: DataLoader worker (pid 90) is killed by signal: Killed. \n"
)
_OUT_OF_MEMORY = (
    "slurmstepd: error: Detected 1 oom_kill event in StepId=61.batch. Some of the step tasks have been OOM Killed.\n"
)


@pytest.mark.parametrize(
    ("log", "phase"),
    [(_AT_ITS_START + _OUT_OF_MEMORY, "launch"), (_AT_ITS_START + _DREW + _OUT_OF_MEMORY, "train_step")],
)
def test_a_job_whose_markers_left_it_at_its_start_ended_where_its_traceback_was(on, log, phase):
    assert run_log(on, log).diagnoses[0].phase == phase


def test_what_is_raised_while_objects_are_freed_is_not_the_end_where_an_exception_follows(on):
    freed = (
        "Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f>\n"
        "Traceback (most recent call last):\n"
        '  File "/e/site-packages/torch/utils/data/dataloader.py", line 1470, in __del__\n'
        "    self._shutdown_workers()\n"
        "RuntimeError: DataLoader worker (pid 71) is killed by signal: Aborted. \n"
    )
    raised_by_main = (
        "Traceback (most recent call last):\n"
        '  File "/srv/fit/fit.py", line 40, in fit\n'
        "    loss = head(features)\n"
        "ValueError: 7 heads do not divide 48 channels\n"
    )
    assert run_log(on, freed).diagnoses[0].cause == "dataloader-worker-died"
    assert run_log(on, freed + raised_by_main).diagnoses[0].cause != "dataloader-worker-died"


_LOOP = "batch {0}: {1} prompts scored\n"
_UNKNOWN = 'Traceback (most recent call last):\n  File "/srv/score.py", line 9, in score\nValueError: no answer in it\n'
_ANSWERED = 'INFO:     10.0.0.4:40{0} - "GET /api/{1} HTTP/1.1" {2}\n'
_ITEM = "2026-04-02 10:{0:02}:00,100 - ingest - INFO - page {0} of the handbook stored, {0} pieces\n"
_LOST_ITEM = "2026-04-02 10:30:00,100 - ingest - ERROR - page of the glossary is empty\n"
_OPENING = "Reading the settings of tides\nCUDA device 0 is used\nBuilding the tide model\nRun with one process\n"


@pytest.mark.parametrize(
    ("story", "log", "status"),
    [
        ("nothing comes below it", _UNKNOWN, Status.FAILED),
        ("a loop without a name counts on", "".join(_LOOP.format(n, 8 * n) for n in range(6)) + _UNKNOWN
         + "".join(_LOOP.format(n, 8 * n) for n in range(6, 12)), Status.RUNNING),
        ("the loop makes one round more", "".join(_LOOP.format(n, 8 * n) for n in range(6)) + _UNKNOWN
         + _LOOP.format(6, 48), Status.FAILED),
        ("a server answers on", _UNKNOWN + "".join(_ANSWERED.format(n, "chats", "200 OK") for n in range(11, 15)),
         Status.HEALTHY),
        ("a server is asked for its health alone", _UNKNOWN
         + "".join(_ANSWERED.format(n, "x", "200 OK").replace("/api/x", "/health") for n in range(11, 15)), Status.FAILED),
        ("a server refuses whatever comes", _UNKNOWN
         + "".join(_ANSWERED.format(n, "chats", "500 Internal Server Error") for n in range(11, 15)), Status.FAILED),
        ("the same program opens the log once more and does more", _OPENING + _UNKNOWN + _OPENING
         + "Copying the results\n", Status.HEALTHY),
        ("another program comes after it", _OPENING + _UNKNOWN + "Copying the results\nDisk is idle\n", Status.FAILED),
        ("two processes open the log, and one is late", "".join(f"{line}\n" * 2 for line in _OPENING.splitlines()) + _UNKNOWN + _OPENING,
         Status.FAILED),
        ("a list is worked through after an item that was lost", "".join(map(_ITEM.format, range(4))) + _LOST_ITEM
         + "".join(map(_ITEM.format, range(31, 50))), Status.HEALTHY),
        ("the item that was lost is the last", "".join(map(_ITEM.format, range(4))) + _LOST_ITEM, Status.UNEXPLAINED),
    ],
)  # fmt: skip
def test_what_stands_below_a_failure_shows_that_its_writer_lived(on, story, log, status):
    found = run_log(on, log).status
    assert (found in {Status.HEALTHY, Status.RUNNING}) == (status in {Status.HEALTHY, Status.RUNNING})
    assert status in {Status.HEALTHY, Status.RUNNING} or found is status


def _caught(below: str) -> str:
    head = "(Player pid=7) ERROR:2026-04-02 10:00:00,100:Traceback (most recent call last):\n"
    return head + raised(7).partition("\n")[2].replace("PlayWorker", "Player") + below


@pytest.mark.parametrize(
    ("story", "log", "failed"),
    [
        ("its logger wrote it, and it plays on", _caught("(Player pid=7) The next game begins on board 4\n"), False),
        ("its logger wrote it, and a peer plays on", _caught("(Player pid=8) The next game begins on board 4\n"), True),
        ("its logger wrote it, and it leaves", _caught("(Player pid=7) Shutting down the board\n"), True),
        ("it ends in it, and its last words come late", raised(7) + "(PlayWorker pid=7) The board is set up\n", True),
    ],
)
def test_a_process_that_logs_what_it_caught_and_says_more_has_lived(on, story, log, failed):
    assert (run_log(on, log).status is Status.FAILED) is failed


_REFUSED = "usage: fit.py [-h] [--lr LR]\nfit.py: error: unrecognized arguments: --rate 1e-4\n"
_RAISED = (
    "Traceback (most recent call last):\n"
    '  File "/srv/app/{file}", line 41, in <module>\n'
    "    main()\n"
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
)


@pytest.mark.parametrize(
    ("story", "log", "cause"),
    [
        ("the program was started anew and read its arguments", _REFUSED + _RAISED.format(file="fit.py"), "cuda-oom"),
        ("what another program fails of may come of it", _REFUSED + _RAISED.format(file="test.py"), "bad-config"),
        (
            "one rank was refused a start, another ran",
            "".join(f"[rank0]: {line}\n" for line in _REFUSED.splitlines())
            + "".join(f"[rank1]: {line}\n" for line in _RAISED.format(file="fit.py").splitlines()),
            "bad-config",
        ),
    ],
)
def test_a_program_that_ran_later_was_not_refused_for_good(on, story, log, cause):
    assert run_log(on, log).diagnoses[0].cause == cause


_THROUGH = "step 1 loss 2.1\nstep 2 loss 2.0\n{'train_runtime': 41.5, 'train_samples_per_second': 2.5, 'epoch': 1.0}\n"


@pytest.mark.parametrize(
    ("story", "log", "failed"),
    [
        ("what is started after a run that is through is refused", _THROUGH + _REFUSED, True),
        ("it was started once more and ran", _THROUGH + _REFUSED + _THROUGH, False),
        ("who was refused before the run", _REFUSED + _THROUGH, False),
    ],
)
def test_a_start_that_is_refused_behind_a_run_is_no_part_of_it(on, story, log, failed):
    report = run_log(on, log)
    assert (report.status is Status.FAILED) is failed
    assert [one.phase for one in report.diagnoses if one.cause == "bad-config"] in ([], ["launch"])


def ended(script: str, said: str) -> str:
    return (
        "Traceback (most recent call last):\n"
        f'  File "/srv/{script}", line 71, in <module>\n'
        "    main()\n"
        f'  File "/srv/{script}", line 60, in main\n'
        "    go()\n"
        f"{said}\n"
    )


_OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
_INDEX = "IndexError: list index out of range"
_BETWEEN = "reading rows of /srv/a\n120 rows\n"


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (ended("fit.py", _OOM) + _BETWEEN + ended("fit.py", _INDEX), "python-exception"),
        # Two processes side by side, the steps of one script, and ranks that a launcher tells of.
        (ended("fit.py", _OOM) + ended("fit.py", _INDEX), "cuda-oom"),
        (ended("prepare.py", _OOM) + _BETWEEN + ended("fit.py", _INDEX), "cuda-oom"),
        (
            ended("fit.py", _OOM)
            + _BETWEEN
            + ended("fit.py", _INDEX)
            + "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 1 (pid: 77) of binary",
            "cuda-oom",
        ),
    ],
    ids=["run again", "side by side", "another script", "ranks"],
)
def test_a_script_that_ended_and_raised_again_was_run_again(on, log, cause):
    assert run_log(on, log).diagnoses[0].cause == cause


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("CRITICAL:__main__:Starting finetuning", Status.HEALTHY),
        ("ERROR:acme.jobs:Started the run of stage 2", Status.HEALTHY),
        ("Error: 0.1200", Status.HEALTHY),
        ("ERROR:acme.jobs:137", Status.UNEXPLAINED),
        ("ERROR:acme.jobs:Starting finetuning failed", Status.UNEXPLAINED),
        ("ERROR:acme.jobs:Starting from it is not allowed", Status.FAILED),
        ("ERROR:acme.jobs:the shard server said no", Status.UNEXPLAINED),
    ],
)
def test_who_says_with_the_level_of_an_error_that_something_starts_or_a_figure_has_not_failed(on, line, status):
    assert run_log(on, f"INFO:__main__:the model is acme/m-1b\n{line}\n").status is status


_TRAINED = (
    "{'loss': 1.2, 'grad_norm': 0.8, 'learning_rate': 9e-06, 'epoch': 0.1}\n"
    "{'train_runtime': 12.5, 'train_samples_per_second': 10.0, 'train_steps_per_second': 1.0, 'train_loss': 0.5, 'epoch': 1.0}\n"
)


@pytest.mark.parametrize(
    ("story", "below", "status"),
    [
        (
            "the script had more to do",
            """Traceback (most recent call last):
  File "/srv/fit.py", line 40, in <module>
    report(model)
  File "/srv/fit.py", line 31, in report
    return table["tides"]
KeyError: 'tides'
""",
            Status.FAILED,
        ),
        (
            "a process that helped it is lost",
            """Traceback (most recent call last):
  File "<string>", line 1, in <module>
  File "/usr/lib/python3.10/multiprocessing/spawn.py", line 116, in spawn_main
    exitcode = _main(fd, parent_sentinel)
EOFError: Ran out of input
""",
            Status.COMPLETED,
        ),
        (
            "a thread of it is",
            """Exception in thread Thread-3 (_pin_memory_loop):
Traceback (most recent call last):
  File "/usr/lib/python3.10/threading.py", line 1016, in _bootstrap_inner
    self.run()
ConnectionResetError: [Errno 104] Connection reset by peer
""",
            Status.COMPLETED,
        ),
        (
            "its user does not wait for what is left",
            """^CTraceback (most recent call last):
  File "/srv/fit.py", line 40, in <module>
    time.sleep(9)
KeyboardInterrupt
""",
            Status.COMPLETED,
        ),
    ],
)
def test_what_a_script_raises_behind_its_training_is_its_end(on, story, below, status):
    assert run_log(on, _TRAINED + below).status is status


_NOT_IMPORTED = (
    "Traceback (most recent call last):\n"
    '  File "/srv/ui/nodes.py", line 4, in load_node\n'
    "    spec.loader.exec_module(module)\n"
    '  File "/srv/ui/settings/config.py", line 1, in load_config\n'
    "    import tideplots\n"
    "ModuleNotFoundError: No module named 'tideplots'\n"
)


@pytest.mark.parametrize(
    ("story", "below", "status"),
    [
        ("it trains", "epoch 1 loss 0.9\nepoch 2 loss 0.8\n", Status.RUNNING),
        ("it serves", "To see the GUI go to: http://127.0.0.1:8188\ngot prompt\n", Status.RUNNING),
        ("it says but one thing more", "plots are off\n", Status.FAILED),
    ],
)
def test_what_is_left_out_at_the_start_does_not_end_who_steps_on(on, story, below, status):
    assert run_log(on, _NOT_IMPORTED + below).status is status


_STARTED = "".join(f"operator_{number} ........ [NO] ....... [OKAY]\n" for number in range(60))
_ODD = "RuntimeError: the shard is odd"


@pytest.mark.parametrize("name", ["", "[rank0]: "], ids=["ranks without a name", "a rank that is started anew"])
def test_what_ended_a_script_was_lived_through_by_nobody_however_often(on, name):
    lines = "".join(f"{name}{line}\n" for line in ended("fit.py", _ODD).splitlines())
    first = run_log(on, (_STARTED + lines) * 5).diagnoses[0]
    assert (first.cause, first.severity.value) == ("python-exception", "error")
    assert _ODD in first.evidence[0].text


def test_runs_that_one_log_has_may_each_end_in_the_same_exception(shipped):
    steps = "".join(f"step {n} loss 2.{n}\n" for n in range(1, 6))
    raised = """Traceback (most recent call last):
  File "/w/t.py", line 9, in <module>
    main()
  File "/w/t.py", line 3, in main
    x()
ValueError: bad shape
"""
    run = f"Loading model from m\n{steps}{raised}"
    assert run_log(prepared(shipped), run * 3).status is Status.FAILED
    assert run_log(prepared(shipped), run * 3 + steps).status is not Status.FAILED


def restarted(at: str, steps: int) -> str:
    """A rank that raised in the middle of its steps, starts once more at this time, and makes so many steps then."""
    start = "[rank0]: 2026-03-04 {at} INFO Loading checkpoint shards:   0%|          | 0/2 [00:00<?, ?it/s]\n"
    return "".join(
        (
            start.format(at="10:00:00"),
            *(f"[rank0]: 2026-03-04 10:{minute:02}:00 INFO step {minute} loss 0.5\n" for minute in range(1, 30)),
            "[rank0]: Traceback (most recent call last):\n",
            '[rank0]:   File "/srv/app/train.py", line 3, in <module>\n',
            "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n",
            start.format(at=at),
            *(f"[rank0]: 2026-03-04 10:5{step}:00 INFO step {25 + step} loss 0.5\n" for step in range(steps)),
        )
    )


@pytest.mark.parametrize(
    ("story", "at", "steps", "failed"),
    [
        ("a start long after, and a step", "10:40:00", 1, False),
        ("a start long after that has not come to a step", "10:40:00", 0, True),
        ("what is loaded at once may be of a peer", "10:29:10", 1, True),
    ],
)
def test_who_started_once_more_and_made_a_step_is_past_what_it_raised(on, story, at, steps, failed):
    assert (run_log(on, restarted(at, steps)).status is Status.FAILED) is failed


def attempt(hour: int, epochs: int, *, begins: str) -> str:
    said = [begins, *(f"Epoch {epoch} Average Training Loss: 0.{100 - epoch}" for epoch in range(1, epochs + 1))]
    return "".join(f"2025-03-01 {hour}:{at:02}:00,250 - INFO - {line}\n" for at, line in enumerate(said))


@pytest.mark.parametrize(
    ("begins", "status"),
    [("Starting training process...", Status.RUNNING), ("Using the first card", Status.FAILED)],
)
def test_a_script_that_says_that_it_begins_is_another_run(on, begins, status):
    ended = "2025-03-01 10:30:00,250 - ERROR - CUDA out of memory in epoch 3. Training stopped.\n"
    log = attempt(10, 2, begins="Loading the samples") + ended + attempt(11, 4, begins=begins)
    assert run_log(on, log).status is status


@pytest.mark.parametrize("raised", [40, 300, 1000])
def test_a_chain_of_exceptions_however_long_is_the_end_of_who_raised_them(on, raised):
    said = "\nDuring handling of the above exception, another exception occurred:\n\n"
    one = 'Traceback (most recent call last):\n  File "/srv/play/shards.py", line 5, in fetch\n    ask()\n'
    chain = said.join([f"{one}ConnectionError: the shard server refused\n"] * raised)
    assert run_log(on, "2026-03-04 01:00:00 INFO start\n" + chain).status is Status.FAILED
