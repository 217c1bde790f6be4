"""Ends of whole logs that nothing is wrong with, by the shipped rules: done, or just torn off."""

import pytest

from logrules import load_rules
from logrules.engine.run import prepared
from logrules.model.report import Severity, Status
from logrules.ruletest.harness import run_log

STEPS = "".join(f"step {number} loss 2.{number} lr 0.1\n" for number in range(1, 8))
ML = ':::MLLOG {"namespace": "main", "time_ms": %s, "key": "%s", "value": 0}\n'
BUILD = "Building wheels for collected packages: acme\n  Building wheel for acme (pyproject.toml): started\n"


@pytest.fixture(scope="module")
def on():
    return prepared(load_rules())


@pytest.mark.parametrize(
    ("story", "log"),
    [
        ("the last of its steps", STEPS + "step:90/90 val_loss:3.28 train_time:264690ms step_avg:174.14ms\n"),
        ("the figures of its last epoch", STEPS + "Epoch [9/9], loss: 0.31, acc: 0.91\n"),
        (
            "a result put together from pieces names the run at its end",
            ML % ("1593139459699", "epoch_start")
            + ML % ("1593139459799", "run_stop")
            + ML % ("0", "submission_benchmark"),
        ),
        ("the result of a timed run", ML % ("1593139459699", "epoch_stop") + "RESULT,DLRM,,14077619.1,\n"),
        (
            "a job of Kaldi's run.pl",
            "LOG (gmm-align[5.5]:main():gmm-align.cc:135) done\n# Ended (code 0) at Sat Dec  9 11:39:30 IST 2023, elapsed time 0 seconds\n",
        ),
        ("a variable holds the exit code", STEPS + "BUILD_EXIT_CODE=0\n"),
        (
            "a tracker saw it end well",
            "2025-01-01 10:00:00,100 INFO    MainThread:77 [wandb_run.py:_atexit_cleanup():2469] got exitcode: 0\n",
        ),
        (
            "a wheel is ready",
            BUILD
            + "  Building wheel for acme (pyproject.toml): finished with status 'done'\nSuccessfully built acme\n",
        ),
        (
            "a runner has tested all",
            "2024/10/20 15:27:59 - mmengine - INFO - Epoch(test) [15/15]    acc/top1: 0.92  data_time: 0.04  time: 1.52\n",
        ),
        ("a search tells its winner", STEPS + "Best hyperparameters found were:  {'lr': 0.1}\n"),
        ("a script says its own name", STEPS + "2021-09-26 05:23:46,023 __main__     INFO     END predict.py\n"),
    ],
)
def test_a_log_that_says_in_any_form_that_it_is_over_is_completed(on, story, log):
    assert run_log(on, log).status is Status.COMPLETED


@pytest.mark.parametrize(
    ("story", "log"),
    [
        ("a step is not the last", STEPS + "step:89/90 val_loss:3.28 train_time:264690ms step_avg:174.14ms\n"),
        ("the last batch of an epoch", STEPS + "Epoch 3, step 90/90 loss: 0.31\n"),
        ("an epoch whose batches are counted", STEPS + "Epoch [9/9], Step [100/600], loss: 0.31\n"),
        ("a test is under way", "2024/10/20 15:27:59 - mmengine - INFO - Epoch(test) [10/15]    time: 1.52\n"),
    ],
)
def test_what_counts_on_is_not_over(on, story, log):
    assert run_log(on, log).status is Status.RUNNING


@pytest.mark.parametrize(
    ("story", "log"),
    [
        ("files are copied into a wheel", BUILD + "  running build_py\n  copying acme/a.py -> build/lib/acme\n"),
        ("and packed", BUILD + "  running build_ext\n  building 'acme._C' extension\n  adding 'acme/a.py'\n"),
        ("what could not be taken away", "rm: cannot remove '/opt/compat/lib': Read-only file system\n+ echo go\n"),
        (
            "MPI takes another way",
            "[gpu-2:77] pml_ucx.c:226 Error: UCP worker does not support MPI_THREAD_MULTIPLE\nhello from rank 0\n",
        ),
    ],
)
def test_nothing_is_told_of_a_log_torn_off_in_the_midst_of_this(on, story, log):
    report = run_log(on, log)
    assert report.status in (Status.RUNNING, Status.HEALTHY)
    assert not [one for one in report.diagnoses if one.severity is not Severity.INFO]


@pytest.mark.parametrize(
    ("story", "log", "cause"),
    [
        (
            "the compiler of a wheel",
            BUILD + "  running build_py\n  copying acme/a.py -> build/lib\n  running build_ext\n",
            "compile-stall",
        ),
        ("its build began and said no more", BUILD, "compile-stall"),
    ],
)
def test_a_build_that_says_no_more_stalls(on, story, log, cause):
    report = run_log(on, log)
    assert (report.status, report.diagnoses[0].cause) == (Status.STALLED, cause)


