"""`logrules watch` for real: processes, pipes, files and signals."""

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from logrules.cli.main import main
from logrules.cli.watched_job import GRACE_S, Job
from tests.conftest import fixtures

KILLED = fixtures() / "captured" / "torch-rank1-sigkill-mid-step" / "log.txt"
WATCH = [sys.executable, "-m", "logrules", "watch"]
PATIENCE_S = 20.0
posix = pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")


def run(*words, given=b"", before=WATCH, env=None):
    """The finished command: returncode, stdout, stderr."""
    words = [*before, *map(str, words)]
    return subprocess.run(words, input=given, capture_output=True, timeout=60, check=False, env=env)


@contextlib.contextmanager
def started(*words, **streams):
    """A command that runs, ended by its id at the latest when the test is over."""
    with subprocess.Popen([*WATCH, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **streams) as one:
        late = threading.Timer(PATIENCE_S, one.kill)
        late.start()
        try:
            yield one
        finally:
            late.cancel()
            if one.poll() is None:
                one.kill()


def wait_for(stream, text):
    """Read lines until one has this text."""
    read = b""
    for line in stream:
        read += line
        if text in line:
            return read
    raise AssertionError(f"{text!r} was never said, but: {read.decode(errors='replace')[-2000:]}")


def script(*lines):
    """A command of a few lines of Python."""
    return [sys.executable, "-uc", "\n".join(lines)]


def test_a_pipe_passes_through_and_the_report_goes_aside():
    log = KILLED.read_bytes()
    done = run(given=log)
    assert done.stdout == log
    assert done.returncode == 1
    assert b"error: " in done.stderr
    assert b"FAILED  in phase train_step" in done.stderr


def test_a_pipe_that_is_not_passed_on_gets_the_report_on_standard_output():
    done = run("--quiet", "--format", "json", given=KILLED.read_bytes())
    assert b"error: " in done.stderr
    assert json.loads(done.stdout)["schema"] == "logrules.report/1"


def test_decades_between_two_lines_of_a_replay_pass_at_once(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("1970-01-01 00:00:02,000 INFO step 1 loss 2.0\n2026-11-27 03:00:00,000 INFO step 2 loss 1.9\n")
    assert run("-q", "--replay", "max", log).returncode == 0


@pytest.mark.parametrize("length", ["9" * 400 + "d", "\u0661m", "9999999999d"])
def test_no_length_of_time_is_endless(length):
    done = run("--replay", "max", "--then-quiet", length, KILLED)
    assert (done.returncode, done.stdout) == (2, b"")


def test_a_moment_of_no_calendar_is_told_without_its_time(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("9999-12-31 23:58:00,000 INFO step 1 loss 2.0\n9999-12-31 23:59:59,000 INFO step 2 loss 1.9\n")
    done = run("-q", "--replay", "max", "--then-quiet", "9d", log)
    assert b"--:--:-- " in done.stdout + done.stderr
    assert b"failed and is told no more" not in done.stderr


def test_nothing_wrong_ends_with_zero():
    assert run(given=b"hello\n").returncode == 0


def test_a_command_keeps_its_streams_and_its_status():
    code = "import sys; print('to out'); print('to err', file=sys.stderr); sys.exit(7)"
    done = run("--", sys.executable, "-c", code)
    assert (done.returncode, done.stdout) == (7, b"to out\n")
    assert done.stderr.startswith(b"to err\n")


@posix
def test_streams_that_go_to_one_place_keep_their_order():
    code = "import os\nfor n in range(2000): os.write(1 + n % 2, b'%d\\n' % n)"
    words = [*WATCH, "--", sys.executable, "-c", code]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=60)
    assert done.stdout.startswith(b"".join(b"%d\n" % n for n in range(2000)))


@posix
def test_a_command_killed_by_a_signal():
    done = run("--", *script("import os, signal", "os.kill(os.getpid(), signal.SIGKILL)"))
    assert done.returncode == 128 + signal.SIGKILL


def test_a_command_that_cannot_be_started():
    done = run("--", "no-such-command-anywhere")
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"no-such-command-anywhere: cannot be started" in done.stderr


def test_a_command_is_not_started_where_no_threads_are_left_to_watch_it(tmp_path, monkeypatch, capsys):
    begin, before = threading.Thread.start, threading.active_count()

    def limited(thread: threading.Thread) -> None:
        if threading.active_count() > before + 2:
            raise RuntimeError("can't start new thread")
        begin(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    assert main(["watch", "--", sys.executable, "-c", f"open({str(tmp_path / 'started')!r}, 'w')"]) == 2
    assert "no further thread can be started" in capsys.readouterr().err
    assert not (tmp_path / "started").exists()


def test_a_flood_passes_through_byte_for_byte():
    code = "import os\ndata = bytes(range(256)) * 4096\nfor n in range(30):\n  left = data\n  while left: left = left[os.write(1, left):]"
    done = run("--", sys.executable, "-c", code)
    assert done.returncode == 0
    assert hashlib.sha256(done.stdout).digest() == hashlib.sha256(bytes(range(256)) * 4096 * 30).digest()


@pytest.mark.one_in(3)
@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGINT])
def test_signals_reach_the_command(number):
    code = script(
        "import signal, sys, time",
        "def told(number, _): print('told', number); sys.exit(40)",
        f"signal.signal({int(number)}, told)",
        "print('ready')",
        "time.sleep(60)",
    )
    with started("--", *code, start_new_session=True) as one:
        wait_for(one.stdout, b"ready")
        one.send_signal(number)
        wait_for(one.stdout, b"told %d" % number)
        assert one.wait(PATIENCE_S) == 40
        # Who handles the signal ends with a status of its own: it was asked to, and is not broken.
        said = one.stderr.read()
        assert (b"python-exception" in said) == (number == signal.SIGUSR1)
        assert (b"exit status 40 after signal %d" % number in said) == (number != signal.SIGUSR1)


@posix
def test_a_reader_that_goes_away_does_not_end_the_command(tmp_path):
    code = script(
        "import time, pathlib",
        "print('first')",
        "time.sleep(0.5)",
        "for n in range(20000): print('more and more', n)",
        f"pathlib.Path({str(tmp_path / 'done')!r}).touch()",
    )
    with started("--", *code) as one:
        wait_for(one.stdout, b"first")
        one.stdout.close()
        errors = one.stderr.read()
        assert one.wait(PATIENCE_S) == 0
    assert (tmp_path / "done").exists()
    assert b"20,001 lines" in errors


@posix
def test_a_command_that_wants_a_terminal_gets_one():
    code = script("import sys", "print(sys.stdout.isatty(), sys.stderr.isatty())", "sys.exit(5)")
    done = run("--pty", "--", *code)
    assert done.returncode == 5
    assert done.stdout == b"True True\n"


BROKEN = """
import sys
import logrules.engine.follow
def broken(self, item):
    raise RuntimeError("on purpose")
logrules.engine.follow.Following._step = broken
from logrules.cli.main import main
sys.exit(main(["watch", *sys.argv[1:]]))
"""


def test_an_engine_that_breaks_does_not_touch_the_command():
    code = "import time\nfor n in range(50000): print('line', n)\nraise SystemExit(9)"
    done = run("--", sys.executable, "-c", code, before=[sys.executable, "-c", BROKEN])
    assert done.returncode == 9
    assert done.stdout == b"".join(b"line %d\n" % n for n in range(50000))
    assert done.stderr.count(b"\n") == 1
    assert b"the analysis failed and is off (RuntimeError: on purpose)" in done.stderr


def test_an_engine_that_breaks_passes_a_pipe_on():
    log = b"line\n" * 100_000
    done = run(given=log, before=[sys.executable, "-c", BROKEN])
    assert (done.returncode, done.stdout) == (2, log)


@pytest.mark.one_in(2)
@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_pipe_that_stays_open_is_reported_on_when_we_are_told_to_stop(number):
    with started("--quiet", stdin=subprocess.PIPE) as one:
        one.stdin.write(KILLED.read_bytes())
        one.stdin.flush()
        wait_for(one.stdout, b"error: ")
        # As `timeout` sends it: to the process, then to its group.
        one.send_signal(number)
        one.send_signal(number)
        assert b"FAILED  in phase train_step" in one.stdout.read()
        assert one.wait(PATIENCE_S) == 1


@posix
def test_a_signal_that_another_thread_takes_reaches_the_job_while_the_main_thread_waits():
    lines = (
        "import signal, threading, time",
        "from logrules.cli.signal_relay import signals_of",
        "from logrules.cli.watched_job import Job",
        "class Told(Job):",
        "    signals = ('SIGTERM',)",
        "    came = threading.Event()",
        "    def signalled(self, number):",
        "        self.came.set()",
        "        return True",
        "def taking():",
        "    time.sleep(0.2)",
        "    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)",
        "    time.sleep(60)",
        "job = Told()",
        "with signals_of(job):",
        "    threading.Thread(target=taking, daemon=True).start()",
        "    Told.came.wait()",
        "print(job.asked_by)",
    )
    done = subprocess.run(script(*lines), capture_output=True, timeout=PATIENCE_S, check=False)
    assert (done.stdout, done.returncode) == (b"SIGTERM\n", 0), done.stderr


def test_a_signal_that_a_job_outlives_does_not_explain_its_end(monkeypatch):
    at = 100.0
    monkeypatch.setattr("logrules.cli.watched_job.steady", lambda: at)
    job = Job()
    assert job.asked_by is None
    job.ask_to_end(signal.SIGTERM)
    at += GRACE_S
    assert job.asked_by == "SIGTERM"
    at += 1.0
    assert job.asked_by is None


@posix
def test_a_followed_file_is_shown_where_that_is_asked_for(tmp_path):
    log = tmp_path / "train.log"
    log.write_bytes(b"old\n")
    with started("--echo", log) as one:
        wait_for(one.stdout, b"old")
        with log.open("ab") as file:
            file.write(b"new\n")
        wait_for(one.stdout, b"new")
        one.terminate()
        assert one.stdout.read() == b""
        assert b"2 lines" in one.stderr.read()


@posix
def test_a_file_that_comes_late_and_rotates(tmp_path):
    log = tmp_path / "train.log"
    lines = KILLED.read_bytes().splitlines(keepends=True)
    with started(log) as one:
        wait_for(one.stderr, b"logrules: waiting for ")
        log.write_bytes(b"".join(lines[:20]))
        wait_for(one.stdout, b"phase train_step")
        log.rename(tmp_path / "train.log.1")
        log.write_bytes(b"".join(lines[20:38]))
        wait_for(one.stdout, b"error: ")
        one.send_signal(signal.SIGINT)
        said = one.stdout.read()
        assert one.wait(PATIENCE_S) == 1
    assert b"FAILED  in phase train_step" in said
    assert b"38 lines" in said
    assert b"was replaced by a new file" in said


@posix
def test_a_file_that_is_copied_and_truncated(tmp_path):
    log = tmp_path / "train.log"
    lines = KILLED.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:20]))
    with started(log) as one:
        wait_for(one.stdout, b"phase train_step")
        os.truncate(log, 0)
        with log.open("ab") as file:
            file.write(b"".join(lines[20:38]))
        wait_for(one.stdout, b"error: ")
        one.terminate()
        assert b"was truncated" in one.stdout.read()
        assert one.wait(PATIENCE_S) == 1


