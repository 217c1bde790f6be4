"""The epilog and the wrapper of `contrib/slurm` on a real Slurm of one node: ``python bench/slurm.py``.

Starts slurmctld and slurmd (Debian's package `slurm-wlm`) in a folder of their own, on ports of their own, runs jobs
that fail, end well and are cancelled, and ends both again. Needs root, as the epilog has it, and a logrules that the
user `nobody` may run (``--logrules /opt/logrules/bin/logrules``).
"""

import argparse
import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

CONTRIB = Path(__file__).resolve().parent.parent / "contrib" / "slurm"
WAITS_S = 120.0
USER = "nobody"
OOM = "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
_CONF = """ClusterName=toy
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={next_port}
SlurmUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/ctld.log
SlurmdLogFile={folder}/slurmd.log
MpiDefault=none
MinJobAge=300
Epilog={folder}/epilog
NodeName={host} NodeAddr=127.0.0.1 CPUs=2
PartitionName=toy Nodes={host} Default=YES State=UP
"""


@contextmanager
def slurm_in(folder: Path) -> Iterator[None]:
    host = socket.gethostname().partition(".")[0]
    for name in ("state", "spool"):
        (folder / name).mkdir()
    conf = folder / "slurm.conf"
    conf.write_text(_CONF.format(host=host, folder=folder, port=26817, next_port=26818), encoding="utf-8")
    os.environ["SLURM_CONF"] = str(conf)
    started = [
        subprocess.Popen([name, "-D", "-f", str(conf)], stderr=subprocess.DEVNULL) for name in ("slurmctld", "slurmd")
    ]
    try:
        until(lambda: "idle" in said("sinfo", "-h", "-o", "%T"), "the node is idle")
        yield
    finally:
        for child in reversed(started):
            child.terminate()
            child.wait(20)


def said(*words: object) -> str:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False).stdout


def until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + WAITS_S
    while not holds():
        if time.monotonic() > end:
            sys.exit(f"not after {WAITS_S:.0f} s: {what}")
        time.sleep(0.5)


def ran(folder: Path, script: str, *words: object, program: str | Path = "sbatch") -> str:
    """The number of a job that was submitted by an ordinary user and has ended, its epilog included."""
    path = folder / f"job{len(list(folder.glob('job*.sh')))}.sh"
    path.write_text(f"#!/bin/bash\n{script}")
    path.chmod(0o755)
    submit = ["setpriv", f"--reuid={USER}", "--regid=nogroup", "--clear-groups", program, "--parsable", *words, path]
    done = subprocess.run([str(word) for word in submit], cwd=folder, capture_output=True, text=True, check=False)
    number = done.stdout.strip()
    assert number, done.stderr
    return number


def ended(number: str) -> None:
    until(lambda: state(number, "JobState") not in {"PENDING", "RUNNING", "COMPLETING"}, f"job {number} has ended")
    until(lambda: "idle" in said("sinfo", "-h", "-o", "%T"), "the node is free again")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def state(number: str, field: str) -> str:
    shown = said("scontrol", "show", "job", "-o", number).split()
    return next((word.partition("=")[2] for word in shown if word.startswith(f"{field}=")), "")


def checks(folder: Path) -> Iterator[tuple[str, bool]]:
    """What must hold, by what it is called."""
    log = folder / "with blank 1.out"
    number = ran(folder, f"echo '{OOM}'; exit 1\n", f"--output={log}")
    ended(number)
    report = Path(f"{log}.logrules.txt")
    text = text_of(report)
    yield "a failed job has a report beside its log", text.startswith("FAILED") and "GPU ran out of memory" in text
    yield "syslog has a line", f"job={number} user={USER} FAILED" in text_of(folder / "syslog")
    yield "it is the user's own", bool(text) and report.owner() == USER and not report.stat().st_mode & 0o077
    good = ran(folder, f"echo '{OOM}'\n", f"--output={folder}/good.out")
    ended(good)
    yield "a job that ended well has none", not (folder / "good.out.logrules.txt").exists()
    hung = ran(folder, f"echo '{OOM}'; sleep 600\n", f"--output={folder}/hung.out")
    until(lambda: state(hung, "JobState") == "RUNNING" and (folder / "hung.out").exists(), "the job runs")
    subprocess.run(["scancel", hung], check=True)
    ended(hung)
    yield "a job that was cancelled has one", (folder / "hung.out.logrules.txt").exists()
    lost = ran(folder, "exit 1\n", "--output=/dev/null")
    ended(lost)
    yield "a job without a log drains no node", "idle" in said("sinfo", "-h", "-o", "%T")
    watched = ran(
        folder,
        f"echo \"$1\"; echo '{OOM}'; exit 7\n",
        f"--output={folder}/watched.out",
        program=CONTRIB / "sbatch-watched",
    )
    ended(watched)
    kept = folder / f"logrules-{watched}.json"
    cause = json.loads(kept.read_text())["diagnoses"][0]["cause"] if kept.exists() else ""
    yield "a watched job has its report", cause == "cuda-oom"
    yield "and keeps its exit status", state(watched, "ExitCode") == "7:0"
    script = "trap 'echo got it; exit 9' USR1\nfor i in {1..600}; do sleep 0.1; done\n"
    told = ran(folder, script, f"--output={folder}/told.out", program=CONTRIB / "sbatch-watched")
    until(lambda: state(told, "JobState") == "RUNNING", "the job runs")
    time.sleep(5)
    subprocess.run(["scancel", "--batch", "--signal=USR1", told], check=True)
    ended(told)
    yield (
        "a signal reaches a watched job",
        "got it" in (folder / "told.out").read_text() and state(told, "ExitCode") == "9:0",
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logrules", default=str(Path(sys.executable).with_name("logrules")), metavar="PROGRAM")
    program = parser.parse_args().logrules
    missing = [name for name in ("slurmctld", "slurmd", "sbatch", "setpriv") if shutil.which(name) is None]
    if missing or os.geteuid():
        print(f"needs root, and Debian's package slurm-wlm (missing: {', '.join(missing) or 'nothing'})")
        return 2
    if subprocess.run(["setpriv", f"--reuid={USER}", "--clear-groups", program, "--version"], check=False).returncode:
        print(f"{program}: the user {USER} may not run it; name another with --logrules")
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chown(folder, pwd.getpwnam(USER).pw_uid, -1)
        folder.chmod(0o755)
        (folder / "bin").mkdir()
        for tool, words in (("logrules", f'exec {program} "$@"'), ("logger", f'echo "$@" >>{folder}/syslog')):
            (folder / "bin" / tool).write_text(f"#!/bin/sh\n{words}\n")
            (folder / "bin" / tool).chmod(0o755)
        os.environ["LOGRULES_CACHE_DIR"] = f"{folder}/cache"
        os.environ["PATH"] = f"{folder}/bin:{os.environ['PATH']}"
        (folder / "epilog").write_text(
            f"#!/bin/sh\nexport LOGRULES_PATH={folder}/bin LOGRULES_EPILOG_LIMIT=100\nexec {CONTRIB}/logrules-epilog\n"
        )
        (folder / "epilog").chmod(0o755)
        with slurm_in(folder):
            failed = 0
            for what, holds in checks(folder):
                print(f"{'ok' if holds else 'NOT'}  {what}", flush=True)
                failed += not holds
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
