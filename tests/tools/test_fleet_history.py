"""What a history answers: kinds of failures, since when, how often, what they cost, and what people said of them."""

import io
import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.cli.main import main
from logrules.engine.run import prepared
from logrules.model.report import Consequence, Diagnosis, Evidence, Report, Restart, Severity, Status, Text
from logrules.tools.fleet.fingerprint import fingerprint_of, normalised, without_prefixes
from logrules.tools.fleet.history import History, seen_job
from logrules.tools.fleet.job import WEEK_S, JobSummary, Remark, SeenJob, grouped, recurrence
from logrules.tools.fleet.jobs import jobs_of
from logrules.tools.fleet.jobs_html import render_page
from logrules.tools.fleet.jobs_json import job_document
from logrules.tools.fleet.jobs_text import _table
from logrules.tools.fleet.summary import idle_since, longest_wait_s, summed_up, waited_s

DAY = 86400.0
NOW = 1_750_000_000.0
NCCL = (
    "[rank{rank}]:[E615 10:30:{second:02d}.858931807 ProcessGroupNCCL.cpp:{line}] [Rank {rank}] Watchdog caught collective "
    "operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for "
    "1800012 milliseconds before timing out."
)


def line(text: str, at: float | None = None, **captures: str) -> Evidence:
    return Evidence("x.log", 1, text, "main", at, captures)


def diagnosis(*lines: Evidence, rule: str = "python/exception", cause: str = "python-exception", **more) -> Diagnosis:
    why = Text("w")
    return Diagnosis(
        rule, cause, "train_step", Severity.ERROR, 0.9, Text("t"), why, Restart.NO, evidence=tuple(lines), **more
    )


def report(*found: Diagnosis, status: Status = Status.FAILED, unusual: tuple[Evidence, ...] = ()) -> Report:
    return Report(status, "train_step", found, unusual=unusual)


# Kinds of failures.

SAME = [
    [
        "[rank3]: ValueError: bad reward shape (4, 2) vs (4,) in /home/ann/out/7/x.pt",
        "(TaskRunner pid=133947, ip=10.0.0.3) ValueError: bad reward shape (8, 2) vs (16,) in /data/b/x.pt",
        "2026-01-02 03:04:05,678 ERROR ValueError: bad reward shape (1, 2) vs (1, 2) in ./y.pt",
    ],
    [
        "gpu-2:77:90 [0] misc/socket.cc:538 NCCL WARN Net : Connection closed by remote peer gpu-1<43210>",
        "gpu-17:9:10 [7] misc/socket.cc:541 NCCL WARN Net : Connection closed by remote peer gpu-3<1>",
    ],
    [
        NCCL.format(rank=3, second=1, line=616, seq=713),
        NCCL.format(rank=60, second=59, line=678, seq=9).replace("[rank60]:", ""),
    ],
    [
        "INFO 03-01 10:00:00 [core.py:58] engine v0.8.1 died at https://a.example/x?y=1 (0x7f00a1) 12ab34cd56ef",
        "INFO 05-01 11:20:35 [core.py:72] engine v0.9.0.dev3+gabc died at https://b.example/z (0x7f11) 99ffee001122",
    ],
]


@pytest.mark.parametrize("texts", SAME)
def test_what_varies_does_not_change_the_kind(texts):
    kinds = {fingerprint_of(report(diagnosis(line(text)))) for text in texts}
    assert len(kinds) == 1
    assert next(iter(kinds)).template


def test_other_words_are_another_kind():
    one, other = (fingerprint_of(report(diagnosis(line(f"ValueError: {text}")))) for text in ("bad shape", "bad dtype"))
    assert one.id != other.id


def traced(folder: str, number: int, library: str) -> Report:
    return report(
        diagnosis(
            replace(
                line("KeyError: 'reward'", type="builtins.KeyError", message="'reward'"),
                before=(
                    f'  File "{folder}/rok.py", line {number}, in step',
                    f'  File "{library}/torch/nn/modules/module.py", line {number + 1}, in _call_impl',
                ),
            )
        )
    )


