"""Telling others of a live job: what is news, commands, a webhook, a report file, metrics, a closer look."""

import argparse
import http.server
import json
import os
import socket
import ssl
import stat
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from logrules.model.change import Change, Raised, StallProlonged, Update, Withdrawn
from logrules.model.collective import GroupRecord
from logrules.model.errors import LogrulesError
from logrules.model.report import Diagnosis, Report, Restart, Severity, StackView, Status, Text
from logrules.model.timeline import ParallelSizes, WorkerNow
from logrules.notify.kept_file import EVERY_S, ReportFile
from logrules.notify.notifications import Kind, NotificationPolicy, facts, sentence
from logrules.output.atomic_write import UnwritableError, write_file
from logrules.tools.inspection.inspect_option import Inspection
from logrules.tools.inspection.job_processes import Process, python_processes
from logrules.tools.inspection.probes import probe_hang
from logrules.tools.notification.delivery import UndeliveredError, post, run_bounded
from logrules.tools.notification.senders import APART_S, Commands, Webhook, words_of
from tests.conftest import until

STALL = Diagnosis(
    "torch/rendezvous", "rendezvous-timeout", "rendezvous", Severity.WARNING, 0.8,
    Text("Ranks wait for each other", "各 rank 互相等待"), Text("x", "x"), Restart.AFTER_FIX, (3, 0, 1), ("gpu-7",),
)  # fmt: skip
REPORT = Report(Status.STALLED, "rendezvous", (STALL,), lines=12)
POSIX = pytest.mark.skipif(os.name != "posix", reason="the fakes are shell scripts")


def update(now: float, *changes: Change, ended: bool = False) -> Update:
    return Update(now, changes, 12, 345, 0, ended)


STALLED = Raised(STALL.rule, 1000.0, 65.0)


def test_what_is_news_and_what_is_not():
    policy = NotificationPolicy()
    told = [
        [news.kind for news in policy.news(update(now, *changes), lambda: REPORT)]
        for now, changes in [
            (1.0, [Raised("not/shown", 1.0)]),
            (2.0, [STALLED]),
            (3.0, [STALLED]),
            (4.0, [StallProlonged(STALL.rule, 4.0, 130.0), StallProlonged("not/shown", 4.0, 1.0)]),
            (5.0, [Withdrawn(STALL.rule, 5.0), Withdrawn("not/shown", 5.0)]),
            (6.0, [Raised(STALL.rule, 6.0)]),
        ]
    ]
    assert told == [[], [Kind.STALL], [], [Kind.STALL_LASTS], [Kind.OVER], [Kind.DIAGNOSIS]]


def test_what_only_informs_pages_nobody():
    told = replace(REPORT, diagnoses=(replace(STALL, severity=Severity.INFO),))
    assert NotificationPolicy().news(update(1.0, Raised(STALL.rule, 1.0)), lambda: told) == ()


def test_the_key_facts_of_news():
    (news,) = NotificationPolicy().news(update(1.0, STALLED), lambda: REPORT)
    assert facts(news) == {
        "incident": news.incident,
        "event": "stall", "rule": "torch/rendezvous", "status": "stalled", "phase": "rendezvous",
        "quiet_seconds": 65, "cause": "rendezvous-timeout", "confidence": 0.8, "certainty": "likely (not measured)",
        "title": "Ranks wait for each other", "ranks": [3, 0, 1], "hosts": ["gpu-7"],
    }  # fmt: skip
    told = "stalled in rendezvous, quiet for 1m 5s: Ranks wait for each other (rank 3 (+ 0-1))"
    assert sentence(news) == f"{told} · likely (not measured)"


@pytest.fixture
def complaints() -> list[str]:
    return []