@posix
def test_ranks_of_a_folder_are_one_job(tmp_path):
    with started(tmp_path) as one:
        time.sleep(0.5)
        for rank in (0, 1):
            folder = tmp_path / "none_x" / "attempt_0" / str(rank)
            folder.mkdir(parents=True)
            (folder / "stderr.log").write_bytes(
                b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
            )
        wait_for(one.stdout, b"cuda-oom")
        one.terminate()
        said = one.stdout.read()
    assert b"rank 0" in said


def test_a_replayed_log_gives_its_report_by_its_own_times():
    done = run("--replay", "max", KILLED)
    assert done.returncode == 1
    assert done.stdout.startswith(b"22:56:23 phase launch")
    assert b"FAILED  in phase train_step" in done.stdout


def test_a_log_without_times_cannot_be_replayed(tmp_path):
    log = tmp_path / "bare.log"
    log.write_bytes(b"no times\nat all\n")
    done = run("--replay", "60x", log)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"bare.log: its lines have no times" in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["a.log", "--", "ls"], b"either follow logs or start a command"),
        (["--pty", "a.log"], b"--pty is for a command"),
        (["--then-quiet", "5m", "a.log"], b"--then-quiet is for a saved log"),
        (["python3", "train.py"], b"to start it: logrules watch -- python3 train.py"),
        (["-", "a.log"], b"cannot be followed together"),
        (["--"], b"no command stands behind `--`"),
        (["--", ""], b"no command stands behind `--`"),
        (["--report", ".", "--", "ls"], b"--report .: is a folder"),
        (["--inspect", "--pid", "99999999", "a.log"], b"--pid 99999999: there is no such process"),
    ],
)
def test_what_makes_no_sense_is_said_in_one_sentence(words, sentence):
    done = run(*words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count(b"\n") == 1


@posix
def test_nothing_is_left_open():
    done = run("--", "sh", "-c", "echo step 1", env={**os.environ, "PYTHONWARNINGS": "error"})
    assert (done.returncode, done.stdout) == (0, b"step 1\n")
    assert b"ResourceWarning" not in done.stderr


def test_silence_after_a_replayed_log_shows_a_stall(tmp_path):
    log = tmp_path / "train.log"
    log.write_bytes(b"[2025-03-01 10:00:00,250] [INFO] Initializing process group\n")
    done = run("--replay", "max", "--then-quiet", "1h", log)
    assert done.returncode == 1
    assert b"STALLED  in phase rendezvous" in done.stdout


@posix
def test_what_is_typed_at_a_terminal_reaches_the_command_once():
    pty = pytest.importorskip("pty")
    code = script(
        "import signal, time",
        "seen = []",
        "signal.signal(signal.SIGINT, lambda *_: seen.append(1))",
        "print('ready')",
        "time.sleep(1.0)",
        "time.sleep(0.5)",
        "print('interrupts:', len(seen))",
    )
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [*WATCH, "--", *code])  # noqa: S606
    read = b""
    with contextlib.suppress(OSError):
        while data := os.read(terminal, 4096):
            if b"ready" in data:
                os.write(terminal, b"\x03")
            read += data
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(terminal)
    assert b"interrupts: 1" in read


