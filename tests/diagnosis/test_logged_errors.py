"""Errors that a log ends in, logged without an exception, of programs that no rule knows: told by their words."""

import pytest

from logrules import load_rules
from logrules.engine.run import prepared
from logrules.model.report import Status
from logrules.model.stream import End
from logrules.ruletest.harness import events_of, run_log

STEPS = "".join(f"step {number} loss 2.{number} lr 0.1\n" for number in range(1, 8))


@pytest.fixture(scope="module")
def on():
    return prepared(load_rules())


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        ("ERROR acme.store: Connection to shard node 7 refused\n", "service-unreachable"),
        ("2026-03-02 10:00:09,100 ERROR acme.core Failed to apply for memory, 4 GiB asked\n", "cuda-oom"),
        ("[2026-03-02 10:00:09] Error: CUDA error 999 'unknown error' - src/a.cu:54: sync(0)\n", "cuda-illegal-access"),
        # Without a logger's level: a program's name, a mark in brackets, a heading in words, glog without a date.
        ("acme_load: failed to open shard /d/x.bin: No such file or directory\n", "dataset-missing"),
        ("[acme] [Fatal] Check failed: a.size() == b.size()\n", "python-exception"),
        ("Socket connect error: connection reset by peer\n", "peer-lost"),
        ("E acme/serving/harness.cc:104] m load failure: Op type not registered 'Fancy'\n", "version-mismatch"),
        ("fatal: device 3 is lost\n", "gpu-xid"),
        ("[14:49:15] /opt/acme/rpc/tcp.cc:76: Failed bind on 10.0.0.7:7056 , error: Success\n", "port-in-use"),
        ("bash: runjob: command not found\n", "missing-module"),
        # TensorFlow logs with W what ends a step.
        (
            "2023-03-01 10:00:00.250000: W tensorflow/core/framework/op_kernel.cc:1768] OP_REQUIRES failed at "
            "read_ops.cc:7 : NOT_FOUND: /d/a.png; No such file or directory\n",
            "dataset-missing",
        ),
        # What Python's exceptions say, without their class; whatever a format of its logging puts before it.
        (
            "2026-03-02 10:00:09,100 - acme - ERROR - fit failed: 'NoneType' object has no attribute 'lease'\n",
            "python-exception",
        ),
        ("2026-03-02 10:00:09 acme.fit 4711 ERROR No module named 'acme.lease'\n", "missing-module"),
        ("[ERROR|fit.py:88] 2026-03-02 10:00:09 >> module 'acme' has no attribute 'lease'\n", "version-mismatch"),
        ("2026-03-02T10:00:09Z ERROR 4711 [acme.Driver]:  An Internal Compiler Error has occurred\n", "compile-failed"),
        # A program that was called wrongly ends in how it wants to be called.
        ("usage: acme.pl LOG COMMAND at acme.pl line 7.\n", "bad-config"),
        # A message of several lines bears its level on the first.
        ("[ERROR train.py:48]\nAdditional properties are not allowed ('batchsize' was\nunexpected)\n", "bad-config"),
    ],
)
def test_an_unknown_error_at_the_end_is_told_by_its_words(on, log, cause):
    report = run_log(on, "loading the index of acme\n" + log)

    assert report.status is Status.FAILED
    assert report.diagnoses[0].cause == cause
    assert report.diagnoses[0].rule.startswith("exceptions/logged-")
    assert report.diagnoses[0].confidence < 0.6


