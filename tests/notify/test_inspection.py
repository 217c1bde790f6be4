"""Looking closer at a job: trees, who stands apart, other hosts, and what torch and NCCL offer. Faked commands."""

import json
import os
import shutil
import socket
import stat
import subprocess
import threading

import pytest

from logrules.model.errors import LogrulesError
from logrules.tools.command_output import CommandOutput, output_of
from logrules.tools.inspection import collective_state, ray_stacks, stack_samples
from logrules.tools.inspection.collective_state import flight_records, ras_text
from logrules.tools.inspection.job_processes import Process, processes_in, python_processes, rank_of
from logrules.tools.inspection.probes import probe_hang, probe_slowness
from logrules.tools.inspection.stack_dump import ProcessStack, StackFrame, stacks_of
from logrules.tools.inspection.stack_groups import MAX_LINES, names_in_words, standing_apart, tree_lines
from logrules.tools.inspection.stack_samples import hosts_of, mark_of, remote_stacks, ssh_command, why_not

POSIX = pytest.mark.skipif(os.name != "posix", reason="the fakes are shell scripts")
MAIN = StackFrame("main", "/w/train.py", 5, "train.py")
STEP = StackFrame("step", "/w/train.py", 90, "train.py")
LOAD = StackFrame("load", "/w/data.py", 8, "data.py")
REDUCE = StackFrame("all_reduce", "/e/site-packages/torch/distributed/distributed_c10d.py", 7)


@pytest.fixture(autouse=True)
def _restless(monkeypatch):
    for module in (collective_state, stack_samples):
        monkeypatch.setattr(module, "sleep", lambda _: None)


def job(count: int, *apart: int) -> list[ProcessStack]:
    return [ProcessStack(f"rank {n}", (LOAD, MAIN) if n in apart else (REDUCE, STEP, MAIN)) for n in range(count)]


def test_a_tree_writes_once_what_stacks_have_in_common():
    assert tree_lines(job(4, 2)) == [
        "[rank 0-3] train.py:5 main",
        "  [rank 0-1, 3] train.py:90 step → distributed_c10d.py:7 all_reduce",
        "  [rank 2] data.py:8 load",
    ]
    assert tree_lines([]) == []


def test_a_tree_is_bounded():
    apart = [ProcessStack(f"rank {n}", (StackFrame("f", "/w/x.py", n),)) for n in range(500)]
    lines = tree_lines(apart)
    assert len(lines) == MAX_LINES + 1
    assert lines[-1] == f"… and {500 - MAX_LINES} more"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["rank 3", "rank 1", "rank 2"], "rank 1-3"),
        (["process 7"], "process 7"),
        ([f"process {n}" for n in range(6)], "process 0, process 1, process 2, process 3 and 2 more"),
    ],
)
def test_who_in_words(names, said):
    assert names_in_words(names) == said


def test_who_stands_apart_again_and_again_is_slow():
    rounds = [job(6, 4), job(6, 4), job(6, 1), job(6, 4), job(6)]
    (apart,) = standing_apart(rounds)
    assert (apart.names, apart.rounds, apart.stack.frames[0].function) == (("rank 4",), 3, "load")
    assert standing_apart([job(6, 1), job(6, 2), job(6, 3)]) == ()
    assert standing_apart([]) == ()


def test_native_frames_say_in_which_call_python_waits():
    frames = [
        {
            "name": "0x7fe752ea3e96",
            "filename": "/l/libc.so.6",
            "short_filename": "libc.so.6",
            "line": 0,
            "module": "/l",
        },
        {"name": "flock", "filename": "/l/libc.so.6", "short_filename": "libc.so.6", "line": 0, "module": "/l"},
        {"name": "lock", "filename": "/w/data.py", "short_filename": "data.py", "line": 5, "module": None},
        {"name": "_PyEval_Vector", "filename": "/l/p.so", "short_filename": "p.so", "line": 0, "module": "/l"},
        {"name": "main", "filename": "/w/data.py", "short_filename": "data.py", "line": 9, "module": None},
    ]
    (stack,) = stacks_of("rank 0", json.dumps([{"thread_name": "MainThread", "frames": frames}]))
    assert [frame.printed for frame in stack.frames] == [
        "    flock (libc.so.6)", "    lock (data.py:5)", "    main (data.py:9)",
    ]  # fmt: skip
    assert stack.place == "data.py:5 lock → flock"