@POSIX
def test_a_command_gets_the_report_and_the_facts(tmp_path, complaints):
    script = tmp_path / "told.sh"
    script.write_text(f'#!/bin/sh\ncat > {tmp_path}/body\necho "$LOGRULES_EVENT $LOGRULES_RANKS" > {tmp_path}/facts\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    commands = Commands([str(script)], frozenset({Kind.STALL}), complaints.append, NotificationPolicy())
    commands.on_update(update(1000.0, STALLED), lambda: REPORT)
    commands.close(10.0)
    assert complaints == []
    assert (tmp_path / "facts").read_text() == "stall 3,0,1\n"
    assert json.loads((tmp_path / "body").read_text())["diagnoses"][0]["rule"] == STALL.rule


@POSIX
def test_commands_come_at_a_bounded_rate_and_for_their_kinds_only(tmp_path, complaints):
    commands = Commands(
        ["sh", "-c", f"echo x >> {tmp_path}/runs"],
        frozenset({Kind.STALL, Kind.STALL_LASTS}),
        complaints.append,
        NotificationPolicy(),
    )
    lasts = StallProlonged(STALL.rule, 0.0, 200.0)
    for now, change in [
        (0.0, STALLED),
        (1.0, lasts),
        (APART_S - 1, lasts),
        (APART_S, lasts),
        (200.0, Withdrawn(STALL.rule, 0)),
    ]:
        commands.on_update(update(now, change), lambda: REPORT)
    commands.close(10.0)
    assert (tmp_path / "runs").read_text() == "x\nx\n"


@POSIX
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["/no/such/command"], "cannot be started"),
        (["sh", "-c", "exit 3"], "ended with status 3"),
        (["sh", "-c", "sleep 600 & wait"], "took longer than 0.3 s and was ended"),
    ],
)
def test_a_command_that_fails_is_one_sentence(words, reason):
    with pytest.raises(UndeliveredError, match=reason):
        run_bounded(words, "{}", {}, limit_s=0.3)


@pytest.mark.parametrize(
    "text", ["", "   ", "'unfinished", "env | grep RANK", "cat > told.json", "a && b", "no-such-program --urgent"]
)
def test_a_command_line_that_is_none(text):
    with pytest.raises(LogrulesError, match="--on-stall"):
        words_of("--on-stall", text)


def test_a_shell_that_is_named_has_its_own_signs():
    assert words_of("--on-stall", "sh -c 'env | grep RANK'") == ["sh", "-c", "env | grep RANK"]


class Receiver:
    """A server that notes what is posted, and answers as told."""

    def __init__(self, *statuses: int, silent: bool = False, headers: Mapping[str, str] | None = None) -> None:
        self.bodies: list[dict[str, object]] = []
        self.count = 0
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                receiver.count += 1
                if silent:
                    receiver.over.wait(10)
                    return
                receiver.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(statuses[min(receiver.count, len(statuses)) - 1])
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_words: object) -> None:
                """Not in the test's output."""

        self.over = threading.Event()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def receive():
    open_ones: list[Receiver] = []

    def make(*statuses: int, silent: bool = False, headers: Mapping[str, str] | None = None) -> Receiver:
        open_ones.append(Receiver(*statuses, silent=silent, headers=headers))
        return open_ones[-1]

    yield make
    for receiver in open_ones:
        receiver.close()


def test_a_webhook_gets_news_as_slack_reads_it(receive, complaints):
    receiver = receive(200)
    webhook = Webhook(receiver.url, complaints.append, "en", NotificationPolicy())
    webhook.on_update(update(0.0), lambda: REPORT)
    webhook.on_update(update(1.0, STALLED), lambda: REPORT)
    webhook.close(10.0)
    (body,) = receiver.bodies
    assert body["text"] == f"logrules: {sentence(NotificationPolicy().news(update(1.0, STALLED), lambda: REPORT)[0])}"
    assert body["event"] == "stall"
    assert body["report"]["status"] == "stalled"
    assert complaints == []


@pytest.mark.parametrize(
    ("statuses", "tries", "delivered"),
    [((500, 200), 2, True), ((500,), 3, False), ((404,), 1, False), ((429, 200), 2, True)],
)
def test_a_webhook_is_tried_again_where_that_may_help(receive, statuses, tries, delivered):
    receiver = receive(*statuses)
    if delivered:
        post(receiver.url, b"{}", rest_s=0.01)
    else:
        with pytest.raises(UndeliveredError, match="not delivered"):
            post(receiver.url, b"{}", rest_s=0.01)
    assert receiver.count == tries


