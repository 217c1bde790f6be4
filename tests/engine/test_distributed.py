"""Many logs read by many: the same report whoever reads them, and whatever becomes of one of them."""

import io
import os
import pickle
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.cli.main import main
from logrules.engine import distributed as local
from logrules.engine.distributed import (
    Read,
    Task,
    read,
    read_here,
    replay_spread,
)
from logrules.engine.extraction import MANY_SOURCES, WINDOWS_AHEAD, Scanners, window_bytes, windows_ahead
from logrules.engine.merged_logs import CHUNK_EVENTS, packed, unpacked
from logrules.engine.resilient_pool import AHEAD, WorkerPool
from logrules.engine.run import replay
from logrules.model.errors import LogrulesError, SourceError
from logrules.model.event import Event, Hit, Worker
from logrules.output.report_json import render_json
from logrules.ruleset.pack import Pack
from logrules.sources.discover import discover
from logrules.sources.file import FileSource
from logrules.sources.remote import is_remote, remote_sources

RANKS = 4
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


@pytest.fixture
def job(tmp_path) -> Path:
    """Four ranks, of which one runs out of memory."""
    folder = tmp_path / "job"
    folder.mkdir()
    for rank in range(RANKS):
        lines = [f"2025-06-15 10:00:{second:02d} INFO step {second} loss 0.{second}" for second in range(50)]
        if rank == 2:
            lines.append(f"2025-06-15 10:00:50 [rank2]: {OOM}")
        (folder / f"rank{rank}.log").write_text("\n".join(lines) + "\n")
    return folder


def document(report) -> str:
    out = io.StringIO()
    render_json(report, out, "en")
    return out.getvalue()


def spread(folder: Path, pack: Pack, readers) -> str:
    found = discover([str(folder)])
    return document(replay_spread(found.sources, pack, readers, notes=found.notes))


# Whoever reads.


def test_processes_say_what_one_process_says(job, shipped):
    found = discover([str(job)])
    alone = document(replay(found.sources, shipped, notes=found.notes))
    assert spread(job, shipped, partial(read_here, processes=2)) == alone
    assert '"ranks": [\n    2\n' in alone


def test_answers_may_come_in_any_order(job, shipped):
    def backwards(tasks: Sequence[Task], pack: Pack) -> Iterator[Read]:
        yield from reversed(list(read_here(tasks, pack, 1)))

    assert spread(job, shipped, backwards) == spread(job, shipped, partial(read_here, processes=1))


def test_the_size_of_a_window_depends_on_how_many_logs_there_are_alone():
    assert window_bytes(1) == window_bytes(MANY_SOURCES - 1) > window_bytes(MANY_SOURCES) == window_bytes(10_000)


def test_the_more_logs_there_are_the_fewer_windows_of_each_are_looked_at_ahead():
    assert [windows_ahead(sources) for sources in (0, 1, 2, 10_000)] == [WINDOWS_AHEAD, WINDOWS_AHEAD, 4, 1]


# What becomes of one.


def died_once(marker: Path, scanners: Scanners, task: Task) -> Read:
    if task.number == 1 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return read(scanners, task)


def always_dies(scanners: Scanners, task: Task) -> Read:
    if task.number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return read(scanners, task)


def test_a_task_whose_process_dies_is_tried_again(job, shipped, tmp_path, monkeypatch):
    whole = spread(job, shipped, partial(read_here, processes=2))
    monkeypatch.setattr(local, "read", partial(died_once, tmp_path / "died"))
    assert spread(job, shipped, partial(read_here, processes=2)) == whole
    assert (tmp_path / "died").exists()


def test_a_log_that_kills_its_reader_is_listed_and_the_report_partial(job, shipped, monkeypatch):
    monkeypatch.setattr(local, "read", always_dies)
    found = discover([str(job)])
    report = replay_spread(found.sources, shipped, partial(read_here, processes=2))
    assert report.unread == ("rank1.log",)
    assert report.sources == ("rank0.log", "rank2.log", "rank3.log")
    assert report.diagnoses[0].cause == "cuda-oom"
    assert '"partial": true' in document(report)


