"""Logs that end within a traceback, before its exception."""

import pytest

from logrules import load_rules
from logrules.engine.run import prepared
from logrules.model.report import Status
from logrules.ruletest.harness import run_log

FRAMES = (
    "Traceback (most recent call last):\n"
    '  File "/srv/tune.py", line 40, in main\n'
    "    trainer.fit()\n"
    '  File "/srv/tune.py", line 90, in evaluate\n'
)
HEADLESS = "".join(FRAMES.splitlines(keepends=True)[1:])
RANKED = "".join(f"[rank0]: {line}\n" for line in HEADLESS.splitlines())
LOGGED = "".join(f"(Engine pid=7) ERROR 03-02 10:00:09 [core.py:7] {line}\n" for line in HEADLESS.splitlines())
CLOCKED = "".join(
    f"2025-03-02T10:00:09,{495 + number} [INFO ] W-9000-chat_1.0-stdout MODEL_LOG - {line}\n"
    for number, line in enumerate(["    tune(config)", *HEADLESS.splitlines()])
)
TORN = LOGGED.splitlines()[0].replace('  File "/srv/tune.py", line 40, in main', "    tune(config)") + "\n"
BOXED = (
    "│                                                  │\n"
    "│ /srv/tune.py:90 in evaluate                      │\n"
    "│                                                  │\n"
    "│ ❱  90 │   score = self.model(batch)              │\n"
)
UNNAMED = "    score = self.model(batch)\nthe scores of step 8 are late\n    asked: 8\n    there: 7\n    left: 1\n"
STEPS = "".join(f"step {number} loss 2.{number} lr 0.1\n" for number in range(1, 8))


@pytest.fixture(scope="module")
def on():
    return prepared(load_rules())


@pytest.mark.parametrize(
    ("story", "log", "failed"),
    [
        ("the last line is source text", STEPS + FRAMES + "    score = self.model(batch)\n", True),
        ("the last line is a frame", STEPS + FRAMES, True),
        ("its message names no class and goes on in lines that are indented", STEPS + FRAMES + UNNAMED, True),
        ("the same, and training went on", FRAMES + UNNAMED + STEPS, False),
        ("its last frames were lost and training went on", FRAMES + STEPS, False),
        ("its head alone, and training went on", FRAMES.splitlines()[0] + "\n" + STEPS, False),
        ("its head alone names who wrote it", STEPS + "[2025-03-02 10:00:09 TP0] " + FRAMES, True),
        ("it was ignored", STEPS + "Exception ignored in: <function Pool.__del__>\n" + FRAMES, False),
        ("a thread of the tracker beside it", STEPS + "Exception in thread IntMsgThr:\n" + FRAMES, False),
        ("where an operation was defined", STEPS + "Original stack trace for 'dense/MatMul':\n" + HEADLESS, False),
        ("a dump of stacks", STEPS + HEADLESS, False),
        ("its head was lost: the log begins in it", HEADLESS, True),
        ("the log begins with the rest of a message", "    _...: st...\n" + HEADLESS, True),
        ("the log begins with source of a frame, all of it logged", TORN + LOGGED, True),
        ("the same with a clock that goes on, passed on by a server", CLOCKED, True),
        ("a program logs frames of which it told", LOGGED.splitlines()[0][:46] + " it is here:\n" + LOGGED, False),
        ("its frames alone name who wrote it", STEPS + FRAMES.splitlines()[0] + "\n" + RANKED, True),
        ("the log begins in a box", BOXED, True),
        ("a stack that was printed", "Stack (most recent call last):\n" + HEADLESS, False),
        ("a log that begins in a traceback and goes on", HEADLESS + STEPS, False),
    ],
)
def test_a_traceback_without_its_exception_at_the_end_is_a_failure(on, story, log, failed):
    report = run_log(on, log)
    assert (report.status is Status.FAILED) is failed
    if failed:
        assert report.diagnoses[0].evidence[-1].text == log.splitlines()[-1].rstrip()
        assert report.diagnoses[0].phase == "eval"


@pytest.mark.parametrize("torn", ["", "  Fi", '  File "', '  File "/srv/tu', '  File "/srv/tune.py", li'])
@pytest.mark.parametrize("bar", ["", "Steps:   0%|          | 0/40 [00:00<?, ?it/s]"])
def test_a_log_that_ends_before_the_first_whole_frame_has_failed(on, torn, bar):
    log = STEPS + bar + FRAMES.splitlines()[0] + "\n" + torn
    report = run_log(on, log)
    assert (report.status, report.diagnoses[0].cause) == (Status.FAILED, "python-exception")
    assert report.diagnoses[0].evidence[0].text.endswith(FRAMES.splitlines()[0])
    assert run_log(on, log + "\n" + STEPS).status is not Status.FAILED


NOTEBOOK = (
    "RuntimeError                              Traceback (most recent call last)\n"
    "File <frozen importlib._bootstrap>:1030, in _gcd_import(name, package, level)\n\n"
    "File ~/env/lib/python3.11/site-packages/acme/trainer.py:226\n"
    "    225 if has_adapters():\n"
    "--> 226     from adapters import Adapter\n"
    "    229 if has_accelerator():\n\n"
)


@pytest.mark.parametrize("torn", ["", "File ~/env/lib/python3.11/site-packages/adap\n"])
def test_a_notebook_shows_source_between_the_last_frame_and_the_cut(on, torn):
    report = run_log(on, STEPS + NOTEBOOK + torn)
    assert report.status is Status.FAILED
    assert report.diagnoses[0].title.en.startswith("RuntimeError: the log ends before its message")
    assert "trainer.py:226" in report.diagnoses[0].title.en
    assert run_log(on, NOTEBOOK + STEPS + STEPS).status is not Status.FAILED


def test_what_is_known_of_the_log_goes_first(on):
    known = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    report = run_log(on, STEPS + known + FRAMES)
    assert [one.cause for one in report.diagnoses if one.rule.startswith(("python/", "cuda/"))] == ["cuda-oom"]


def test_the_class_that_its_last_line_raises_is_known(on):
    log = STEPS + FRAMES + "    raise FileNotFoundError(\n"
    assert run_log(on, log).diagnoses[0].title.en.startswith("FileNotFoundError: ")


def test_outer_frames_alone_do_not_take_a_job_back_to_its_start(on):
    log = STEPS + FRAMES.splitlines()[0] + '\n  File "/srv/llamafactory/train/tuner.py", line 50, in run_exp\n    run_s'
    assert run_log(on, log).diagnoses[0].phase == "train_step"
    assert run_log(on, log.removeprefix(STEPS)).diagnoses[0].phase == "launch"


WAITS = "[INFO|trainer.py:1723] 2025-03-02 10:00:00,125 >>   Total optimization steps = 666\n"


def test_who_raises_waits_no_more(on):
    report = run_log(on, WAITS + FRAMES)
    assert (report.status, report.diagnoses[0].cause) == (Status.FAILED, "python-exception")


@pytest.mark.parametrize("torn", ["(Scorer pid=71) (EngineCore_DP0 pid=7", "{0}    ~~~~^^^^^^^\n", "{0}  Fil"])
def test_a_last_line_that_is_torn_or_only_marks_is_not_the_one_that_is_shown(on, torn):
    prefix = "(Scorer pid=71) (EngineCore_DP0 pid=712) "
    log = "".join(f"{prefix}{line}\n" for line in [*FRAMES.splitlines(), "    score = self.model(batch)"])
    shown = run_log(on, log + torn.format(prefix)).diagnoses[0].evidence
    assert [line.text for line in shown] == log.splitlines()[-2:]
