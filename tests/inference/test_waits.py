"""The waits of a saved log, as a report tells them."""

import pytest

from logrules import diagnose
from logrules.model.report import Severity, Status

_WORDS = tuple(f"{a}{b}" for a in ("amber", "birch", "cedar", "delta") for b in ("yard", "hall", "gate", "mill"))


@pytest.mark.parametrize(
    ("rest", "ended"),
    [
        ("{'loss': 1.2, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.1}\n", True),
        ("", False),
    ],
)
def test_a_wait_lasts_from_its_line_to_what_ends_it(tmp_path, rest, ended):
    log = tmp_path / "train.log"
    log.write_text("loading weights file /m/model.safetensors.index.json\nsome library says hello\n" + rest)
    (wait,) = diagnose(str(log)).waits
    assert (wait.wait, wait.first_line, wait.ended) == ("transformers/load-model", 1, ended)
    assert wait.last_line == (3 if ended else 2)


@pytest.mark.parametrize(
    ("story", "rest", "status"),
    [
        ("many kinds of lines: it went on", "".join(f"{word} is ready\n" for word in _WORDS), Status.HEALTHY),
        (
            "few kinds of lines, each with figures again and again: it went on",
            "".join(f"case {n}\nmean {n}\nlow {n}\nhigh {n}\nsum {n}\nspread {n}\n" for n in range(9)),
            Status.HEALTHY,
        ),
        ("one kind of line again and again: it has not", "".join(f"alive {n}\n" for n in range(90)), Status.STALLED),
        ("a script prints two things: it went on", "Vocabulary: 3021 words\nthe capital is Paris\n", Status.HEALTHY),
        ("it prints but one: that is no more than a sign of life", "the capital is Paris\n", Status.STALLED),
        (
            "loggers say two things: those of other threads do",
            "2025-03-01 10:00:00 INFO acme: the port is free\n2025-03-01 10:00:01 INFO acme: the disk has room\n",
            Status.STALLED,
        ),
        (
            "a logger tells a measure three times with other figures: a loop that no marker knows",
            "".join(
                f"2025-03-01 10:0{n}:00 INFO acme: | [ 1/ 3][ {n}00/ 900] | ms/batch 4.5 | train_loss 5.{n}e-01\n"
                for n in range(1, 4)
            ),
            Status.HEALTHY,
        ),
        (
            "it tells it twice: of a model that was loaded, say",
            "2025-03-01 10:00:00 INFO acme: best loss 2.1\n2025-03-01 10:00:01 INFO acme: best loss 2.0\n",
            Status.STALLED,
        ),
        (
            "two complaints: who waits makes them, too",
            "UserWarning: this is old\nwill retry the download\n",
            Status.STALLED,
        ),
        ("one dump of many keys: it has not", "".join(f'    "{word}": 1,\n' for word in _WORDS), Status.STALLED),
        ("one table of many rows: it has not", "".join(f"| {word} | 1 |\n" for word in _WORDS), Status.STALLED),
        (
            "a table in a frame: it has not",
            "".join(f"\u2502 {word} \u2502 1 \u2502\n" for word in _WORDS),
            Status.STALLED,
        ),
        ("steps between bars: it has", "".join(f"| {word} 12 of 40 done\n" for word in _WORDS), Status.HEALTHY),
    ],
)
def test_what_follows_a_wait_tells_whether_it_still_waits(tmp_path, story, rest, status):
    log = tmp_path / "train.log"
    log.write_text("Reserving TFSparkNodes\n" + rest)
    assert diagnose(str(log)).status is status