def test_the_command_line_can_be_loaded_where_unix_modules_are_missing():
    code = (
        "import sys\n"
        "for name in ('fcntl', 'pty', 'termios', 'tty', 'resource'): sys.modules[name] = None\n"
        "import logrules.cli.watch, logrules.cli.watch_targets, logrules.cli.follow_loop\n"
        "import logrules.cli.watched_output, logrules.sources.followed_files, logrules.sources.job_output\n"
        "from logrules.cli.main import main\n"
        "sys.exit(main(['watch', '--', sys.executable, '-c', 'print(1)']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, b"1"), done.stderr


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        ("exit 7", 7, b"FAILED  in phase launch  The command ended with exit status 7: no line says why"),
        (
            "echo step 1 loss 2; echo no room for shard 4 >&2; exit 7",
            7,
            b"ended with exit status 7: no room for shard 4",
        ),
        ("echo ERROR: no room for shard 4; echo bye; exit 7", 7, b"exit status 7: ERROR: no room for shard 4"),
        ("for n in 1 2 3 4; do echo step $n loss 0.$n; done; exit 7", 7, b"exit status 7: no line says why"),
        ("kill -9 $$", 137, b"worker-killed"),
        ("for n in 1 2 3 4; do echo step $n loss 0.$n; done", 0, b"Finished: exit status 0, last step 4"),
    ],
)
@posix
def test_how_a_command_ended_is_part_of_the_diagnosis(code, status, said):
    done = run("--", "sh", "-c", code)
    assert done.returncode == status
    assert said in done.stderr


