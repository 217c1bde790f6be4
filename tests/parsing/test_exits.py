"""Ends of processes: summaries of several lines as one record, and what codes say (`logrules test` runs the samples)."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from logrules import load_rules
from logrules.model.event import Event, Worker
from logrules.model.failure import Failure
from logrules.parsing.exit_signals import normal_code, signal_name, signal_number
from logrules.parsing.exits import ExitReader
from logrules.ruleset.tables import ExitCode, ExitForm

_TABLE = load_rules().tables
_FORMS = {form.id: form for form in _TABLE.exit_forms}


def _event(line: str, number: int = 1, source: str = "train.log") -> Event:
    return Event(source, number, number * 100, line, line, Worker(source))


def _captures(form: ExitForm, line: str) -> dict[str, str] | None:
    if not any(literal in line for literal in form.contains):
        return None
    found = regex.search(form.pattern, line)
    return None if found is None else {name: text for name, text in found.groupdict().items() if text is not None}


def _reader() -> ExitReader:
    return ExitReader(_TABLE.exit_forms, _TABLE.exit_codes)


def _told(reader: ExitReader, text: str, source: str = "train.log") -> list[Failure]:
    """All records of a text, the latest of each id, as the scan would hand its lines to the reader."""
    found: dict[int, Failure] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for form in _TABLE.exit_forms:
            captures = _captures(form, line)
            if captures is not None:
                failure = reader.read(_event(line, number, source), form.id, captures)
                if failure is not None:
                    found[failure.id] = failure
    return list(found.values())


def test_every_form_has_a_sample_and_codes_name_known_forms():
    assert all(form.samples for form in _TABLE.exit_forms)
    assert all(form in _FORMS for code in _TABLE.exit_codes for form in code.forms)


def test_every_cause_is_in_the_vocabulary():
    known = {cause.id for cause in _TABLE.causes}
    named = {form.cause for form in _TABLE.exit_forms if form.cause} | {code.cause for code in _TABLE.exit_codes}
    assert named <= known


_SUMMARY = """\
E0102 failed (exitcode: -15) local_rank: 0 (pid: 811) of binary: /usr/bin/python3
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2025-01-02_03:04:05
  host      : gpu-01
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 811)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 811
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2025-01-02_03:04:01
  host      : gpu-02
  rank      : 9 (local_rank: 1)
  exitcode  : -9 (pid: 812)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 812
============================================================
"""


def test_an_elastic_summary_is_one_record_with_the_root_first():
    told = _told(_reader(), _SUMMARY)
    summary = max(told, key=lambda failure: len(failure.workers))
    assert [worker.rank for worker in summary.workers] == [9, 0]
    assert (summary.code, summary.worker.host, summary.type) == (-9, "gpu-02", "SIGKILL")


def test_a_summary_that_is_cut_in_its_root_cause_names_it_first():
    cut = _SUMMARY[: _SUMMARY.index("  exitcode  : -9")]
    summary = max(_told(_reader(), cut), key=lambda failure: len(failure.workers))
    assert [worker.rank for worker in summary.workers] == [9, 0]
    whole = max(_told(_reader(), _SUMMARY), key=lambda failure: len(failure.workers))
    assert [(worker.rank, worker.pid) for worker in whole.workers] == [(9, 812), (0, 811)]


def test_an_agent_and_its_summary_tell_of_one_process():
    lines = """\
failed (exitcode: -9) local_rank: 1 (pid: 812) of binary: /usr/bin/python3
Root Cause (first observed failure):
  host      : gpu-02
  rank      : 9 (local_rank: 1)
  exitcode  : -9 (pid: 812)
  traceback : Signal 9 (SIGKILL) received by PID 812
"""
    (failure,) = _told(_reader(), lines)
    assert (failure.worker.rank, failure.worker.host, failure.worker.pid) == (9, "gpu-02", 812)
    assert failure.first.line == 1


def test_the_rank_of_the_summary_replaces_the_number_on_its_node_that_the_agent_gave():
    lines = """\
failed (exitcode: 1) local_rank: 1 (pid: 812) of binary: /usr/bin/python3
Failures:
[1]:
  host      : gpu-02
  rank      : 10 (local_rank: 2)
  exitcode  : -6 (pid: 813)
Root Cause (first observed failure):
[0]:
  host      : gpu-02
  rank      : 9 (local_rank: 1)
  exitcode  : 1 (pid: 812)
"""
    (failure,) = _told(_reader(), lines)
    assert [worker.rank for worker in failure.workers] == [9, 10]
    assert (failure.code, failure.first.line) == (1, 1)
    again = [one.workers[0].pid for one in _told(_reader(), lines + lines.replace("812", "912"))]
    assert again == [812, 912]


def test_what_the_agent_did_to_the_others_is_a_record_of_no_other_kind():
    lines = """\
Failures:
[1]:
  host      : gpu-02
  rank      : 3 (local_rank: 3)
  exitcode  : 1 (pid: 813)
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
[2]:
  host      : gpu-02
  rank      : 0 (local_rank: 0)
  exitcode  : -9 (pid: 810)
  traceback : Signal 9 (SIGKILL) received by PID 810
