"""Many jobs: what became of each, what they have in common, and what is kept of it."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import jsonschema
import pytest

from logrules.cli.main import EXIT_INTERRUPTED, main
from logrules.engine.run import prepared
from logrules.model.errors import LogrulesError
from logrules.model.report import Status
from logrules.tools.fleet import scan_jobs as scan
from logrules.tools.fleet import scan_verb
from logrules.tools.fleet.history import History, default_history
from logrules.tools.fleet.job import JobSummary, SeenJob, grouped
from logrules.tools.fleet.jobs import jobs_of
from logrules.tools.fleet.jobs_json import job_document, job_of, job_schema
from logrules.tools.fleet.jobs_text import render_jobs
from logrules.tools.fleet.listing import moment
from logrules.tools.fleet.summary import summed_up

pytestmark = pytest.mark.unmeasured

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


def step(minute: int) -> str:
    return f"2025-06-15 10:{minute:02d}:00 INFO step {minute} loss 0.5\n"


@pytest.fixture
def runs(tmp_path, monkeypatch) -> Path:
    """Three jobs: one that ran out of memory, one that goes on, one that is no log."""
    monkeypatch.setenv("LOGRULES_STATE_DIR", str(tmp_path / "state"))
    root = tmp_path / "runs"
    for name in ("a", "b", "c"):
        (root / name).mkdir(parents=True)
    (root / "a/train.log").write_text(
        "".join(map(step, range(10))) + f"2025-06-15 10:40:00 [rank3]: {OOM}\n2025-06-15 10:41:00 end\n"
    )
    (root / "b/train.log").write_text("".join(map(step, range(10))))
    (root / "c/model.bin").write_bytes(b"\x00\x01")
    monkeypatch.chdir(tmp_path)
    return root


def listed(capsys) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


# What became of each.


def test_each_job_is_a_line(runs, capsys):
    assert main(["scan", "runs", "--format", "jsonl"]) == 1
    a, b, c = listed(capsys)
    assert (a["job"], a["status"], a["cause"], a["ranks"]) == ("a", "failed", "cuda-oom", [3])
    assert (b["status"], b["cause"], b["lost_s"]) == ("running", None, None)
    assert (c["status"], "no log in this folder" in str(c["unread"])) == (None, True)
    for line in (a, b, c):
        jsonschema.validate(line, job_schema())


def test_a_scan_that_is_broken_off_keeps_what_it_read(runs, monkeypatch):
    read = iter([(job, JobSummary(job.name, Status.FAILED)) for job in jobs_of([Path("runs")], "[ab]")])

    def broken_off(*_):
        yield from read
        raise KeyboardInterrupt

    monkeypatch.setattr(scan_verb, "_read", broken_off)
    assert main(["scan", "runs"]) == EXIT_INTERRUPTED
    with closing(History(default_history())) as history:
        assert {one.summary.job for one in history.latest()} == {"a", "b"}


def test_lost_time_is_from_the_last_progress_to_the_end(runs, shipped):
    (job,) = (job for job in jobs_of([runs], "a"))
    summary = summed_up(prepared(shipped), job)
    assert summary.ended - summary.began == 41 * 60
    assert summary.lost_s == (41 - 9) * 60


@pytest.mark.skipif(os.name != "posix", reason="names of POSIX")
def test_a_job_whose_name_is_no_utf_8_is_kept_and_forgotten(runs, capsys):
    (runs / "b").rename(runs / "\udcff")
    assert main(["scan", "runs"]) == 1
    assert main(["history", "--forget", "runs/\udcff"]) == 0
    assert main(["history", "--note", "\udcff", "\udcff"]) == 2
    capsys.readouterr()
    main(["history", "--format", "jsonl"])
    assert {Path(one["job"]).name for one in listed(capsys)} == {"a"}


@pytest.mark.parametrize("when", ["9999-12-31 23:59:59", "1970-01-01 00:00:07", "0001-01-01 00:00:00"])
def test_times_at_which_no_job_can_have_run_lose_none(runs, shipped, when):
    (runs / "b/train.log").write_text(
        f"{when} start\n2025-06-15 10:10:00 {OOM}\n{when} step 7 loss 0.5\n{when} {OOM}\n2025-06-15 10:15:00 end\n"
    )
    (job,) = jobs_of([runs], "b")
    summary = summed_up(prepared(shipped), job)
    assert summary.ended - summary.began == summary.lost_s == 5 * 60


def test_without_progress_it_is_from_the_first_evidence(runs, shipped):
    (runs / "b/train.log").write_text(
        f"2025-06-15 10:00:00 start\n2025-06-15 10:10:00 {OOM}\n2025-06-15 10:15:00 end\n"
    )
    (job,) = jobs_of([runs], "b")
    assert summed_up(prepared(shipped), job).lost_s == 5 * 60


def test_the_table_says_the_same(runs, capsys):
    assert main(["scan", "runs", "--lang", "en"]) == 1
    rows = capsys.readouterr().out.splitlines()
    assert rows[1].split() == ["a", "FAILED", "cuda-oom", "train_step", "rank", "3", "2025-06-15", "10:41", "32m"]
    assert rows[-1] == "3 jobs: 1 failed or stalled, 32m lost (2.1 GPU-hours)"
    assert main(["scan", "runs", "--lang", "zh"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "3 个作业：1 个失败或卡住，损失 32m (2.1 GPU 小时)"


def test_a_job_that_something_warns_of_is_not_called_well(capsys):
    render_jobs(
        [JobSummary("a", Status.HEALTHY, cause="loss-spike"), JobSummary("b", Status.HEALTHY)], sys.stdout, "en"
    )
    first, second = capsys.readouterr().out.splitlines()[1:3]
    assert ("NOT WELL" in first, "NOTHING WRONG FOUND" in second) == (True, True)


def test_jobs_may_be_files_and_lie_deeper(runs, capsys):
    assert main(["scan", ".", "--jobs", "runs/*/*.log", "--format", "jsonl"]) == 1
    assert [one["job"] for one in listed(capsys)] == ["runs/a/train.log", "runs/b/train.log"]


def test_several_folders_and_logs_are_listed_by_their_whole_paths(runs, capsys):
    Path("more").mkdir()
    Path("more/x.log").write_text(step(1))
    assert main(["scan", "runs", "more", "more/x.log", "--format", "jsonl"]) == 1
    assert [one["job"] for one in listed(capsys)] == ["runs/a", "runs/b", "runs/c", "more/x.log"]


def test_folders_that_are_jobs_themselves(runs, capsys):
    assert main(["scan", "runs/a", "runs/b", "--jobs", ".", "--format", "jsonl"]) == 1
    assert [one["job"] for one in listed(capsys)] == ["runs/a", "runs/b"]
    for whole in (".", "./", "./."):
        assert main(["scan", "runs/b", "--jobs", whole, "--format", "jsonl"]) == 0
        assert [one["job"] for one in listed(capsys)] == ["runs/b"]


def test_a_log_is_one_job_alone_or_beside_folders(runs, capsys):
    Path("a.log").write_text(step(1))
    assert main(["scan", "a.log", "--format", "jsonl"]) == 0
    assert [one["job"] for one in listed(capsys)] == ["a.log"]


def test_a_folder_without_a_job_stops_no_other(runs, capsys):
    Path("empty").mkdir()
    assert main(["scan", "empty", "runs/b", "--format", "jsonl"]) == 0
    assert [one["job"] for one in listed(capsys)] == ["runs/b/train.log"]


def test_what_lies_in_a_job_that_is_named_too_is_no_other_job(runs, capsys):
    assert main(["scan", "runs", "runs/a", "--format", "jsonl"]) == 1
    assert [one["job"] for one in listed(capsys)] == ["runs/a", "runs/b", "runs/c"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX only")
def test_a_pipe_among_jobs_is_none(runs):
    os.mkfifo(runs / "pipe.log")
    (runs / "gone.log").symlink_to("nowhere")
    named = [job.name for job in jobs_of([runs], "*")]
    assert "gone.log" in named
    assert "pipe.log" not in named


def test_what_lies_beside_logs_is_a_job_only_for_a_pattern_that_asks_for_it(runs):
    for name in ("report.json", "report.html", "loss.png", "config.yaml", "requirements.txt"):
        (runs / name).write_text(f"{OOM}\n")
    for name in ("train.log", "slurm-17.out", "console"):
        (runs / name).write_text(f"{OOM}\n")
    assert [job.name for job in jobs_of([runs], "*")] == ["a", "b", "c", "console", "slurm-17.out", "train.log"]
    assert [job.name for job in jobs_of([runs], "*.json")] == ["report.json"]


def test_hostile_names_are_shown_harmless(runs, capsys):
    (runs / "d\x1b[31m").mkdir()
    (runs / "d\x1b[31m/x.log").write_text("step 1\n")
    assert main(["scan", "runs", "--lang", "en"]) == 1
    assert "\x1b[31m" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere"], "nowhere: no such file or folder"),
        (["runs", "nowhere"], "nowhere: no such file or folder"),
        (["runs", "--jobs", "x*"], "runs: nothing matches x*"),
        (["runs", "--jobs", "/abs"], "--jobs /abs: is no pattern of paths below runs, such as '*/logs'"),
        (["empty"], "empty: holds no job"),
        (["empty", "empty"], "empty: holds no job"),
        (["runs", "--since", "yesterday"], "--since yesterday: say 24h, 7d or a date"),
    ],
)
def test_mistakes_are_one_sentence(runs, capsys, words, says):
    Path("a.log").touch()
    Path("empty").mkdir()
    assert main(["scan", *words]) == 2
    said = capsys.readouterr()
    assert says in said.err
    assert said.out == ""


# A reader that dies.


def dies_at_a(on, job):
    if job.name == "a":
        os.kill(os.getpid(), signal.SIGKILL)
    return summed_up(on, job)


def dies_once(marker, on, job):
    if job.name == "a" and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return summed_up(on, job)


def test_a_job_that_kills_its_reader_does_not_lose_the_others(runs, shipped, monkeypatch):
    monkeypatch.setattr(scan, "summed_up", dies_at_a)
    found = {job.name: summary for job, summary in scan.scanned(jobs_of([runs], "*"), shipped, 2)}
    assert found["a"].unread == "its reader died twice"
    assert found["b"].status is Status.RUNNING


def test_a_reader_that_dies_once_is_replaced(runs, shipped, monkeypatch, tmp_path):
    monkeypatch.setattr(scan, "summed_up", partial(dies_once, tmp_path / "died"))
    found = {job.name: summary for job, summary in scan.scanned(jobs_of([runs], "*"), shipped, 2)}
    assert found["a"].cause == "cuda-oom"


# What they have in common.


def summary(job: str, status: Status, cause: str | None, host: str | None, lost_s: float | None = None) -> JobSummary:
    return JobSummary(job, status, cause=cause, hosts=(host,) if host else (), lost_s=lost_s)


JOBS = [
    summary("a", Status.FAILED, "cuda-oom", "node-1", 60.0),
    summary("b", Status.FAILED, "gpu-xid", "node-2", 10.0),
    summary("c", Status.STALLED, "nccl-timeout", "node-2", 20.0),
    summary("d", Status.RUNNING, "cuda-oom", None),
]


def seen(summaries: list[JobSummary]) -> list[SeenJob]:
    return [SeenJob(one.job, one, 0.0) for one in summaries]


def test_a_bad_node_comes_first():
    assert [(one.name, one.troubled, one.jobs, one.lost_s) for one in grouped(seen(JOBS), "host", 0.0)] == [
        ("node-2", 2, ("b", "c"), 30.0),
        ("node-1", 1, ("a",), 60.0),
    ]


def test_groups_by_cause():
    assert [(one.name, one.troubled, len(one.jobs)) for one in grouped(seen(JOBS), "cause", 0.0)] == [
        ("cuda-oom", 1, 2),
        ("nccl-timeout", 1, 1),
        ("gpu-xid", 1, 1),
    ]


def test_where_nothing_can_be_grouped_it_says_so(tmp_path, capsys):
    (tmp_path / "a.log").write_text("INFO step 1 loss 0.5\n")
    assert main(["scan", str(tmp_path), "--no-history", "--group", "host", "--lang", "en"]) == 0
    assert capsys.readouterr().out == "no job that failed or stalled names a host\n"


def test_groups_are_listed(runs, capsys):
    assert main(["scan", "runs", "--group", "cause", "--format", "jsonl"]) == 1
    (group,) = listed(capsys)
    assert {key: group[key] for key in ("name", "jobs", "troubled", "lost_s")} == {
        "name": "cuda-oom", "jobs": ["a"], "troubled": 1, "lost_s": 1920.0,
    }  # fmt: skip
    assert main(["scan", "runs", "--group", "cause", "--lang", "en"]) == 1
    head, title, when, which = capsys.readouterr().out.splitlines()
    assert head == "cuda-oom  1 of 1 job failed · lost 32m · 2.1 GPU-hours"
    assert (title, when, which) == ("  The GPU ran out of memory", "  first 2025-06-15, last 2025-06-15", "  a")


# What is kept.


def test_a_summary_comes_back_as_it_was():
    for one in JOBS:
        assert job_of(job_document(one)) == one


def test_an_unchanged_job_is_not_read_again(runs, capsys, monkeypatch):
    assert main(["scan", "runs", "--format", "jsonl"]) == 1
    before = capsys.readouterr().out
    asked = []
    monkeypatch.setattr(scan, "scanned", lambda jobs, *_: asked.extend(job.name for job in jobs) or iter(()))
    # Only what could not be read is tried again.
    assert main(["scan", "runs", "--format", "jsonl"]) == 2
    assert asked == ["c"]
    capsys.readouterr()
    monkeypatch.undo()
    monkeypatch.chdir(runs.parent)
    monkeypatch.setenv("LOGRULES_STATE_DIR", str(runs.parent / "state"))
    assert main(["scan", "runs", "--format", "jsonl"]) == 1
    assert capsys.readouterr().out == before


def test_jobs_are_listed_where_nothing_can_be_kept(runs, capsys, monkeypatch):
    (runs.parent / "file").write_text("")
    monkeypatch.setenv("LOGRULES_STATE_DIR", str(runs.parent / "file/state"))
    assert main(["scan", "runs", "--format", "jsonl"]) == 1
    told = capsys.readouterr()
    assert '"status": "failed"' in told.out
    assert told.err.endswith("cannot be used as history (not a directory); results are not kept\n")
    # Who names a place means it.
    assert main(["scan", "runs", "--history", str(runs.parent / "file/state/x")]) == 2


def test_a_job_that_went_on_is_read_again(runs, capsys):
    assert main(["scan", "runs", "--format", "jsonl"]) == 1
    with (runs / "b/train.log").open("a") as log:
        log.write(f"2025-06-15 10:20:00 {OOM}\n")
    capsys.readouterr()
    assert main(["scan", "runs", "--format", "jsonl"]) == 1
    assert [one["status"] for one in listed(capsys)] == ["failed", "failed", None]


def test_history_lists_the_newest_of_each_job(runs, capsys):
    for _ in range(2):
        main(["scan", "runs", "--again"])
    capsys.readouterr()
    assert main(["history", "--format", "jsonl"]) == 0
    assert sorted(str(one["job"]) for one in listed(capsys)) == [str(runs / "a"), str(runs / "b")]
    assert main(["history", "--cause", "cuda-oom", "--job", "*/a", "--format", "jsonl"]) == 0
    assert [one["job"] for one in listed(capsys)] == [str(runs / "a")]
    assert main(["history", "--host", "node-9"]) == 1
    assert main(["history", "--since", "2025-06-16", "--format", "jsonl"]) == 1


def test_a_job_is_the_same_from_wherever_it_is_named(runs, capsys, monkeypatch):
    main(["scan", "runs"])
    monkeypatch.chdir(runs / "a")
    main(["scan", "../../runs"])
    capsys.readouterr()
    assert main(["history", "--format", "jsonl"]) == 0
    assert sorted(str(one["job"]) for one in listed(capsys)) == [str(runs / "a"), str(runs / "b")]
    assert main(["history", "--forget", "../a"]) == 0


def test_history_can_forget(runs, capsys):
    main(["scan", "runs"])
    assert main(["history", "--forget", "runs/a"]) == 0
    assert "forgot 1 result" in capsys.readouterr().out
    assert main(["history", "--forget", "runs/a"]) == 1
    assert main(["history", "--forget", "runs"]) == 0
    assert main(["history"]) == 1


def test_nothing_is_kept_if_that_is_asked_for(runs):
    main(["scan", "runs", "--no-history"])
    assert not (runs.parent / "state").exists()


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("create table theirs (a)")


def later(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("pragma user_version = 99")


def endless(path: Path) -> None:
    History(path).close()
    with sqlite3.connect(path) as database:
        database.execute("drop table results")
        numbers = "with recursive r(x) as (select 1 union all select x + 1 from r)"
        of_row = "x as path, x as identity, x as pack, 1.0 as scanned, '' as summary"
        database.execute(f"create view results as {numbers} select {of_row} from r")  # noqa: S608 (a text of ours)


def without_names(path: Path) -> None:
    foreign(path)
    path.write_bytes(path.read_bytes().replace(b"theirs", b"th\x97\x8ers"))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path.write_bytes(b"not a database" * 99), "cannot be used as history"),
        (without_names, "cannot be used as history"),
        (endless, "is another program's database"),
        (foreign, "is another program's database"),
        (later, "was written by another version of logrules"),
        (Path.mkdir, "cannot be used as history"),
    ],
)
def test_a_file_that_is_no_history_is_one_sentence_and_stays(runs, capsys, make, says):
    path = runs.parent / "h.sqlite"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    assert main(["scan", "runs", "--history", str(path)]) == 2
    assert says in capsys.readouterr().err
    assert (path.read_bytes() if path.is_file() else None) == before


def test_two_scans_at_once_keep_both(runs, tmp_path):
    code = "import sys; from logrules.cli.main import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", code, "scan", str(runs), "--history", str(tmp_path / "h.sqlite"), "--again"]
    both = [subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
    assert [(one.communicate()[1], one.returncode) for one in both] == [(b"", 1), (b"", 1)]
    with closing(History(tmp_path / "h.sqlite")) as history:
        assert len(list(history.latest())) == 2


@pytest.mark.parametrize(
    ("text", "seconds"), [("2025-06-15", 1749945600.0), ("2025-06-15T12:00", 1749988800.0), ("2025-06-15T12:00+02:00", 1749981600.0)]
)  # fmt: skip
def test_dates(text, seconds):
    assert moment(text) == seconds


def test_so_long_ago():
    assert moment("1d") - moment("2d") == pytest.approx(86400, abs=5)
    with pytest.raises(LogrulesError):
        moment("24 hours")