def test_the_innermost_own_frame_counts_and_its_place_does_not():
    here = fingerprint_of(traced("/home/ann", 8, "/usr/lib/python3.11/site-packages"))
    there = fingerprint_of(traced("/mnt/job7", 99, "/opt/conda/lib/python3.12/site-packages"))
    assert here == there
    assert (here.type, here.frame) == ("KeyError", "rok.py in step")


def test_a_frame_that_was_captured_counts_too():
    raised = line("x", type="ValueError", message="m", file="C:\\work\\rok.py", function="step", line="8")
    assert fingerprint_of(report(diagnosis(raised))).frame == "rok.py in step"


def test_hosts_are_left_out_by_name():
    ours = [diagnosis(line(f"lost contact with {host}"), hosts=(host,)) for host in ("alpha", "beta")]
    assert len({fingerprint_of(report(one)) for one in ours}) == 1


def test_what_nothing_knows_has_a_kind_too():
    found = fingerprint_of(report(status=Status.FAILED, unusual=(line("a"), line("ERROR frobnicator 7 lost its grip"))))
    assert (found.component, found.type, found.template) == ("", "", "frobnicator # lost its grip")


def test_a_healthy_job_has_none():
    assert fingerprint_of(report(status=Status.RUNNING, unusual=(line("odd"),))) is None


@given(st.text(max_size=3000))
def test_any_text_has_a_template(text):
    assert len(normalised(without_prefixes(text))) <= 400
    assert fingerprint_of(report(diagnosis(line(text)))).id


# What was lost.


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (NCCL.format(rank=1, second=0, line=1, seq=1), 1800.012),
        ("Timed out waiting 30000ms for recv operation to complete", 30.0),
        ("wait timeout after 300000ms, keys: /x", 300.0),
        ("RuntimeError: rendezvous timed out after 15 minutes", 900.0),
        ("No heartbeat for 2 hours, giving up: heartbeat timeout", 7200.0),
        ("step took 31 s", 0.0),
        ("timeout of 999999999999 s", 0.0),
        ("time-out", 0.0),
    ],
)
def test_how_long_was_waited(text, seconds):
    assert waited_s(text) == pytest.approx(seconds)


def test_a_time_out_counts_from_where_the_wait_began():
    timed_out = diagnosis(line("timed out after 30 min", NOW))
    assert idle_since([timed_out], None, bool) == NOW - 1800
    assert idle_since([timed_out], NOW - 10, bool) == NOW - 1800
    assert idle_since([timed_out], NOW - 3600, bool) == NOW - 3600


def test_a_time_out_that_the_job_survived_does_not_count():
    assert idle_since([diagnosis(line("timed out after 30 min", NOW - 500))], NOW, bool) == NOW


def test_without_times_the_time_out_itself_is_what_is_known():
    assert longest_wait_s([diagnosis(line("timed out after 30 min"))]) == 1800
    assert longest_wait_s([diagnosis(line("lost"))]) is None


def test_a_clock_that_runs_ahead_dates_no_job_into_the_future():
    assert seen_job("a", JobSummary("a", None, ended=NOW + DAY), NOW).at == NOW
    assert seen_job("a", JobSummary("a", None, ended=NOW - DAY), NOW).at == NOW - DAY


def test_consequences_count():
    other = Consequence("a/b", "c", Text("t"), (line("timed out after 30 min", NOW),))
    assert idle_since([diagnosis(line("lost", NOW), consequences=(other,))], None, bool) == NOW - 1800


def test_lines_of_no_time_of_this_world_do_not_count():
    lines = line("lost", -1.0), line("timed out after 30 min", NOW), line("lost", NOW)
    assert idle_since([diagnosis(*lines)], None, lambda at: at > 0) == NOW - 1800


def test_gpu_hours_need_both():
    assert JobSummary("a", None, lost_s=1800.0, gpus=8).lost_gpu_hours == 4.0
    assert JobSummary("a", None, gpus=8).lost_gpu_hours is None
    assert JobSummary("a", None, lost_s=1800.0).lost_gpu_hours is None