@pytest.mark.parametrize(
    ("drawn", "status"),
    [
        ("Map:  31%|███  | 31000/100000 [02:10<04:49, 238.31 examples/s]", Status.HEALTHY),
        ("Generating train split: 52000 examples [01:44, 498.70 examples/s]", Status.HEALTHY),
        ("Downloading data:  37%|███ | 1.20G/3.26G [01:41<02:51, 12.0MB/s]", Status.HEALTHY),
        ("Loading checkpoint shards:  50%|█████  | 4/8 [03:20<03:19, 49.9s/it]", Status.HEALTHY),
        ("Loading checkpoint shards:  13%|█   | 2/15 [00:02<00:15,  1.22s/it]", Status.HEALTHY),
        ("model.safetensors:  65%|██████  | 157M/242M [00:01<00:00, 121MB/s]", Status.HEALTHY),
        ("Map:   0%|  | 0/100000 [00:00<?, ? examples/s]", Status.STALLED),
        ("Map:  31%|███  | 31000/100000 [02:10<21:10, 54.31 examples/s]", Status.STALLED),
        ("Map:  99%|█████| 99400/100000 [02:10<00:01, 761.11 examples/s]", Status.STALLED),
        ("Capturing batches (bs=4 avail_mem=9.00 GB):  25%|██  | 1/4 [00:02<00:07,  2.41s/it]", Status.STALLED),
        ("Loading checkpoint shards:  25%|██  | 1/4 [00:02<00:07,  2.41s/it]", Status.HEALTHY),
        ("Capturing batches (bs=4 avail_mem=9.00 GB):  25%|██  | 1/4 [00:02<00:0", Status.HEALTHY),
        ("Capturing batches (bs=4 avail_mem=9.00 GB):  25%|██  | 1/4 [00:02", Status.HEALTHY),
    ],
)
def test_a_log_that_ends_while_a_bar_moves_is_cut_off_there(tmp_path, drawn, status):
    log = tmp_path / "train.log"
    log.write_text(drawn)
    assert diagnose(str(log)).status is status


_MEMORY = (
    "[2026-03-02 10:00:0{0},101] [INFO] [utils.py:781:see_memory_usage] DeepSpeedZeRoOffload initialize [begin]\n"
    "[2026-03-02 10:00:0{0},102] [INFO] [utils.py:782:see_memory_usage] MA 1.{0} GB  Max_MA 2.0 GB  CA 3.0 GB\n"
)


@pytest.mark.parametrize(
    ("rest", "status"),
    [
        ("[2026-03-02 10:00:03,101] [INFO] [utils.py:782:see_memory_usage] MA 1.", Status.HEALTHY),
        ("[2026-03-02 10:00:03,101] [INFO] [utils.py:782:see_mem", Status.HEALTHY),
        ("[2026-03-02 10:00:03,", Status.HEALTHY),
        ("[2026-03-02 10:00:03,101] [INFO] an option of a kind that was not there before: tp_size=1,", Status.HEALTHY),
        ("[2026-03-02 11:40:03,101] [INFO] [utils.py:782:see_memory_usage] MA 1.", Status.STALLED),
        ("", Status.STALLED),
        ("[2026-03-02 10:00:03,101] [INFO] a line of a kind that was not there before", Status.STALLED),
    ],
)
def test_a_log_that_was_cut_in_the_middle_of_a_line_does_not_end_in_a_wait_that_is_young(tmp_path, rest, status):
    log = tmp_path / "train.log"
    log.write_text(_MEMORY.format(1) + _MEMORY.format(2) + rest)
    assert diagnose(str(log)).status is status


def test_a_cut_that_no_clock_dates_leaves_the_wait(tmp_path):
    log = tmp_path / "train.log"
    building = "Using /root/.cache/torch_extensions/py310_cu121 as PyTorch extensions root...\n"
    log.write_text(2 * building + "Using /root/.cache/torch_ext")
    assert diagnose(str(log)).status is Status.STALLED


@pytest.mark.parametrize(
    ("rest", "status"), [("", Status.RUNNING), ("2025-03-02 11:30:00 a server says hello\n", Status.STALLED)]
)
def test_of_what_is_not_presumed_to_last_only_its_length_tells(tmp_path, rest, status):
    log = tmp_path / "running.log"
    log.write_text("[INFO|trainer.py:4117] 2025-03-02 10:00:00,101 >> ***** Running Evaluation *****\n" + rest)
    assert diagnose(str(log)).status is status