@pytest.mark.parametrize("option", ["", " , ", "-oProxyCommand=x", "a b", "a;b", "$(x)"])
def test_what_is_no_host_is_refused(option):
    with pytest.raises(LogrulesError, match="--inspect-hosts"):
        hosts_of(option)


def test_hosts_and_the_mark_of_a_job():
    assert hosts_of("node1, me@node2:22") == ("node1", "me@node2:22")
    assert mark_of([{"MASTER_PORT": "29500"}, {"SLURM_JOB_ID": "42"}]) == "SLURM_JOB_ID=42"
    assert mark_of([{"TORCHELASTIC_RUN_ID": "none"}]) is None
    assert ssh_command("node1", "A=b c'd")[-2] == "node1"
    assert "'A=b c'\"'\"'d'" in ssh_command("node1", "A=b c'd")[-1]


DUMP = json.dumps([{"thread_name": "MainThread", "frames": [{"name": "load", "filename": "/w/x.py", "line": 3}]}])


def test_what_a_host_says():
    told = f"motd\n== logrules 12 3\n{DUMP}\n== logrules 13 \n{DUMP}\n== logrules 14 4\nError: denied\n"
    assert [stack.name for stack in remote_stacks("node2", told)] == ["rank 3", "node2 process 13"]


def fake(folder, name, script):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def env(folder):
    return {"PATH": f"{folder}:/usr/bin:/bin"}


@POSIX
def test_other_hosts_are_asked_for_the_same_job(tmp_path):
    fake(tmp_path, "py-spy", f"echo '{DUMP}'")
    fake(tmp_path, "ssh", f"echo \"$@\" > {tmp_path}/asked; echo '== logrules 9 1'; echo '{DUMP}'")
    one = Process(7, "python", 0, environment={"RANK": "0", "SLURM_JOB_ID": "42"})
    seen = probe_hang([one], env(tmp_path), hosts=("node2",))
    assert seen.stacks is not None
    assert seen.stacks.said == ("2 ranks are in x.py:3 load",)
    assert "-- node2" in (tmp_path / "asked").read_text()


@POSIX
@pytest.mark.parametrize(
    ("ranks", "name"),
    [
        ({"RANK": "5"}, "rank 5"),
        ({"SLURM_PROCID": "0", "RANK": "5"}, "rank 5"),
        ({"SLURM_PROCID": "0", "OMPI_COMM_WORLD_RANK": "7"}, "rank 7"),
    ],
)
def test_the_script_for_other_hosts_finds_the_job_by_its_mark(tmp_path, ranks, name):
    import subprocess
    import sys

    fake(tmp_path, "py-spy", f"echo '{DUMP}'")
    marked = {**os.environ, "SLURM_JOB_ID": f"test-{os.getpid()}", **ranks}
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env=marked) as child:
        script = ssh_command("here", f"SLURM_JOB_ID=test-{os.getpid()}")[-1]
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=env(tmp_path), check=True)
        child.kill()
    assert [stack.name for stack in remote_stacks("here", done.stdout)] == [name]


@POSIX
def test_a_host_that_cannot_be_reached_and_a_job_without_a_mark_are_notes(tmp_path):
    fake(tmp_path, "py-spy", f"echo '{DUMP}'")
    fake(tmp_path, "ssh", "echo 'connection refused' >&2; exit 255")
    marked = Process(7, "python", environment={"MASTER_PORT": "29500"})
    seen = probe_hang([marked], env(tmp_path), hosts=("node2",))
    assert ("ssh node2", False) in [(said.source, said.evidence) for said in seen.outputs]
    bare = probe_hang([Process(7, "python")], env(tmp_path), hosts=("node2",))
    assert ("ssh", False) in [(said.source, said.evidence) for said in bare.outputs]