def crowd(folder: Path, count: int) -> Path:
    """A folder of logs of a line each, the last of them with an error."""
    folder.mkdir()
    for number in range(count):
        (folder / f"task{number}.log").write_text(f"2025-06-15 10:00:00 INFO step {number}\n")
    (folder / f"task{count - 1}.log").write_text(f"2025-06-15 10:00:50 {OOM}\n")
    return folder


def test_small_logs_are_read_in_batches_and_big_ones_alone(tmp_path):
    logs = discover([str(crowd(tmp_path / "many", 40))]).sources
    with (tmp_path / "many" / "task7.log").open("wb") as big:
        big.truncate(2 << 20)
    tasks = [Task(number, source, MANY_SOURCES) for number, source in enumerate(logs)]
    batches = list(local._batches(tasks, 2))
    assert [task for batch in batches for task in batch] == tasks
    assert [len(batch) for batch in batches] == [5, 2, 1, 5, 5, 5, 5, 5, 5, 2]


def test_a_log_that_kills_its_reader_takes_no_other_of_its_batch_with_it(tmp_path, shipped, monkeypatch):
    monkeypatch.setattr(local, "read", always_dies)
    found = discover([str(crowd(tmp_path / "many", 40))])
    report = replay_spread(found.sources, shipped, partial(read_here, processes=2))
    assert report.unread == ("task1.log",)
    assert len(report.sources) == 39
    assert report.diagnoses[0].cause == "cuda-oom"


def test_a_crowd_of_logs_is_told_alike_by_one_process_and_by_two(tmp_path, shipped):
    folder = crowd(tmp_path / "many", 300)
    found = discover([str(folder)])
    alone = document(replay(found.sources, shipped, notes=found.notes))
    assert spread(folder, shipped, partial(read_here, processes=2)) == alone


def test_no_more_than_a_few_items_of_a_process_are_under_way(shipped, monkeypatch):
    started: list[int] = []
    answered: list[int] = []

    class Here(Executor):
        def submit(self, function, /, item):
            started.append(item)
            assert len(started) - len(answered) <= 2 * AHEAD
            done: Future[int] = Future()
            done.set_result(item)
            return done

    monkeypatch.setattr("logrules.engine.resilient_pool.process_pool", lambda *_: Here())
    pool = WorkerPool(2, lambda _, item: item, type)
    for _, answer in pool.answers({number: number for number in range(100)}, shipped):
        answered.append(answer)
    assert sorted(answered) == list(range(100))


def test_a_log_that_is_gone_is_listed_and_the_others_are_read(job, shipped):
    found = discover([str(job)])
    (job / "rank3.log").unlink()
    report = replay_spread(found.sources, shipped, partial(read_here, processes=2))
    assert report.unread == ("rank3.log",)
    assert "no such file" in report.notes[0].note


def test_a_report_that_is_partial_says_so_first(job, capsys, monkeypatch):
    monkeypatch.setattr(local, "read", always_dies)
    assert main(["diagnose", str(job), "-j", "2", "--lang", "en"]) == 1
    assert "partial: 1 of 4 logs could not be read" in capsys.readouterr().out


def test_no_file_is_left_behind(job, shipped, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    spread(job, shipped, partial(read_here, processes=2))
    assert list((tmp_path / "temporary").iterdir()) == []


# On the way.


@given(st.integers(0, 3 * CHUNK_EVENTS + 1))
def test_events_come_back_as_they_were(tmp_path_factory, count):
    events = [
        Event("a.log", line, line * 10, f"line {line}", "x", Worker("a.log", rank=1), (Hit(line, {"a": "b"}),))
        for line in range(count)
    ]
    path = tmp_path_factory.mktemp("spill") / "0"
    path.write_bytes(packed(events))
    assert list(unpacked(path)) == events


def test_a_source_travels_unread(job, monkeypatch):
    monkeypatch.chdir(job)
    source = FileSource("rank0.log", "0")
    source.read(None)
    packed_up = pickle.dumps(source)
    monkeypatch.chdir("/")  # a worker of a cluster has a folder of its own
    again = pickle.loads(packed_up)  # noqa: S301 (our own)
    assert (again.name, again.read(None).offset) == ("0", 0)


# URLs.


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("s3://bucket/a.log", True),
        ("ssh://host/a.log", True),
        ("a.log", False),
        ("/a://b", False),
        ("C:\\a.log", False),
        ("://a", False),
    ],
)
def test_what_is_a_url(path, wanted):
    assert is_remote(path) is wanted