def test_a_bar_that_moved_once_and_then_no_more_stands_still(tmp_path):
    log = tmp_path / "train.log"
    log.write_text(
        "2025-03-02 10:00:00 Map:  31%|███  | 31000/100000 [02:10<04:49, 238.31 examples/s]\n"
        "2025-03-02 11:30:00 the watchdog says hello\n"
    )
    assert diagnose(str(log)).status is Status.STALLED


def test_what_is_raised_again_after_steps_ends_no_job(tmp_path):
    raised = (
        "(Actor pid={0}) Traceback (most recent call last):\n"
        '(Actor pid={0})   File "/w/agent.py", line 3, in act\n'
        "(Actor pid={0})     parse(answer)\n"
        "(Actor pid={0}) ValueError: no answer found\n"
    )
    steps = "".join(f"step {number} loss 0.{number}\n" for number in range(10, 16))
    log = tmp_path / "train.log"
    log.write_text(steps + raised.format(7) + steps.replace("step 1", "step 2") + raised.format(8))
    assert diagnose(str(log)).status is Status.RUNNING
    log.write_text(steps + raised.format(7) + raised.format(8))
    assert diagnose(str(log)).status is Status.FAILED


@pytest.mark.parametrize(("steps", "waits"), [(1, ["dataloader/first-batch"]), (6, [])])
def test_ranks_step_together_so_none_waits_for_its_first_batch_long_after(tmp_path, steps, waits):
    log = tmp_path / "train.log"
    began = "".join(f"[rank {rank}][INFO] start training\n" for rank in (0, 1))
    log.write_text(began + "".join(f"[rank 0][INFO] step {step} loss 1.{step}\n" for step in range(1, steps + 1)))
    assert [wait.wait for wait in diagnose(str(log)).waits if not wait.ended] == waits


def test_a_line_that_repeats_a_wait_and_closes_it_opens_it_anew(tmp_path):
    both = "INFO 03-04 10:00:0{0} [loader.py:1] Loading weights took {0}.5 seconds Supported tasks: ['generate']\n"
    log = tmp_path / "serve.log"
    log.write_text(both.format(1) + both.format(2))
    waits = [(wait.wait, wait.first_line, wait.ended) for wait in diagnose(str(log)).waits]
    assert waits == [("vllm/profiling", 1, True), ("vllm/profiling", 2, False)]


@pytest.mark.parametrize(
    ("log", "phase", "cause"),
    [
        ("starting\nwaiting for the barrier `ready`\n", "launch", "stopped-silently"),
        ("joining the cluster\n", "rendezvous", "rendezvous-timeout"),
        ("loading the weights\n", "model_load", "model-load-stall"),
        ("INFO fetch: downloading the model\n", "model_load", "stopped-silently"),
        ("tokenized 3/9 shards\n", "data_load", "stopped-silently"),
        ("iteration 4: reward 0.5\n", "rollout", "stopped-silently"),
    ],
)
def test_a_log_that_ends_in_words_of_its_own_ends_where_they_say(tmp_path, log, phase, cause):
    path = tmp_path / "log"
    path.write_text(log)
    report = diagnose(str(path))
    assert (report.diagnoses[0].cause, report.diagnoses[0].phase) == (cause, phase)
    assert report.status in {Status.HEALTHY, Status.RUNNING}


@pytest.mark.parametrize(
    ("story", "log", "causes"),
    [
        (
            "the bar it was cut off in moved: it may wait there, or go on",
            "Loading checkpoint shards:  50%|█████  | 4/8 [03:20<03:19, 49.9s/it]\n",
            ["model-load-stall", "stopped-silently"],
        ),
        (
            "the bar has ended, so silence stands in front of what it was of",
            "Preparing the dataset: 100%|██████████| 60/60 [01:00<00:00,  1.02s/it]\n",
            ["stopped-silently", "dataset-build-stall"],
        ),
        (
            "a named bar of a program that nothing knows",
            "Preparing the dataset:  20%|██        | 12/60 [00:12<00:48,  1.02s/it]\n",
            ["dataset-build-stall", "stopped-silently"],
        ),
    ],
)
def test_what_a_log_may_wait_for_where_it_ends_stands_before_its_silence(tmp_path, story, log, causes):
    path = tmp_path / "train.log"
    path.write_text(log)
    report = diagnose(str(path))
    assert [one.cause for one in report.diagnoses[:2]] == causes, story
    assert report.status in {Status.HEALTHY, Status.RUNNING}
    supposed = [one for one in report.diagnoses if one.cause != "stopped-silently"]
    assert all(one.title.en.startswith("Perhaps") and one.severity is Severity.INFO for one in supposed)