@POSIX
def test_what_is_suspended_is_said_and_not_suspended_again(tmp_path):
    fake(tmp_path, "py-spy", f"echo \"$@\" >> {tmp_path}/asked; echo '{DUMP}'")
    seen = probe_hang([Process(7, "python", 1, stopped=True)], env(tmp_path))
    assert seen.outputs[0].evidence
    assert seen.outputs[0].text.startswith("logrules: rank 1 is suspended by a signal")
    assert "--native" not in (tmp_path / "asked").read_text()


@POSIX
def test_where_native_frames_are_not_to_be_had_python_frames_do(tmp_path):
    fake(tmp_path, "py-spy", f"case \"$*\" in *--native*) exit 1 ;; esac; echo '{DUMP}'")
    seen = probe_hang([Process(7, "python", 0)], env(tmp_path))
    assert seen.stacks is not None
    assert seen.stacks.said == ("rank 0 is in x.py:3 load",)


# Says what it was asked, and has no native frames.
NO_NATIVE = 'echo "$@" >> {asked}; case "$*" in *--native*) exit 1 ;; esac; echo \'{dump}\''


@POSIX
def test_a_host_without_native_frames_is_asked_for_them_once(tmp_path):
    import subprocess
    import sys
    from contextlib import ExitStack

    asked = tmp_path / "asked"
    fake(tmp_path, "py-spy", NO_NATIVE.format(asked=asked, dump=DUMP))
    marked = {**os.environ, "SLURM_JOB_ID": f"test-{os.getpid()}"}
    with ExitStack() as children:
        for _ in range(2):
            child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env=marked)
            children.enter_context(child)
            children.callback(child.kill)
        script = ssh_command("here", f"SLURM_JOB_ID=test-{os.getpid()}")[-1]
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=env(tmp_path), check=True)
    assert len(remote_stacks("here", done.stdout)) == 2
    assert ["--native" in line for line in asked.read_text().splitlines()] == [True, False, False]


@POSIX
def test_rules_read_the_stacks_of_those_who_stand_apart_alone(tmp_path):
    apart = DUMP.replace("load", "fetch")
    fake(tmp_path, "py-spy", f"case \"$*\" in *'--pid 12') echo '{apart}' ;; *) echo '{DUMP}' ;; esac")
    ranks = [Process(10 + rank, "python", rank) for rank in range(4)]
    seen = probe_hang(ranks, env(tmp_path))
    told = [one for one in seen.outputs if one.source.startswith("stacks of ")]
    assert [one.source for one in told] == ["stacks of rank 2"]
    assert told[0].text.startswith("logrules: rank 2: apart from the others: ")
    assert "fetch" in told[0].text
    assert "load" not in told[0].text


@POSIX
def test_why_nothing_could_be_seen_says_what_to_do(tmp_path):
    fake(tmp_path, "py-spy", "echo 'Error: Permission Denied: Try running again with elevated permissions'; exit 1")
    (note,) = [said for said in probe_hang([Process(7, "p")], env(tmp_path)).outputs if "py-spy" in said.source]
    assert "ptrace_scope" in note.text
    assert not note.evidence


@POSIX
def test_a_slow_job_names_who_stands_apart(tmp_path):
    other = DUMP.replace("load", "step")
    fake(tmp_path, "py-spy", f"case \"$*\" in *\"--pid 2\"*) echo '{DUMP}' ;; *) echo '{other}' ;; esac")
    ranks = [Process(n, "python", n) for n in range(1, 5)]
    seen = probe_slowness(ranks, env(tmp_path)).stacks
    assert seen is not None
    assert seen.said[0] == "rank 2 stood apart in 5 of 5 samples, last in x.py:3 load"
    alike = probe_slowness(ranks[2:], env(tmp_path)).stacks
    assert alike is not None
    assert alike.said[0] == "nobody stood apart in most of 5 samples"


def test_the_rank_that_a_launcher_gave():
    assert [rank_of(given) for given in ({"RANK": "3"}, {"SLURM_PROCID": "0"}, {"RANK": "x"}, {})] == [3, 0, None, None]