def test_a_job_that_only_shows_its_time_out_lost_it_all(tmp_path, shipped):
    job = tmp_path / "runs" / "a"
    job.mkdir(parents=True)
    (job / "x.log").write_text(
        "2025-06-15 10:29:58 Waiting in store based barrier to initialize process group for rank: 0 "
        "(world_size=16, num_workers_joined=16, timeout=0:30:00)\n"
        + NCCL.format(rank=3, second=0, line=616, seq=713)
        + "\n2025-06-15 10:30:02 end\n"
    )
    (found,) = jobs_of([tmp_path / "runs"], "*")
    summary = summed_up(prepared(shipped), found)
    assert summary.lost_s == pytest.approx(1802, abs=3)
    assert (summary.gpus, summary.lost_gpu_hours) == (16, pytest.approx(8.0, abs=0.02))


def test_a_machine_of_its_own_is_no_host(tmp_path, shipped):
    job = tmp_path / "runs" / "a"
    job.mkdir(parents=True)
    (job / "x.log").write_text(
        "[rank0]: torch.distributed.DistNetworkError: The client socket has timed out after 60000ms while trying to "
        "connect to (127.0.0.1, 29500).\n"
    )
    (found,) = jobs_of([tmp_path / "runs"], "*")
    summary = summed_up(prepared(shipped), found)
    assert (summary.troubled, summary.hosts) == (True, ())


# When.


def job(path: str, days_ago: float, kind: str | None = "k1", **more) -> SeenJob:
    status = Status.FAILED if kind else Status.COMPLETED
    return SeenJob(path, JobSummary(path, status, fingerprint=kind, **more), NOW - days_ago * DAY)


@pytest.mark.parametrize(
    ("failed_days_ago", "ran_days_ago", "new", "back"),
    [
        ([1, 2], [], True, False),
        ([8, 1], [], False, False),  # nothing ran between: nobody can say that it was gone
        ([9, 1], [5], False, True),
        ([30, 20], [25], False, False),  # it came back, but not lately
        ([9, 5, 1], [6], False, False),  # never gone for a week
        ([40, 39, 3, 1], [20], False, True),
        ([], [3], False, False),
    ],
)
def test_new_and_back(failed_days_ago, ran_days_ago, new, back):
    failed = [NOW - days * DAY for days in failed_days_ago]
    ran = sorted([*failed, *(NOW - days * DAY for days in ran_days_ago)])
    found = recurrence(failed, ran, NOW)
    assert (found.new, found.back) == (new, back)


def test_first_last_and_weeks():
    found = recurrence([NOW - 8 * DAY, NOW - DAY, NOW - 200 * DAY], [], NOW)
    assert (found.first, found.last, found.recent) == (NOW - 200 * DAY, NOW - DAY, 1)
    assert (found.weeks[-2:], sum(found.weeks)) == ((1, 1), 2)


@given(st.lists(st.floats(0, 1e8), max_size=20))
def test_recurrence_is_the_same_in_any_order(ages):
    moments = [NOW - age for age in ages]
    found = recurrence(moments, sorted(moments), NOW)
    assert found == recurrence(moments[::-1], sorted(moments), NOW)
    assert sum(found.weeks) <= len(moments)
    assert found.recent == sum(moment >= NOW - WEEK_S for moment in moments)


# Groups.

FLEET = [
    job("a", 1, hosts=("node-1",), lost_s=3600.0, gpus=8, frame="rok.py in step"),
    job("b", 9, hosts=("node-2",), lost_s=1800.0, frame="rok.py in step"),
    job("c", 5, None),
    job("d", 2, "k2", hosts=("node-1",), lost_s=60.0, gpus=2),
]


def test_a_group_says_how_often_where_since_when_and_what_it_cost():
    one, two = grouped(FLEET, "fingerprint", NOW, {"k2": Remark("known", NOW + DAY)})
    assert (one.name, one.jobs, one.troubled, one.recent, one.hosts) == ("k1", ("a", "b"), 2, 1, ("node-1", "node-2"))
    assert (one.lost_s, one.lost_gpu_hours, one.gpus_unknown) == (5400.0, 8.0, 1)
    assert (one.back, one.new, two.new) == (True, False, True)
    assert (two.remark.snoozed(NOW), one.remark.snoozed(NOW)) == (True, False)


@pytest.mark.parametrize(("by", "names"), [("host", ["node-1", "node-2"]), ("user-frame", ["rok.py in step"])])
def test_other_groups(by, names):
    assert [one.name for one in grouped(FLEET, by, NOW)] == names