def test_a_log_whose_last_line_only_tells_something_is_no_stall(tmp_path):
    path = tmp_path / "log"
    path.write_text("waiting for the barrier `ready`\nthe barrier is ready\n")
    report = diagnose(str(path))
    assert report.status is Status.HEALTHY
    assert report.diagnoses[0].cause == "stopped-silently"
    assert report.diagnoses[0].severity is Severity.INFO


@pytest.mark.parametrize(
    ("story", "log", "status"),
    [
        ("it ends what it was at", "step 1 loss 2.5\nSaving checkpoint to out/last.pt\nDone.\n", Status.COMPLETED),
        ("its last word", "step 1 loss 2.5\nstep 2 loss 2.4\nDone.\n", Status.COMPLETED),
        ("more is said behind it", "step 1 loss 2.5\nDone.\nstep 2 loss 2.4\n", Status.RUNNING),
        ("whatever is said behind it", "step 1 loss 2.5\nDone.\nnow the next table\n", Status.RUNNING),
        (
            "an error above it",
            "step 1 loss 2.5\n2025-03-01 10:00:00,250 - app - ERROR - the mesh has a hole\nDone.\n",
            Status.UNEXPLAINED,
        ),
    ],
)
def test_a_parting_word_is_an_end_where_nothing_follows(tmp_path, story, log, status):
    path = tmp_path / "train.log"
    path.write_text(log)
    report = diagnose(str(path))
    assert report.status is status
    told = report.completed_by.text if report.completed_by else None
    assert told == ("Done." if status is Status.COMPLETED else None)


_LEFT = "[rank{rank}]:[W0301 10:00:0{rank}.100000000 ProcessGroupNCCL.cpp:1496] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources.\n"
_ROWS = "".join(f" iteration {step:8d}/      40 | lm loss: 2.{step:02d} |\n" for step in range(1, 41))


@pytest.mark.parametrize(
    ("story", "seen", "left", "status"),
    [
        ("all have left", range(4), (2, 0, 3, 1), Status.COMPLETED),
        ("the other node's write elsewhere", range(4, 8), (5, 4, 7, 6), Status.COMPLETED),
        ("one left before the others", range(4), (2,), Status.RUNNING),
        ("two were never heard of", (0, 3), (0, 3), Status.RUNNING),
    ],
)
def test_a_run_that_all_ranks_have_left_is_over(tmp_path, story, seen, left, status):
    log = tmp_path / "train.log"
    begun = "".join(f"[rank{rank}]: building the loader\n" for rank in seen)
    log.write_text(begun + _ROWS + "".join(_LEFT.format(rank=rank) for rank in left))
    assert diagnose(str(log)).status is status, story


@pytest.mark.parametrize(("name", "waits"), [("Worker_TP1 pid=812", 0), ("Worker_TP2 pid=813", 1)])
def test_a_process_that_goes_by_another_name_has_come_through_what_it_waited_for(tmp_path, name, waits):
    log = tmp_path / "server.log"
    log.write_text(
        "(Worker pid=812) INFO 03-01 21:45:04 [parallel_state.py:1234] world_size=4 rank=1 local_rank=1"
        " distributed_init_method=tcp://127.0.0.1:41207 backend=nccl\n"
        f"({name}) INFO 03-01 21:45:09 [model_runner.py:281] Loading model from scratch...\n"
    )
    open_waits = [wait.wait for wait in diagnose(str(log)).waits if not wait.ended]
    assert open_waits.count("vllm/process-group") == waits