@pytest.mark.parametrize(
    "log",
    [
        pytest.param("acme: failed to open the cache: No such file or directory\n" + STEPS, id="steps follow"),
        pytest.param("WARNING acme: could not connect, will retry in 5 s\n", id="it is tried again"),
        pytest.param(
            "Error while fetching part 7: timed out\nTrying to resume part 7\n", id="the next line tries again"
        ),
        pytest.param("usage: acme [-h]\n\noptions:\n  -h  show this\n", id="help that was asked for"),
        pytest.param("acme: failed to load the optional kernel, falling back to the slow one\n", id="it does without"),
        pytest.param("acme: failed to connect to a:81\nConnected to a:81\n", id="it is connected"),
        pytest.param("score 0.9\njob.sh: line 22: deactivate: command not found\n", id="a script leaves"),
        pytest.param("score 0.9\n/bin/sh: 1: nvidia-smi: not found\n", id="a script looks around"),
        pytest.param(
            "score 0.9\ngrep: /d/x: Permission denied\ndu: cannot read directory '/d'\n", id="it looks for files"
        ),
        pytest.param(
            "acme has fetched 10 pages\nacme: failed to fetch /x: connection reset by peer\n"
            + "".join(f"acme has fetched {pages} pages of {pages}7\n" for pages in range(20, 170, 10)),
            id="its writer says the same as before",
        ),
        pytest.param("epoch 1 error: 0.031\n", id="a figure"),
        pytest.param("7 tests passed, failed: 0\n", id="a count"),
        pytest.param("checked 7 files: no errors found\n", id="none was found"),
    ],
)
def test_what_was_lived_through_or_is_none_says_nothing(on, log):
    report = run_log(on, log)

    assert [one for one in report.diagnoses if one.rule.startswith("exceptions/logged-")] == []
    assert report.status not in {Status.FAILED, Status.UNEXPLAINED}


def test_what_a_rule_knows_goes_before(on):
    report = run_log(
        on, "ERROR acme: cannot reach the store\nRuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n"
    )

    assert [one.cause for one in report.diagnoses if one.severity == "error"] == ["cuda-oom"]


def test_an_error_whose_words_say_nothing_is_shown_as_before(on):
    report = run_log(on, "ERROR acme: the flux is not as it was\n")

    assert report.status is Status.UNEXPLAINED
    assert report.diagnoses == ()


def test_a_complaint_that_was_made_before_is_no_end(on):
    early = "acme: failed to find a route to 7: connection refused\n" + "".join(
        f"pass {n} over row {n}\n" for n in range(30)
    )

    report = run_log(on, early + "acme: failed to find a route to 9: connection refused\n")

    assert report.diagnoses == () or not report.diagnoses[0].rule.startswith("exceptions/logged-")


@pytest.mark.parametrize(("status", "told"), [(0, False), (None, True)])
def test_a_command_that_ended_well_has_not_failed_of_its_last_words(on, status, told):
    session = on.session()
    for event in events_of(on, "loading\nSocket connect error: connection reset by peer\n"):
        session.feed(event)
    session.feed(End(exit_status=status))

    report = session.report(2, ("log",))
    assert (report.status is Status.FAILED) == told
    assert bool(report.diagnoses) == told


@pytest.mark.parametrize("unit", ["[a] ", "a: ", "<a>", "1:2 ", "a.b/", "failed: "])
def test_a_line_that_might_begin_a_complaint_at_each_of_its_letters_is_read_and_tells_of_none(on, unit):
    """It would take for ever, were there no bound to how often a pattern begins anew."""
    report = run_log(on, f"loading\n{unit * 20_000}\n")
    assert report.status is not Status.FAILED
    assert report.diagnoses == ()


@pytest.mark.parametrize(
    ("what", "cause"),
    [
        ("failed to open /d/shard_7.bin: No such file or directory", "dataset-missing"),
        ("the model file is corrupt: its magic is 0x7f", "checkpoint-corrupt"),
        ("Transport endpoint is not connected", "peer-lost"),
        ("stoi", "segfault"),
    ],
)
def test_what_c_plus_plus_threw_is_told_by_its_words(on, what, cause):
    thrown = "terminate called after throwing an instance of 'acme::Error'\n"
    report = run_log(on, f"loading the index of acme\n{thrown}  what():  {what}\nAborted (core dumped)\n")

    assert report.diagnoses[0].cause == cause
    assert any(what in line.text for line in report.diagnoses[0].evidence)