Root Cause (first observed failure):
[0]:
  host      : gpu-02
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 811)
"""
    (failure,) = [one for one in _told(_reader(), lines) if len(one.workers) > 1]
    assert [worker.rank for worker in failure.workers] == [1, 3, 0]
    assert {one.code for one in _told(_reader(), lines)} == {1}


def test_a_status_without_a_meaning_is_that_of_a_program_that_failed():
    (failure,) = _told(_reader(), "srun: error: gpu-04: task 5: Exited with exit code 255")
    code = _reader().cause_of(failure)
    assert code is not None
    assert (failure.worker.rank, code.id, code.cause) == (5, "exit-other", "python-exception")


def test_hydra_tells_of_a_process_over_two_lines():
    lines = "=   RANK 3 PID 4242 RUNNING AT gpu-04\n=   KILLED BY SIGNAL: 9 (Killed)\n"
    (failure,) = _told(_reader(), lines)
    assert (failure.worker.rank, failure.worker.host, failure.code) == (3, "gpu-04", -9)


def test_open_mpi_names_the_first_process():
    (failure,) = _told(_reader(), "  Process name: [[53124,1],3]\n  Exit code:    1\n")
    assert (failure.worker.rank, failure.code) == (3, 1)


def test_srun_names_host_and_task():
    (failure,) = _told(_reader(), "srun: error: gpu-04: task 3: Killed")
    assert failure.worker.label == "rank 3"
    assert failure.worker.host == "gpu-04"


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("srun: error: gpu-04: task 3: Killed", "worker-killed"),
        ("srun: error: gpu-04: task 3: Out Of Memory", "host-oom"),
        ("srun: error: gpu-04: task 3: User defined signal 1", "preempted"),
        ("srun: error: gpu-04: tasks 0-7: Exited with exit code 1", "python-exception"),
        ("RuntimeError: DataLoader worker (pid 4242) is killed by signal: Bus error. ", "shm-exhausted"),
        ("RuntimeError: DataLoader worker (pid 4242) is killed by signal: Killed. ", "dataloader-worker-died"),
        ("RuntimeError: DataLoader worker (pid(s) 4242) exited unexpectedly", "dataloader-worker-died"),
        ("Bus error (core dumped)", "segfault"),
        ("Segmentation fault (core dumped)", "segfault"),
        ("exit status 130", "interrupted"),
        ("exit status 129", "interrupted"),
        ("exit status 1", None),
        ("exit status 2", None),
        ("      Reason:       OOMKilled", "host-oom"),
        ("slurmstepd: error: *** JOB 47 ON n1 CANCELLED AT 2025-01-02T03:04:05 DUE TO TIME LIMIT ***", "preempted"),
        ("slurmstepd: error: *** JOB 47 ON n1 CANCELLED AT 2025-01-02T03:04:05 ***", "interrupted"),
        ("Worker exit type: SYSTEM_ERROR Worker exit detail: x. Worker exits with an exit code 139.", "segfault"),
        ("Worker exit type: SYSTEM_ERROR Worker exit detail: connection error code 2. End of file", "worker-killed"),
        ("train.service: Failed with result 'oom-kill'.", "host-oom"),
    ],
)
def test_what_codes_say(line: str, cause: str | None):
    reader = _reader()
    (failure,) = _told(reader, line)
    row = reader.cause_of(failure)
    assert (row.cause if row is not None else None) == cause


def test_somebody_else_asked_it_to_end():
    reader = _reader()
    (failure,) = _told(reader, "Terminated")
    row = reader.cause_of(failure)
    assert row is not None
    assert row.tier == "symptom"


def test_a_good_end_is_no_failure():
    assert _told(_reader(), "trainer-1 exited with code 0\n      Exit Code:    0\nexits with return code = 0\n") == []


@pytest.mark.parametrize(
    ("code", "normal"),
    [(137, -9), (139, -11), (143, -15), (130, -2), (247, -9), (245, -11), (1, 1), (127, 127), (255, 255), (-9, -9)],
)
def test_codes_of_shells_and_launchers(code: int, normal: int):
    assert normal_code(code) == normal


@pytest.mark.parametrize(
    ("code", "normal"),
    [
        (3221225477, -11),
        (-1073741819, -11),
        (3221226505, -6),
        (-1073740791, -6),
        (3221225786, -2),
        (3221225472, 3221225472),
    ],
)
def test_codes_of_windows(code: int, normal: int):
    assert normal_code(code) == normal


def test_a_code_of_windows_is_read_with_its_rank():
    (failure,) = _told(_reader(), "process 2 terminated with exit code 3221225477")
    assert (failure.code, failure.worker.rank) == (-11, 2)


@pytest.mark.parametrize("text", ["9", "SIGKILL", "KILL", "Killed", "killed."])
def test_signals_have_many_names(text: str):
    assert signal_number(text) == 9
    assert signal_name(9) == "SIGKILL"


@pytest.mark.parametrize("text", ["0", "65", "999999999999999999999", "", "Kill Bill"])
def test_what_is_no_signal(text: str):
    assert signal_number(text) is None


@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(_FORMS)),
            st.dictionaries(
                st.sampled_from(["code", "signal", "rank", "host", "pid", "root", "name"]),
                st.one_of(st.text(max_size=12), st.integers(-300, 300).map(str)),
                max_size=5,
            ),
            st.integers(0, 10_000),
        ),
        max_size=40,
    )
)
def test_no_captures_raise(lines: list[tuple[str, dict[str, str], int]]):
    reader = _reader()
    for form, captures, number in lines:
        failure = reader.read(_event("x", number), form, captures)
        assert failure is None or failure.code != 0
        if failure is not None:
            reader.cause_of(failure)


def test_an_unknown_form_is_nothing():
    reader = ExitReader([], [ExitCode("x", "segfault", code=3)])
    assert reader.read(_event("x"), "nobody", {"code": "3"}) is None