def test_a_url_whose_packages_are_missing_names_the_extra(monkeypatch):
    pytest.importorskip("fsspec")
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    monkeypatch.delitem(sys.modules, "fsspec.implementations.http", raising=False)
    with pytest.raises(SourceError, match=r"remote logs need aiohttp, requests: pip install 'logrules\[remote\]'"):
        remote_sources("http://example.invalid/a.log")


@pytest.fixture
def bucket(job):
    """The job behind URLs."""
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    for path in job.iterdir():
        files.pipe_file(f"/bucket/run/{path.name}", path.read_bytes())
    files.pipe_file("/bucket/run/model.bin", b"\x00")
    yield "memory://bucket/run"
    files.rm("/bucket", recursive=True)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("pattern", ["", "/", "/rank*.log"])
def test_logs_behind_urls_are_logs(job, bucket, shipped, pattern):
    found = discover([bucket + pattern])
    assert [source.name for source in found.sources] == [f"rank{rank}.log" for rank in range(RANKS)]
    here = discover([str(job)])
    assert document(replay(found.sources, shipped)) == document(replay(here.sources, shipped))


def test_a_packed_log_behind_a_url_is_unpacked(bucket, shipped):
    import gzip

    import fsspec

    fsspec.filesystem("memory").pipe_file("/bucket/one.log.gz", gzip.compress(f"step 1\n{OOM}\n".encode()))
    (source,) = remote_sources("memory://bucket/one.log.gz")
    assert replay([source], shipped).diagnoses[0].cause == "cuda-oom"


def test_what_is_no_text_behind_a_url_is_said(bucket, shipped):
    import fsspec

    fsspec.filesystem("memory").pipe_file("/bucket/run.log", b"PK\x03\x04" + bytes(range(256)) * 40)
    report = replay(remote_sources("memory://bucket/run.log"), shipped)
    assert (report.lines, [note.note for note in report.notes]) == (0, ["is a zip archive; unpack it first"])


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("memory://bucket/none.log", "memory://bucket/none.log: no log there"),
        ("nosuch://bucket/a.log", "nosuch://bucket/a.log: Protocol not known: nosuch"),
    ],
)
def test_a_url_without_a_log_is_one_sentence(url, says, capsys):
    pytest.importorskip("fsspec")
    with pytest.raises(SourceError) as fault:
        discover([url])
    assert str(fault.value).startswith(says)
    assert main(["diagnose", url]) == 2
    assert capsys.readouterr().err.count("\n") == 1


# A cluster.


def test_without_ray_or_without_a_cluster_it_is_one_sentence(job, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    assert main(["diagnose", str(job), "--engine", "ray"]) == 2
    assert capsys.readouterr().err == "logrules: --engine ray needs Ray: pip install 'logrules[ray]'\n"


def test_standard_input_does_not_travel(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["diagnose", "-", "--engine", "ray"]) == 2
    assert "standard input cannot be handed to a cluster" in capsys.readouterr().err


def test_an_address_without_a_cluster_is_one_sentence(shipped):
    pytest.importorskip("ray")
    from logrules.tools.cluster.ray_cluster import read_on_ray

    with pytest.raises(LogrulesError, match=r"no Ray cluster at `127\.0\.0\.1:1`"):
        next(read_on_ray([], shipped, "127.0.0.1:1"))
