"""From Python, a log may be an open file: what a service holds in memory needs no file of its own."""

import gzip
import io
import os
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import logrules

LOG = b"step 1 loss 1.0\nRuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n"


@pytest.mark.parametrize(
    "data", [LOG, gzip.compress(LOG), LOG.decode().encode("utf-16")], ids=["text", "gzip", "utf-16"]
)
def test_an_open_log_is_read_as_a_file_is(tmp_path, data):
    saved = tmp_path / "log"
    saved.write_bytes(data)
    told = [logrules.diagnose(saved), logrules.diagnose(io.BytesIO(data))]
    assert [(report.lines, report.diagnoses[0].cause) for report in told] == [(2, "cuda-oom")] * 2


def test_open_logs_stand_beside_others_each_under_its_name(tmp_path):
    saved = tmp_path / "rank0.log"
    saved.write_bytes(b"step 1 loss 1.0\n")
    with saved.open("rb") as file:
        report = logrules.diagnose(saved, io.BytesIO(LOG), io.BytesIO(b"waiting\n"), file)
    assert report.sources == ("rank0.log", "<log>", "<log 2>", "<log 3>")
    assert report.diagnoses[0].evidence[0].source == "<log>"


def test_what_was_read_already_is_not_read_again_and_the_file_stays_open():
    log = io.BytesIO(b"skipped\n" + LOG)
    log.readline()
    assert logrules.diagnose(log).lines == 2
    assert not log.closed


def test_a_text_file_is_refused_in_one_sentence():
    with pytest.raises(logrules.SourceError, match="binary"):
        logrules.diagnose(io.StringIO(LOG.decode()))


def test_a_temporary_text_file_is_refused_too():
    with tempfile.NamedTemporaryFile("w+") as file, pytest.raises(logrules.SourceError, match="binary"):
        logrules.diagnose(file)


def test_what_cannot_be_read_is_refused_in_one_sentence(tmp_path):
    closed = io.BytesIO(LOG)
    closed.close()
    with (tmp_path / "log").open("wb") as for_writing:
        for given in (closed, for_writing):
            with pytest.raises(logrules.SourceError, match=r"^<log>: it is "):
                logrules.diagnose(given)
    for neither in (LOG, ["a.log", "b.log"], None):
        with pytest.raises(logrules.SourceError, match=f"a {type(neither).__name__} is neither a path nor an open"):
            logrules.diagnose(neither)


def test_an_empty_name_is_not_the_current_folder():
    with pytest.raises(logrules.SourceError, match="is empty"):
        logrules.diagnose("")


def test_a_name_that_no_file_can_have_is_refused_in_one_sentence():
    with pytest.raises(logrules.SourceError, match="is no name of a file"):
        logrules.diagnose("a\0b")
    with pytest.raises(logrules.PackError, match="no such file or folder of rules"):
        logrules.load_rules("a\0b")


@pytest.mark.skipif(os.name != "posix", reason="pipes that do not wait are a matter of POSIX")
def test_a_pipe_that_does_not_wait_is_said_to_have_been_read_in_part():
    out, into = os.pipe()
    os.set_blocking(out, False)
    os.write(into, LOG)
    with os.fdopen(out, "rb", 0) as file:
        report = logrules.diagnose(file)
    os.close(into)
    assert [note.note for note in report.notes] == ["reading failed (resource temporarily unavailable)"]


def test_no_log_at_all_is_refused():
    with pytest.raises(logrules.SourceError, match="no log given"):
        logrules.diagnose()


def test_threads_that_begin_together_load_the_rules_once(monkeypatch):
    """Loaded by each of the first requests of a service they would take the memory and the time of each."""
    loads: list[str] = []
    all_wait = threading.Barrier(4)

    def load(*_folders: str) -> str:
        loads.append("loaded")
        time.sleep(0.05)  # what begins meanwhile would load them too
        return "the rules"

    monkeypatch.setattr(logrules, "load_rules", load)
    logrules._rules_once.cache_clear()

    def ask() -> object:
        all_wait.wait(10)
        return logrules._shipped_rules()

    try:
        with ThreadPoolExecutor(4) as pool:
            answers = [one.result() for one in [pool.submit(ask) for _ in range(4)]]
    finally:
        logrules._rules_once.cache_clear()
    assert (answers, loads) == (["the rules"] * 4, ["loaded"])