def _built(host: str, rank: int, *, through: bool) -> str:
    says = f"{host}:7{rank}:9{rank} [0] NCCL INFO"
    ready = f"{says} comm 0x7f rank {rank} nranks 16 cudaDev 0 busId 1000 - Init COMPLETE\n"
    return f"{says} Bootstrap : Using eth0:10.0.0.{rank}<0>\n{says} threadThresholds 8/8/64\n" + (ready * through)


@pytest.mark.parametrize(
    ("story", "logs", "status"),
    [
        (
            "NCCL's own first line bears no name: who says one is the same process, and all are through",
            [f"NCCL version 2.18.5+cuda12.1\n{_built('gpu-1', 0, through=True)}{_built('gpu-2', 8, through=True)}"],
            Status.HEALTHY,
        ),
        (
            "the tag of a launcher is a name, too, though less of one",
            [
                f"0: NCCL version 2.18.5+cuda12.1\n0: {_built('gpu-1', 0, through=True).replace(chr(10), chr(10) + '0: ')}"
            ],
            Status.HEALTHY,
        ),
        (
            "one of them is not through: it may be who said it",
            [f"NCCL version 2.18.5+cuda12.1\n{_built('gpu-1', 0, through=False)}{_built('gpu-2', 8, through=True)}"],
            Status.STALLED,
        ),
        (
            "of another log nobody said who he is",
            ["NCCL version 2.18.5+cuda12.1\n", _built("gpu-1", 0, through=True)],
            Status.STALLED,
        ),
    ],
)
def test_who_says_no_name_is_one_of_those_who_do(tmp_path, story, logs, status):
    paths = [tmp_path / name for name, _ in zip(("train.log", "second.log"), logs, strict=False)]
    for path, log in zip(paths, logs, strict=True):
        path.write_text(log)
    assert diagnose(*map(str, paths)).status is status, story


def _at(second: int, says: str) -> str:
    return f"2025-03-01 {10 + second // 3600}:{second // 60 % 60:02d}:{second % 60:02d} INFO acme: {says}\n"


def _asks(begin: int, end: int) -> str:
    return "".join(_at(second, f"still waiting for the judge's server ({second} s)") for second in range(begin, end, 3))


def _works(begin: int, end: int) -> str:
    return "".join(_at(n, f"page {n} of book {n % 7} has {n * 3} words") for n in range(begin, end, 3))


@pytest.mark.parametrize(
    ("story", "log", "status"),
    [
        ("it asks a hundred times", _asks(0, 330), Status.STALLED),
        ("it asks so often that not all of it is read", _asks(0, 1_200), Status.STALLED),
        ("it asks for hours", _asks(0, 21_000), Status.STALLED),
        ("it asks for long, then works", _asks(0, 1_200) + _works(1_200, 1_800), Status.HEALTHY),
        (
            "it asks as often as is read, works, and asks again",
            _asks(0, 192) + _works(192, 3_000) + _asks(3_000, 3_018),
            Status.HEALTHY,
        ),
        (
            "it asks for long, works for longer, and asks again",
            _asks(0, 900) + _works(900, 4_200) + _asks(4_200, 4_218),
            Status.HEALTHY,
        ),
    ],
)
def test_a_line_that_comes_without_end_is_one_wait(tmp_path, story, log, status):
    path = tmp_path / "train.log"
    path.write_text(log)
    assert diagnose(str(path)).status is status, story


_MEETS = "[2025-02-23 23:06:0{n} TP{n}] Init torch distributed begin.\n"