@pytest.mark.parametrize(
    ("title", "label"),
    [
        ("ray::Judge.score", "Judge.score (pid 7)"),
        ("VLLM::Worker_TP0", "Worker_TP0 (pid 7)"),
        ("python", "process 7"),
        ("ray::", "process 7"),
    ],
)
def test_a_worker_is_called_what_its_framework_calls_it(title, label):
    assert Process(7, "python3", arguments=(title, "", "")).label == label
    assert Process(7, "python3", 2, arguments=(title,)).label == "rank 2"


@POSIX
def test_a_program_that_lies_below_a_folder_called_python_is_no_python(tmp_path):
    pytest.importorskip("psutil")
    program = tmp_path / "lib" / "python3.11" / "raylet"
    program.parent.mkdir(parents=True)
    shutil.copy(shutil.which("sleep") or "/bin/sleep", program)
    with subprocess.Popen([program, "60"]) as helper:
        assert python_processes(helper.pid) == []
        helper.kill()


def test_of_a_command_that_fails_the_reason_is_told_and_not_where_in_itself():
    said = CommandOutput("\nError: no such process\n\nStack backtrace:\n   0: anyhow::error\n", 1)
    assert why_not("py-spy", said, 10.0) == "py-spy: failed (status 1) Error: no such process"


def test_the_processes_of_a_folder_leave_us_out(tmp_path):
    pytest.importorskip("psutil")
    with (tmp_path / "train.log").open("w"):
        assert processes_in(tmp_path) == []


@POSIX
def test_the_flight_recorder_is_asked_for_its_dump(tmp_path, monkeypatch):
    pipe, dump = tmp_path / "ask_3.pipe", tmp_path / "trace_3"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    asked = []

    def sleep(_: float) -> None:
        asked.append(os.read(reader, 16))
        dump.write_bytes(json.dumps({"version": "2.4", "entries": [{
            "process_group": ["0", "default_pg"], "collective_seq_id": 1, "profiling_name": "nccl:all_reduce",
            "state": "started", "input_sizes": [[4]], "frames": [],
        }]}).encode())  # fmt: skip

    given = {"TORCH_NCCL_DEBUG_INFO_PIPE_FILE": f"{tmp_path}/ask_", "TORCH_FR_DUMP_TEMP_FILE": f"{tmp_path}/trace_"}
    monkeypatch.setattr(collective_state, "sleep", sleep)
    (held,) = flight_records([Process(7, "python", 3, environment=given)])
    os.close(reader)
    assert asked == [b"1\n"]
    assert (held.source, held.worker.rank, held.calls[-1].seq) == ("flight recorder trace_3", 3, 1)


def test_a_recorder_that_nobody_offers_or_hears_is_left_alone(tmp_path):
    deaf = {"TORCH_NCCL_DEBUG_INFO_PIPE_FILE": f"{tmp_path}/none_"}
    assert flight_records([Process(7, "python", 3, environment=deaf), Process(8, "python", 1)]) == ()


def test_the_ras_of_nccl_is_read_where_the_job_has_one():
    with socket.create_server(("127.0.0.1", 0)) as server:
        asked = []

        def answer() -> None:
            client, _ = server.accept()
            with client:
                asked.append(client.recv(64))
                client.sendall(b"NCCL version 2.28.3\nWARNING: rank 3 does not respond\n")

        thread = threading.Thread(target=answer)
        thread.start()
        host, port = server.getsockname()
        given = {"RANK": "0", "NCCL_RAS_ADDR": f"{host}:{port}"}
        said = ras_text([Process(7, "python", 0, environment=given)], 5.0)
        thread.join()
    assert asked == [b"verbose status\n"]
    assert "rank 3 does not respond" in said
    off = {"RANK": "0", "NCCL_RAS_ENABLE": "0"}
    assert ras_text([Process(7, "python", 0, environment=off)], 1.0) == ""
    assert ras_text([Process(7, "python")], 1.0) == ""