def test_a_job_that_kaldi_saw_fail_has_failed(on):
    log = "# Started at Sat Dec  9 11:39:30 IST 2023\nbash: nnet3-train: something\n# Ended (code 1) at Sat Dec  9 11:39:31 IST 2023, elapsed time 1 seconds\n"
    assert run_log(on, log).status in (Status.FAILED, Status.UNEXPLAINED)


def logged(*said: str) -> str:
    return "".join(
        f"2025-03-01 10:{minute:02}:00,250 __main__     INFO     {text}\n" for minute, text in enumerate(said, 10)
    )


RAISED = (
    "2025-03-01 10:01:00,250 __main__     ERROR    Traceback (most recent call last):\n"
    '  File "/srv/fit.py", line 41, in <module>\n'
    "    main()\n"
    "KeyError: 'price'\n\n"
)
WORK = ("Load the table", "Input is checked", "Rows are chosen", "Fit the model", "Find what is left", "Weigh the rest")
MORE = ("Score by hand", "Compare by hand", "Write the table", "Read it again", "Predict prices", "Keep the figures")


@pytest.mark.parametrize(
    ("story", "log", "failed"),
    [
        ("it was started anew, and says that it is done", logged(*WORK, *MORE, "END fit.py"), False),
        ("it cleans up and says so", logged("Close the table", "END fit.py"), True),
        ("it never says that it is done", logged(*WORK, *MORE), True),
    ],
)
def test_who_logs_what_it_raised_does_much_more_and_is_done_has_lived_through_it(on, story, log, failed):
    assert (run_log(on, logged("START fit.py") + RAISED + log).status is Status.FAILED) is failed


@pytest.mark.parametrize("prefix", ["", "trainer-1  | ", "[rank0]: ", "2025-01-01T10:00:50.123456Z "])
def test_a_line_with_nothing_behind_its_prefix_ends_no_wait(on, prefix):
    waits = "(EngineCore_0 pid=7) DEBUG 01-01 10:00:%02d [core_client.py:425] Waiting for 1 core engine proc(s) to start: {0}"
    log = "".join(f"{prefix}{waits % second}\n" for second in range(0, 60, 10))
    assert run_log(on, log).status is Status.STALLED
    assert run_log(on, f"{log}{prefix}\n").status is Status.STALLED


ASKED = "2025-03-01 10:00:00,250 - acme - INFO - Asking a judge about the report, please wait ...\n"
REFUSED = "2025-03-01 10:00:01,250 - acme - ERROR - Error when calling remote API: Error code: 401 - no valid token\n"


@pytest.mark.parametrize(
    ("story", "log", "fails"),
    [
        ("it ends there", ASKED + REFUSED, True),
        ("it only notes that", ASKED + REFUSED + "2025-03-01 10:00:02,250 - acme - INFO - The judge: none\n", True),
        (
            "its results are saved for all that",
            ASKED + REFUSED + "2025-03-01 10:00:02,250 - acme - INFO - Report saved to out/report.json\n",
            False,
        ),
        (
            "another rank's are",
            ASKED + REFUSED + "[rank3]: 2025-03-01 10:00:02,250 - acme - INFO - Report saved to out/report.json\n",
            True,
        ),
        (
            "what is saved tells of the failure",
            ASKED + REFUSED + "2025-03-01 10:00:02,250 - acme - INFO - Crash report saved to out/report.json\n",
            True,
        ),
        (
            "what is saved is there to go on from",
            ASKED + REFUSED + "2025-03-01 10:00:02,250 - acme - INFO - State saved in out/last for resuming\n",
            True,
        ),
        ("three of ten thousand fail", STEPS + "Failed to decode 3 of 10000 images\n", False),
        ("the third of ten thousand fails", STEPS + "Failed to decode image 3 of 10000: broken data stream\n", True),
        ("three of four fail", STEPS + "Failed to decode 3 of 4 images\n", True),
    ],
)
def test_what_its_program_outlives_ends_no_log(on, story, log, fails):
    report = run_log(on, log)
    assert (report.status in (Status.FAILED, Status.UNEXPLAINED)) is fails, story


RAN = (
    "[ RUN      ] Copies.Refuses\n"
    "E0306 10:00:00.000000    77 op.cc:12] CUDA error: an illegal memory access was encountered\n"
    "[       OK ] Copies.Refuses (1 ms)\n"
    "[==========] 5 tests from 1 test suite ran. (12 ms total)\n"
)


@pytest.mark.parametrize(
    ("story", "log", "fails"),
    [
        ("all have passed", RAN + "[  PASSED  ] 5 tests.\n", False),
        ("some have not", RAN + "[  PASSED  ] 4 tests.\n[  FAILED  ] 1 test, listed below:\n", True),
        ("pytest says so", RAN + "======== 5 passed, 2 warnings in 3.21s ========\n", False),
        ("pytest says that some have not", RAN + "======== 1 failed, 4 passed in 3.21s ========\n", True),
        ("they are under way", RAN, True),
    ],
)
def test_what_tests_provoke_is_no_failure_once_all_have_passed(on, story, log, fails):
    assert (run_log(on, log).status is Status.FAILED) is fails, story