# The forms.


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_word_of_a_narrow_table_is_cut(width):
    from rich.console import Console

    summary = JobSummary(
        "runs/llama-70b", Status.FAILED, phase="rollout_generate", cause="collective-mismatch", hosts=("gpu-node-17",),
        ranks=(3,), ended=NOW, lost_s=7200.0,
    )  # fmt: skip
    out = io.StringIO()
    Console(file=out, width=width).print(_table([summary], width, "en"))
    said = out.getvalue()
    words = re.findall(r"\S+", said)
    assert {"FAILED", "collective-mismatch"} <= set(words)
    assert all(len(row) <= width for row in said.splitlines())
    whole = {"gpu-node-17", "rollout_generate", "2025-06-15"}
    assert all(word in whole or not any(part.startswith(word) for part in whole) for word in words)


def test_a_narrow_table_still_names_the_jobs():
    from rich.console import Console

    fine = JobSummary("runs/llama-70b", Status.HEALTHY, phase="train_step", ended=NOW)
    failed = JobSummary("runs/b", Status.FAILED, cause="object-store-oom", ended=NOW, lost_s=7200.0)
    out = io.StringIO()
    Console(file=out, width=40).print(_table([fine, failed], 40, "en"))
    assert [row.split()[0] for row in out.getvalue().splitlines()] == ["job", "runs/llama-70b", "runs/b"]


def page(jobs, remarks=None, **more) -> str:
    out = io.StringIO()
    render_page(jobs, remarks or {}, NOW, out, first="fingerprint", **({"everything": False} | more))
    return out.getvalue()


def test_the_page_has_trends_and_asks_no_network():
    said = page(FLEET)
    assert "3 of 4 jobs failed or stalled, 2 of them in the last 7 days" in said
    assert "back after it was gone" in said
    assert "8.0 GPU-hours" in said
    assert not re.search(r"<script|(?:src|href)=[\"']http", said)


def test_what_a_log_says_stays_text():
    evil = job("<script>x</script>", 1, "k", title=Text("<img src=x>\x1b[31m"), hosts=("<b>",))
    said = page([evil])
    assert "<script>x" not in said
    assert "<img" not in said
    assert "<b>" not in said
    assert "\x1b" not in said


def test_a_snoozed_group_is_counted_and_not_shown():
    remarks = {"k1": Remark("waits for a driver", NOW + DAY)}
    hidden = page(FLEET, remarks)
    assert "waits for a driver" not in hidden
    assert "1 more are snoozed" in hidden
    assert "waits for a driver" in page(FLEET, remarks, everything=True)


# The verb.

OOM = "2025-06-15 10:40:00 [rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"