@pytest.mark.parametrize(
    ("story", "log", "status"),
    [
        ("one rank waits where all meet, and says the last word", _MEETS.format(n=1), Status.STALLED),
        (
            "another is still on its way: the log was cut there",
            _MEETS.format(n=1) + "[2025-02-23 23:06:02 TP2] Process 77 gpu_id 2 is running on CPUs: [4]\n",
            Status.HEALTHY,
        ),
        (
            "another wrote just now, and has not come yet: so it was",
            "[2025-02-23 23:06:00 TP2] Process 77 gpu_id 2 is running on CPUs: [4]\n" + _MEETS.format(n=1),
            Status.HEALTHY,
        ),
        (
            "another wrote long ago and has not come since",
            "[2025-02-23 23:04:00 TP2] Process 77 gpu_id 2 is running on CPUs: [4]\n" + _MEETS.format(n=1),
            Status.STALLED,
        ),
        (
            "one has come from there: so have all",
            _MEETS.format(n=1) + _MEETS.format(n=2) + "[2025-02-23 23:06:04 TP2] Init torch distributed ends.\n",
            Status.HEALTHY,
        ),
        (
            "as many as there are have come",
            "".join(
                f"(Worker pid={n}) INFO 03-01 21:45:04 [parallel_state.py:1615] world_size=2 rank={n} local_rank={n} "
                "distributed_init_method=tcp://127.0.0.1:41207 backend=nccl\n"
                for n in range(2)
            ),
            Status.HEALTHY,
        ),
        (
            "one of those that there are has not come",
            "(Worker pid=7) INFO 03-01 21:45:04 [parallel_state.py:1615] world_size=2 rank=1 local_rank=1 "
            "distributed_init_method=tcp://127.0.0.1:41207 backend=nccl\n",
            Status.STALLED,
        ),
    ],
)
def test_ranks_come_together_from_where_they_meet(tmp_path, story, log, status):
    path = tmp_path / "serve.log"
    path.write_text(log)
    assert diagnose(str(path)).status is status


@pytest.mark.parametrize(("told", "status"), [("", Status.STALLED), (" [repeated 6x across cluster]", Status.HEALTHY)])
def test_a_line_that_sums_up_those_of_several_does_not_say_where_they_are_by_now(tmp_path, told, status):
    log = tmp_path / "serve.log"
    line = "[2024-08-14 11:08:21,778] [INFO] [real_accelerator.py:203:get_accelerator] Setting ds_accelerator to xpu (auto detect)"
    log.write_text(f"(RayWorkerVllm pid=71) {line}{told}\n")
    assert diagnose(str(log)).status is status


def test_a_measure_counts_however_long_the_unknown_prefix_before_it(tmp_path):
    log = tmp_path / "train.log"
    begun = "[2026-03-02:10:00:04:INFO:acme.callback:__init__] Training started\n"
    rounds = "".join(
        f"[2026-03-02:10:0{n}:09:INFO:root:__call__] Epoch[0] Batch [{n}50]\tSpeed: 5{n}.3 samples/sec\tperplexity=7{n}.5\n"
        for n in range(1, 4)
    )
    log.write_text(begun)
    assert diagnose(str(log)).status is Status.STALLED

    log.write_text(begun + rounds)
    assert diagnose(str(log)).status is not Status.STALLED


def _counts(minute: int, finished: int) -> str:
    said = f"pending: 0, running: {64 - finished}, finished: {finished}, failure: 0"
    return f"(TaskRunner pid=8) [2026-03-01 10:{minute:02}:00,250][verl.trainer.ppo.v1.replay_buffer][INFO] - {said}\n"


@pytest.mark.parametrize(
    ("story", "counts", "status"),
    [
        ("answers are finished all the while", [_counts(n, n) for n in range(50)], Status.RUNNING),
        ("none is finished any more", [_counts(n, min(n, 5)) for n in range(50)], Status.STALLED),
        ("none is finished for a while", [_counts(n, min(n, 5)) for n in range(9)], Status.STALLED),
    ],
)
def test_a_line_that_counts_what_is_waited_for_renews_the_wait(tmp_path, story, counts, status):
    log = tmp_path / "train.log"
    log.write_text("Training Progress:   0%|          | 0/435 [00:00<?, ?it/s]\n" + "".join(counts))
    assert diagnose(str(log)).status is status, story