def test_of_a_webhook_that_fails_the_first_try_is_told(receive, complaints):
    """A job that has ended waits for no second one."""
    receiver = receive(500)
    webhook = Webhook(receiver.url, complaints.append, "en", NotificationPolicy())
    webhook.on_update(update(0.0, STALLED), lambda: REPORT)
    until = time.monotonic() + 10
    while not complaints and time.monotonic() < until:
        time.sleep(0.01)
    webhook.close(0.0)
    assert complaints == ["--notify 127.0.0.1: not delivered yet (status 500); it is tried again"]


def test_a_webhook_that_hangs_is_given_up_on(receive):
    receiver = receive(200, silent=True)
    with pytest.raises(UndeliveredError, match="not delivered"):
        post(receiver.url, b"{}", limit_s=0.1, rest_s=0.01)
    assert receiver.count == 3


def test_a_certificate_that_nobody_trusts_is_said_at_once(monkeypatch):
    tried: list[str] = []

    def refused(_self: object, request: urllib.request.Request, *_given: object, **_more: object) -> None:
        tried.append(request.full_url)
        raise urllib.error.URLError(ssl.SSLCertVerificationError("self-signed certificate"))

    monkeypatch.setattr(urllib.request.OpenerDirector, "open", refused)
    with pytest.raises(UndeliveredError, match=r"not delivered \(.*self-signed certificate"):
        post("https://localhost/x", b"{}", rest_s=0.01)
    assert len(tried) == 1