def test_a_failed_check_is_a_crash_where_only_its_condition_is_told(on):
    log = "[2025-03-04 05:06:07,100 C 91 91] store.cc:88:  Check failed: it != end\n*** StackTrace Information ***\n"

    assert run_log(on, log).diagnoses[0].cause == "segfault"


def test_a_failed_check_is_told_by_words_that_mean_the_same_in_any_exception(on):
    log = (
        "F0102 03:04:05.678901    91 client.cc:88] Non-OK-status: made status: INVALID_ARGUMENT: "
        "Mismatched plugin API version (0.2) and framework API version 0.4).\n*** Begin stack trace ***\n"
    )

    assert run_log(on, log).diagnoses[0].cause == "version-mismatch"


def test_that_a_data_set_of_tensorflow_is_read_to_its_end_is_no_error(on):
    log = (
        "2023-03-01 10:00:00.250000: W tensorflow/core/framework/op_kernel.cc:1202] OP_REQUIRES failed at "
        "iterator_ops.cc:870 : Out of range: End of sequence\n"
    )

    assert run_log(on, log).status is not Status.FAILED
    assert run_log(on, log).status is not Status.UNEXPLAINED


SRUN = "srun: error: gpu-3: task 0: Exited with exit code 1\n"
DEEPSPEED = (
    "[2026-03-02 10:00:09,100] [ERROR] [launch.py:325:sigkill_handler] ['/env/bin/python', '-u', 'train.py', "
    "'--local_rank=1'] exits with return code = 1\n"
)


@pytest.mark.parametrize("ended", [SRUN, DEEPSPEED])
def test_what_a_program_said_itself_goes_before_the_status_with_which_it_ended(on, ended):
    first = run_log(
        on, "loading the index of acme\nError: could not open /d/x.bin: No such file or directory\n" + ended
    )

    assert [one.cause for one in first.diagnoses] == ["dataset-missing"]
    assert "could not open" in first.diagnoses[0].evidence[-1].text


def test_what_nobody_knows_is_not_read_on_into_the_word_of_its_launcher(on):
    report = run_log(on, "loading the index of acme\nError: the index has 7 entries, 8 were asked for\n" + SRUN)

    assert report.diagnoses[0].rule == "exits/exit-1"


def test_a_signal_says_more_than_the_errors_above_it(on):
    cancelled = "slurmstepd: error: *** JOB 7 ON gpu-3 CANCELLED AT 2026-03-02T10:00:09 ***\n"
    report = run_log(on, "loading the index of acme\nError: the shard does not exist: /d/x.bin\n" + cancelled)

    assert report.diagnoses[0].cause == "interrupted"


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (
            "thread 'main' panicked at 'cannot serve: Address already in use (os error 98)', src/main.rs:7:9\n",
            "port-in-use",
        ),
        ("thread 'main' panicked at src/main.rs:7:9:\nno lease: No space left on device\n", "disk-full"),
        ('Exception in thread "main" java.lang.ClassNotFoundException: acme.Lease\n', "missing-module"),
        ("Unhandled exception. System.IO.FileNotFoundException: Could not find '/d/x.csv'.\n", "dataset-missing"),
    ],
)
def test_what_other_languages_end_in_is_told_by_its_words(on, log, cause):
    report = run_log(on, "loading the index of acme\n" + log)

    assert (report.status, report.diagnoses[0].cause) == (Status.FAILED, cause)


def test_an_error_behind_an_open_bar_is_one(on):
    bar = " 5%|#         | 50/1000 [00:50<15:50,  1.00it/s]"
    report = run_log(on, f"hello from acme\n{bar}ERROR:root:the flux is not as it was\n")

    assert report.status is Status.UNEXPLAINED
    assert [one.text for one in report.unusual] == ["ERROR:root:the flux is not as it was"]