SHORT = """\
cause: worker-startup-stall
title: Not a word so far
why: The job has written no line at all.
detector: silent
longer_than: 1s
fixes: [{do: See whether it lives}]
references: ['https://example.org']
examples: {fires: [{log: '', quiet: 2s}], silent: [{log: step 1 loss 0.5, quiet: 1h}]}
"""


@pytest.mark.one_in(3)
@posix
@pytest.mark.parametrize("kind", ["command", "pipe", "file"])
def test_silence_since_the_start_is_told_wherever_nothing_comes_from(tmp_path, kind):
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "short.yaml").write_text(SHORT)
    log = tmp_path / "empty.log"
    log.touch()
    words = {"command": ["--", *script("import time", "time.sleep(60)")], "pipe": ["--quiet"], "file": [log]}[kind]
    with started("--rules", rules, *words, stdin=subprocess.PIPE, start_new_session=True) as one:
        speaks = one.stderr if kind == "command" else one.stdout
        wait_for(speaks, b"warning: Not a word so far")
        one.send_signal(signal.SIGINT)
        said = speaks.read()
        assert b"STALLED  in phase launch  Not a word so far: nothing for " in said
        assert b"-:1" not in said  # no line shows that there was none


@posix
@pytest.mark.parametrize("name", ["SIGHUP", "SIGINT"])
def test_what_nohup_or_a_shell_has_ignored_for_a_job_in_the_background_is_ignored(name):
    number = getattr(signal, name)
    ignored = (
        f"import signal, os, sys; signal.signal({int(number)}, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    )
    job = script("import time", "print('begun')", "time.sleep(1)", "raise SystemExit(3)")
    words = [sys.executable, "-c", ignored, *WATCH, "--", *job]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as one:
        wait_for(one.stdout, b"begun")
        one.send_signal(number)
        assert b"exit status 3" in one.stderr.read()
    assert one.returncode == 3


@posix
def test_the_exit_status_is_the_commands_also_where_whoever_started_us_waits_for_no_child():
    ignored = (
        "import signal, os, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    )
    words = [sys.executable, "-c", ignored, *WATCH, "--", *script("raise SystemExit(3)")]
    assert subprocess.run(words, check=False, capture_output=True).returncode == 3


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the rules are compiled first")
def test_a_job_need_not_wait_for_rules_that_are_compiled_for_the_first_time(tmp_path, monkeypatch):
    monkeypatch.setenv("LOGRULES_CACHE_DIR", str(tmp_path / "cache"))
    code = script(
        "from pathlib import Path",
        f"print(len(list(Path({str(tmp_path)!r}).glob('cache/pack-*'))), 'packs', flush=True)",
        "raise SystemExit(3)",
    )
    done = run("--", *code)
    assert done.stdout == b"0 packs\n"
    assert done.returncode == 3
    assert b"exit status 3" in done.stderr
    assert len(list(tmp_path.glob("cache/pack-*"))) == 1


def test_rules_that_are_refused_are_told_before_the_job_begins(tmp_path, monkeypatch):
    monkeypatch.setenv("LOGRULES_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "torn.yaml").write_text(SHORT.replace("cause:", "case:"))
    done = run("--rules", tmp_path / "rules", "--", *script(f"open({str(tmp_path / 'begun')!r}, 'w')"))
    assert done.returncode == 2
    assert b"torn.yaml:1" in done.stderr
    assert not (tmp_path / "begun").exists()


@posix
def test_a_line_of_ours_is_never_glued_to_a_bar():
    code = script(
        "import sys, time",
        "sys.stdout.write('busy 10%'); sys.stdout.flush()",
        "time.sleep(0.3)",
        "print('\\nstep 1 loss 0.1', file=sys.stderr)",
        "sys.stdout.write('busy 20%'); sys.stdout.flush()",
        "time.sleep(1)",
    )
    words = [*WATCH, "--", *code]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=60)
    (ours,) = [line for line in done.stdout.splitlines() if b" phase train_step (" in line]
    assert ours[2:3] == b":"


@posix
def test_repeated_signals_with_a_reader_that_is_gone_end_the_watching(tmp_path):
    log = tmp_path / "train.log"
    log.write_bytes(KILLED.read_bytes())
    with started("--echo", log) as one:
        wait_for(one.stdout, b"step")
        one.stdout.close()
        for _ in range(50):
            if one.poll() is not None:
                break
            one.send_signal(signal.SIGTERM)
            time.sleep(0.01)
        one.stderr.read()
        # One that comes again ends it at once: as a status while it watches, as the signal itself while it reports.
        assert one.wait(PATIENCE_S) in (1, 128 + signal.SIGTERM, -signal.SIGTERM)


STILL = "Still waiting to acquire lock on /c/x.lock (elapsed: {n}.1 seconds)"


@pytest.mark.one_in(2)
@posix
@pytest.mark.parametrize(
    ("lines", "rule", "number"),
    [
        (["print('created 3 workers')"], "detectors/unstarted", signal.SIGTERM),
        (
            [f"for n in range(1, 60): print({STILL!r}.format(n=n)); time.sleep(0.5)"],
            "waits/hub/lock", signal.SIGINT,
        ),
        (
            [
                "print('step 1 loss 0.5')",
                "for n in range(1, 60): print('no answer of the judge yet, still waiting'); time.sleep(0.3)",
            ],
            "detectors/polling", signal.SIGTERM,
        ),
    ],
)  # fmt: skip
def test_a_stall_is_told_as_an_event_and_stays_when_the_job_is_ended(lines, rule, number):
    command = script("import time", *lines, "time.sleep(60)")
    words = ["--format", "jsonl", "--patience", "0.004", "--job-name", "llama", "--", *command]
    with started(*words, start_new_session=True) as one:
        told = json.loads(wait_for(one.stdout, b'"event": "stall"').splitlines()[-1])
        assert (told["rule"], told["job"], told["status"]) == (rule, "llama", "stalled")
        one.send_signal(number)
        events = [json.loads(line) for line in one.stdout.read().splitlines()]
        assert one.wait(PATIENCE_S) != 0
    report = events[-1]["report"]
    assert (events[-1]["event"], report["status"], report["diagnoses"][0]["rule"]) == ("end", "stalled", rule)
    assert number.name in report["diagnoses"][0]["title"]


@posix
def test_events_and_the_log_do_not_share_standard_output():
    done = run("--format", "jsonl", "--", "sh", "-c", "echo step 1 loss 0.5")
    assert [json.loads(line)["event"] for line in done.stdout.splitlines()] == ["phase", "end"]
    refused = run("--format", "jsonl", "--echo", "--", "true")
    assert refused.returncode == 2
    assert b"both want standard output" in refused.stderr


@pytest.mark.parametrize(
    ("option", "values", "says"),
    [
        ("--patience", ("0", "-1", "nan", "inf", "4s"), "a factor above 0, such as 0.5 or 2, not `{}`"),
        ("--then-quiet", ("soon", "5", "-1s"), "a length of time such as 30s or 12m, not `{}`"),
        ("--replay", ("0x", "fast", "nan"), "a speed such as 60x, or max, not `{}`"),
    ],
)
def test_a_number_that_makes_no_sense_is_refused_with_one_that_does(option, values, says, capsys):
    for value in values:
        with pytest.raises(SystemExit) as ended:
            main(["watch", f"{option}={value}", "--", "true"])
        assert ended.value.code == 2
        assert f"{option}: expects {says.format(value)}" in capsys.readouterr().err


def test_a_pipe_without_a_line_is_nothing_to_judge():
    done = run()
    assert (done.returncode, done.stderr) == (2, b"logrules: no line was received; nothing to diagnose\n")