@pytest.mark.parametrize("answer", [b"no such\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200, b"HTTP/1.1 abc"])
def test_an_answer_that_is_none_is_a_failure_in_words(answer):
    listener = socket.create_server(("127.0.0.1", 0))

    def answers() -> None:
        for _ in range(3):
            with listener.accept()[0] as connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

    threading.Thread(target=answers, daemon=True).start()
    with listener, pytest.raises(UndeliveredError, match="not delivered"):
        post(f"http://127.0.0.1:{listener.getsockname()[1]}/", b"{}", limit_s=5.0, rest_s=0.01)


@pytest.mark.parametrize("status", [301, 302, 303, 307])
def test_a_redirected_post_is_not_delivered(receive, status):
    other = receive(200)
    receiver = receive(status, headers={"Location": other.url})
    with pytest.raises(UndeliveredError, match=rf"status {status}, it points to http://127"):
        post(receiver.url, b"{}", rest_s=0.01)
    assert (receiver.count, other.count) == (1, 0)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://[::1", "http://", "http:///x", "http://a b/", "", "x"])
def test_only_web_addresses_are_notified(complaints, url):
    with pytest.raises(LogrulesError, match="only http and https"):
        Webhook(url, complaints.append, "en", NotificationPolicy())


def test_the_report_file_is_kept_up_to_date(tmp_path, complaints):
    path = tmp_path / "now.json"
    kept = ReportFile(path, "en", complaints.append)
    asked = []

    def report() -> Report:
        asked.append(1)
        return replace(REPORT, lines=len(asked))

    for now, changes in [(0.0, []), (1.0, []), (2.0, [STALLED]), (3.0, []), (2.0 + EVERY_S, [])]:
        kept.on_update(update(now, *changes), report)
    kept.close(10.0)
    assert len(asked) == 3
    assert json.loads(path.read_text())["lines"] == 3
    assert [entry.name for entry in tmp_path.iterdir()] == ["now.json"]


def test_a_report_file_that_is_called_html_is_a_page(tmp_path, complaints):
    pytest.importorskip("jinja2")
    path = tmp_path / "now.html"
    view = StackView(("said",), ("[rank 0] x",))
    kept = ReportFile(path, "en", complaints.append)
    kept.on_update(update(0.0, STALLED), lambda: replace(REPORT, stacks=view))
    kept.close(10.0)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "[rank 0] x" in path.read_text(encoding="utf-8")


def test_a_full_disk_is_said_once_and_the_old_report_stays(tmp_path, monkeypatch, complaints):
    path = tmp_path / "now.json"
    path.write_text("old")
    kept = ReportFile(path, "en", complaints.append)

    def full(where: Path, _data: bytes) -> None:
        raise UnwritableError(where, OSError(28, "No space left on device"))

    monkeypatch.setattr("logrules.notify.kept_file.write_file", full)
    for now in (0.0, 100.0, 200.0):
        kept.on_update(update(now), lambda: REPORT)
    kept.close(10.0)
    assert complaints == [f"{path}: cannot be written (no space left on device)"]
    assert path.read_text() == "old"


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "x"
    write_file(path, b"one")
    before = path.stat().st_ino
    write_file(path, b"two")
    assert path.read_text() == "two"
    assert path.stat().st_ino != before


@pytest.mark.parametrize(("more", "address"), [([], "127.0.0.1"), (["--metrics-address", "0.0.0.0"], "0.0.0.0")])  # noqa: S104 (told to)
def test_metrics_are_served_to_this_machine_alone_unless_told_otherwise(more, address):
    pytest.importorskip("prometheus_client")
    from logrules.cli import watch
    from logrules.cli.watch_listeners import notifiers, watched_run

    parser = argparse.ArgumentParser()
    watch.add_options(parser)
    options = parser.parse_args(["--metrics-port", "0", *more])
    run = watched_run(options, SimpleNamespace(workers=tuple), lambda: None, print)
    (metrics,) = notifiers(options, run)
    try:
        assert metrics.address == address
    finally:
        metrics.close(10.0)


def test_an_address_without_a_port_is_refused():
    from logrules.cli import watch
    from logrules.cli.watch_listeners import notifiers, watched_run

    parser = argparse.ArgumentParser()
    watch.add_options(parser)
    options = parser.parse_args(["--metrics-address", "::"])
    run = watched_run(options, SimpleNamespace(workers=tuple), lambda: None, print)
    with pytest.raises(LogrulesError, match="--metrics-address is for --metrics-port"):
        notifiers(options, run)


def test_metrics_for_prometheus():
    pytest.importorskip("prometheus_client")
    from logrules.tools.metrics.prometheus import PrometheusExporter

    workers = (
        WorkerNow("rank 0", "train_step", "step 1", 2.0, 65.0, 120.0),
        WorkerNow("rank 1", None, "", None, 70.0, None),
    )
    metrics = PrometheusExporter(0, lambda: workers)
    try:
        metrics.on_update(update(1.0, STALLED), lambda: REPORT)
        with urllib.request.urlopen(f"http://127.0.0.1:{metrics.port}/metrics", timeout=10) as answer:
            text = answer.read().decode()
    finally:
        metrics.close(10.0)
    lines = set(text.splitlines())
    assert {
        "logrules_lines_read 12.0",
        "logrules_quiet_seconds 65.0",
        'logrules_phase{phase="rendezvous"} 1.0',
    } <= lines
    assert (
        'logrules_suspect_confidence{cause="rendezvous-timeout",rule="torch/rendezvous",severity="warning"} 0.8'
        in lines
    )


def test_a_port_that_is_taken_is_one_sentence():
    pytest.importorskip("prometheus_client")
    import socket

    from logrules.tools.metrics.prometheus import PrometheusExporter

    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        with pytest.raises(LogrulesError, match="cannot be taken"):
            PrometheusExporter(taken.getsockname()[1], tuple)


def fake(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


FRAMES = [{"name": "all_reduce", "filename": "/x/site-packages/torch/x.py", "short_filename": "torch/x.py", "line": 1}]
DUMP = json.dumps([{"thread_name": "MainThread", "frames": FRAMES}])


@pytest.fixture
def look(tmp_path, monkeypatch):
    """A look at processes that waits for nothing."""
    monkeypatch.setattr("logrules.tools.inspection.probes.LIMIT_S", 2.0)
    monkeypatch.setattr("logrules.tools.inspection.stack_samples.sleep", lambda _seconds: None)
    return partial(looked, tmp_path)


def looked(tmp_path, *processes: Process):
    seen = probe_hang(processes, {"PATH": f"{tmp_path}:/usr/bin:/bin"})
    told = {one.source: (one.text, one.evidence) for one in seen.outputs}
    return told | ({"stacks": (seen.stacks.said[0], False)} if seen.stacks else {})


@POSIX
def test_a_closer_look_gives_stacks_to_the_rules_and_where_processes_stand_to_the_reader(tmp_path, look):
    fake(tmp_path, "py-spy", f"echo '{DUMP}'")
    fake(tmp_path, "nvidia-smi", "sleep 600 & wait")
    fake(tmp_path, "ray", "echo no cluster; exit 1")
    seen = look(Process(7, "python", 0), Process(8, "ray::Worker", 1))
    assert seen["stacks"] == ("2 ranks are in x.py:1 all_reduce", False)
    assert seen["stacks of rank 0 and 1 more"][0].endswith("    all_reduce (torch/x.py:1)\n")
    assert seen["nvidia-smi"] == ("logrules: nvidia-smi: no answer within 2 s, it hangs as well\n", True)
    assert seen["ray status"] == ("ray status: failed (status 1) no cluster", False)


@POSIX
def test_a_job_that_is_not_of_ray_is_not_looked_for_there(tmp_path, look):
    fake(tmp_path, "ray", "echo no cluster; exit 1")
    assert "ray status" not in look(Process(7, "python"))


def test_what_is_not_installed_is_left_out_but_py_spy_is_missed(tmp_path):
    seen = probe_hang([Process(7, "python")], {"PATH": str(tmp_path)}).outputs
    assert [(one.source, "not installed" in one.text, one.evidence) for one in seen] == [("py-spy 7", True, False)]


class FakeFollowing:
    """What a look hands on."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str, float]] = []
        self.stacks: list[StackView] = []

    def ingest(self, source: str, text: str, at: float) -> None:
        self.heard.append((source, text, at))

    def ingest_records(self, records: Iterable[GroupRecord], at: float) -> None:
        assert list(records) == []

    def note(self, source: str, text: str) -> None:
        raise AssertionError((source, text))

    def show_stacks(self, stacks: StackView) -> None:
        self.stacks.append(stacks)

    def parallel_sizes(self) -> ParallelSizes:
        return ParallelSizes()


@POSIX
def test_a_look_is_taken_at_a_stall_and_not_too_often(tmp_path, complaints):
    fake(tmp_path, "nvidia-smi", "echo fine")
    following = FakeFollowing()
    inspection = Inspection(lambda: None, following, {"PATH": f"{tmp_path}:/usr/bin:/bin"}, complaints.append)
    for now, changes in [
        (0.0, [Raised("x/y", 0.0)]),
        (10.0, [STALLED]),
        (20.0, [StallProlonged(STALL.rule, 20.0, 130.0)]),
        (140.0, [StallProlonged(STALL.rule, 140.0, 260.0)]),
    ]:
        inspection.on_update(update(now, *changes), lambda: REPORT)
    inspection.close(10.0)
    assert following.heard == [("nvidia-smi", "fine\n", 10.0), ("nvidia-smi", "fine\n", 140.0)]
    assert complaints == []


def test_the_python_processes_below_a_process_are_found():
    pytest.importorskip("psutil")
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE) as parent:
        until(lambda: len(python_processes(parent.pid)) == 2)
        assert python_processes(parent.pid)[0].pid == parent.pid
        parent.communicate(b"\n")
    assert python_processes(parent.pid) == []


def test_who_looks_is_not_looked_at():
    pytest.importorskip("psutil")
    assert os.getpid() not in {process.pid for process in python_processes(os.getpid())}


def test_an_incident_keeps_its_name_until_it_is_over():
    policy = NotificationPolicy()
    changes = [STALLED, StallProlonged(STALL.rule, 4.0, 130.0), Withdrawn(STALL.rule, 5.0), STALLED]
    names = [news.incident for one in changes for news in policy.news(update(1.0, one), lambda: REPORT)]
    assert names[0] == names[1] == names[2] != names[3]