def toy_worker(title):
    """A child that is called as Ray calls a worker."""
    import subprocess
    import sys

    words = [title, "-c", "print(flush=True); input()"]
    child = subprocess.Popen(words, executable=sys.executable, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    child.stdout.readline()
    return child


@POSIX
def test_the_workers_of_a_ray_node_that_are_at_work_are_looked_at(tmp_path, monkeypatch):
    import socket

    fake(tmp_path, "py-spy", f"echo '{DUMP}'")
    children = [toy_worker(title) for title in ("ray::Trainer.train", "ray::Reader.read", "ray::IDLE", "python")]
    monkeypatch.setattr(ray_stacks.sys, "executable", str(tmp_path / "python"))
    try:
        known = (children[1].pid,)
        here = ray_stacks.stacks_below(os.getpid(), socket.gethostname(), known)
        there = ray_stacks.stacks_below(os.getpid(), "another-host", known)
    finally:
        for child in children:
            child.kill()
            child.communicate()
    assert [(one.pid, one.title) for one in here] == [(children[0].pid, "Trainer.train")]
    assert [one.title for one in there] == ["Trainer.train", "Reader.read"]


@POSIX
def test_a_ray_node_without_native_frames_is_asked_for_them_once(tmp_path, monkeypatch):
    asked = tmp_path / "asked"
    fake(tmp_path, "py-spy", NO_NATIVE.format(asked=asked, dump=DUMP))
    children = [toy_worker(title) for title in ("ray::Trainer.train", "ray::Reader.read")]
    monkeypatch.setattr(ray_stacks.sys, "executable", str(tmp_path / "python"))
    try:
        found = ray_stacks.stacks_below(os.getpid(), "another-host", ())
    finally:
        for child in children:
            child.kill()
            child.communicate()
    assert [one.dump.strip() for one in found] == [DUMP, DUMP]
    assert ["--native" in line for line in asked.read_text().splitlines()] == [True, False, False]


def test_each_node_of_a_ray_cluster_says_what_it_runs(monkeypatch, capsys):
    worker = ray_stacks.WorkerStack(7, "Trainer.train", DUMP)
    answers = [("node-0", [worker]), ("node-1", LogrulesError("py-spy is not installed"))]
    monkeypatch.setattr(ray_stacks, "asked_of_nodes", lambda _ask, _address: iter(answers))
    assert ray_stacks.main(["3"]) == 0
    said = capsys.readouterr().out
    assert [stack.name for stack in remote_stacks("ray", said)] == ["node-0 Trainer.train (pid 7)"]
    assert said.startswith("node-1: py-spy is not installed\n== logrules 7")
    monkeypatch.setattr(ray_stacks, "asked_of_nodes", lambda _ask, _address: iter(answers[1:]))
    assert ray_stacks.main([]) == 1


def test_no_module_of_the_working_directory_is_asked_instead_of_ours(tmp_path, monkeypatch):
    (tmp_path / "logrules.py").write_text("open('was-run', 'w')\n")
    monkeypatch.chdir(tmp_path)
    said = output_of((*stack_samples.ray_command(()), "x"), 60, os.environ).text
    assert "invalid literal for int() with base 10: 'x'" in said
    assert not (tmp_path / "was-run").exists()


@POSIX
def test_ray_among_the_hosts_asks_its_cluster_once_and_needs_no_mark(tmp_path, monkeypatch):
    fake(tmp_path, "py-spy", f"echo '{DUMP}'")
    fake(
        tmp_path,
        "cluster",
        f"echo \"$@\" > {tmp_path}/asked; echo '== logrules 9  node-1 Trainer.train'; echo '{DUMP}'",
    )
    monkeypatch.setattr(stack_samples, "ray_command", lambda known: ("cluster", *map(str, known)))
    one = Process(7, "python", 0, environment={"RANK": "0"})
    seen = probe_hang([one], env(tmp_path), hosts=("ray",))
    assert seen.stacks is not None
    assert seen.stacks.said == ("2 processes are in x.py:3 load",)
    assert (tmp_path / "asked").read_text() == "7\n"