@pytest.fixture
def scanned(tmp_path, monkeypatch, capsys) -> str:
    """Two jobs that failed alike, and the fingerprint of that."""
    monkeypatch.setenv("LOGRULES_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "x.log").write_text(OOM)
    main(["scan", "runs", "--format", "jsonl"])
    kinds = {json.loads(one)["fingerprint"] for one in capsys.readouterr().out.splitlines()}
    assert len(kinds) == 1
    return kinds.pop()


def test_a_kind_can_be_noted_and_snoozed(scanned, capsys):
    assert main(["history", "--note", scanned[:4], "ticket 812"]) == 0
    assert main(["history", "--group", "fingerprint", "--lang", "en"]) == 0
    said = capsys.readouterr().out
    assert f"{scanned}  2 of 2 jobs failed" in said
    assert "note: ticket 812" in said
    assert main(["history", "--snooze", scanned, "7d"]) == 0
    assert main(["history", "--group", "fingerprint", "--lang", "en"]) == 0
    assert "1 snoozed (--all shows them)" in capsys.readouterr().out
    assert main(["history", "--group", "fingerprint", "--lang", "en", "--all"]) == 0
    assert "ticket 812" in capsys.readouterr().out
    assert main(["history", "--snooze", scanned, "0d"]) == 0
    assert "snoozed no more" in capsys.readouterr().out
    assert main(["history", "--group", "fingerprint", "--lang", "en"]) == 0
    assert "snoozed" not in capsys.readouterr().out


@pytest.mark.parametrize(("words", "says"), [
    (["--note", "zzz", "x"], "zzz: no group has that name"),
    (["--snooze", "cuda-oom", "tomorrow"], "--snooze tomorrow: say 24h"),
])  # fmt: skip
def test_remarks_on_nothing_are_one_sentence(scanned, capsys, words, says):
    assert main(["history", *words]) == 2
    assert says in capsys.readouterr().err


def test_jobs_of_one_kind(scanned, capsys):
    assert main(["history", "--fingerprint", scanned[:6], "--format", "jsonl"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert main(["history", "--fingerprint", "ffffffffffff"]) == 1


def test_the_page_is_written(scanned, tmp_path):
    assert main(["history", "--format", "html", "-o", "fleet.html"]) == 0
    assert scanned in (tmp_path / "fleet.html").read_text(encoding="utf-8")


def test_a_history_of_the_first_form_is_taken_over(tmp_path, shipped):
    path = tmp_path / "h.sqlite"
    old = {
        "schema": "logrules.job/1", "job": "a", "status": "failed", "phase": "", "rule": None, "cause": "cuda-oom",
        "title": {"en": "t", "zh": ""}, "ranks": [], "hosts": [], "began": None, "ended": NOW, "lost_s": 2.0,
        "logs": 1, "lines": 1, "unread": None,
    }  # fmt: skip
    with sqlite3.connect(path) as database:
        database.execute(
            "create table results (path text not null, identity text not null, pack text not null,"
            " scanned real not null, summary text not null, primary key (path, identity, pack))"
        )
        database.execute("insert into results values ('/a', 'i', 'p', 1.0, ?)", (json.dumps(old),))
        database.execute("pragma user_version = 1")
    for _ in range(2):
        with closing(History(path)) as history:
            (one,) = history.latest()
            assert (one.summary.cause, one.summary.fingerprint, one.at) == ("cuda-oom", None, 1.0)
            assert history.remarks() == {}


@pytest.mark.parametrize(
    "damage",
    [
        {"ended": 1e308}, {"ended": -5.0}, {"began": float("nan")}, {"lost_s": float("inf")}, {"gpus": 10**400},
        {"logs": -1}, {"ranks": [-1]}, {"title": {"en": 1, "zh": 2}}, {"title": "t"}, {"status": "odd"},
    ],
)  # fmt: skip
def test_a_damaged_result_is_as_if_not_there(tmp_path, capsys, damage):
    file = tmp_path / "h.sqlite"
    whole = json.loads(job_document(JobSummary("job", Status.FAILED, cause="cuda-oom", title=Text("t", "t"))))
    with closing(History(file)):
        pass
    with closing(sqlite3.connect(file)) as database, database:
        for path, summary, scanned in (
            ("/jobs/whole", whole, NOW),
            ("/jobs/damaged", whole | damage, NOW),
            ("/jobs/late", whole, float("inf")),
        ):
            row = (path, "i", "p", scanned, json.dumps(summary))
            database.execute("insert into results values (?, ?, ?, ?, ?)", row)
        database.execute("insert into remarks values ('cuda-oom', 'known', 1e308)")
    for form in ("text", "jsonl", "html"):
        for group in ((), ("--group", "cause")):
            assert main(["history", "--history", str(file), "--format", form, *group]) == 0
    said = capsys.readouterr()
    assert "/jobs/damaged" not in said.out
    assert "known" in said.out
    assert not said.err


def test_a_mistyped_cause_is_no_good_news(tmp_path, capsys):
    file = tmp_path / "h.sqlite"
    with closing(History(file)):
        pass
    with closing(sqlite3.connect(file)) as database, database:
        summary = job_document(JobSummary("job", Status.FAILED, cause="cuda-oom", title=Text("t", "t")))
        database.execute("insert into results values ('/jobs/a', 'i', 'p', ?, ?)", (NOW, summary))
    assert main(["history", "--history", str(file), "--cause", "cuda-oon"]) == 1
    assert "no job has the cause cuda-oon; did you mean cuda-oom?" in capsys.readouterr().err
    assert main(["history", "--history", str(file), "--cause", "cuda-oom", "--host", "x"]) == 1
    assert not capsys.readouterr().err


def test_the_template_of_the_page_is_packaged():
    assert (Path(__file__).parents[2] / "logrules/tools/fleet/page/fleet.html.j2").is_file()
