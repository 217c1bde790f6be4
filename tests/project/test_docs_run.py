"""Every command that the documents show is run as a reader would run it, with the files that it names.

What is not run is in `ELSEWHERE`, each with the reason.
"""

import gzip
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from logrules.cli.main import main
from tests.project.test_docs import _folder_of_blocks

pytestmark = pytest.mark.unmeasured

ROOT = Path(__file__).parents[2]
PAGES = (
    ROOT / "README.md",
    *(ROOT / f"docs/{name}.md" for name in ("index", "guide", "testing", "writing-rules", "packs")),
    *(page for page in sorted((ROOT / "docs/integrations").glob("*.md")) if page.name != "fleet.md"),
)
# What stands at the beginning of a command that is not run here, and why.
ELSEWHERE = {
    "test": "all that is shipped: `make test` runs it, with these options",
    "test --changed": "needs the project's own repository: tests/ruletest/test_changed_files.py",
    "test --coverage --floor": "`make coverage`",
    "test --mutate": "minutes for a folder: `make mutants`",
    "check": "all that is shipped: `make findings`",
    "check --format sarif": "the same",
    "check --online": "asks other machines",
    "diagnose s3://": "asks other machines: tests/engine/test_distributed.py",
    "diagnose /shared/runs/42 --engine ray": "needs a cluster: tests/engine/test_ray_cluster.py, bench/fleet.py",
    "diagnose /scratch/42 --engine ray --on-node": "the same",
    "mcp": "serves until it is ended: tests/tools/test_mcp.py",
    "watch --notify": "tells another machine: tests/notify/test_listeners.py",
}
HEALTHY = ROOT / "fixtures/captured/torch-healthy-master-comes-late"
STEP = "2025-06-15 10:{minute:02d}:{second:02d} INFO step {step} loss 0.5\n"
OOM = "2025-06-15 10:40:00 [rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
OWN = "2025-06-15 10:40:00 ERROR acme shard 7 was moved while it was read\n"


def shown() -> list[str]:
    """The commands of all pages, each once, without their comments."""
    found = [
        line
        for page in PAGES
        for line in re.findall(r"^ {4}((?:kubectl .*\| )?logrules .*)$", page.read_text(), re.MULTILINE)
    ]
    return sorted({re.split(r"\s+#", line)[0].strip() for line in found})


def reason(command: str) -> str | None:
    """Why a command is not run here."""
    words = command.removeprefix("logrules ").replace("'", "")
    whole = {"test", "check", "test --changed", "check --format sarif"}
    return next(
        (why for start, why in ELSEWHERE.items() if words == start or (start not in whole and words.startswith(start))),
        None,
    )


@pytest.fixture(scope="session")
def files(tmp_path_factory) -> Path:
    """The files that the documents name."""
    here = tmp_path_factory.mktemp("reader")
    steps = [STEP.format(minute=step // 60, second=step % 60, step=step) for step in range(1_041)]
    failed = "".join([*steps, OWN, OOM])
    for name in ("train.log", "runs/42/a.log", "data/runs/42/logs/a.log", "logs/42/train.log"):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(failed)
    for name in ("good.log", "runs/41/a.log", "runs/43/a.log", "rank0.log", "rank1.log", "node-a/rank0.log"):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text("".join(steps))
    (here / "runs/44.log").write_text(OWN)
    (here / "train.log.gz").write_bytes(gzip.compress(failed.encode()))
    (here / "ds.json").write_text("{}")
    rules = _folder_of_blocks(here / "my-rules")
    shutil.copy(rules / "acme/loss-jumps.yaml", here / "new.yaml")
    (rules / "acme/loss-jumps.yaml").rename(rules / "acme/lost.yaml")
    shutil.copy(next((ROOT / "rules/expect").glob("*.yaml")), here / "my-recipe.yaml")
    (here / "train.py").write_text("print('step 1 loss 0.5')\n")
    (here / "bin").mkdir()
    for name, body in {
        "torchrun": "echo step 1 loss 0.5",
        "python": "echo step 1 loss 0.5",
        "notify-me": "cat >/dev/null",
        "kubectl": f"cat {here}/train.log",
        "logrules": f'exec {sys.executable} -m logrules "$@"',
        "../told.sh": "cat >/dev/null",
    }.items():
        (here / "bin" / name).write_text(f"#!/bin/sh\n{body}\n")
        (here / "bin" / name).chmod(0o755)
    return here


@pytest.fixture
def reader(files, tmp_path, monkeypatch) -> Path:
    """A reader who has these files in the working directory."""
    here = tmp_path / "here"
    shutil.copytree(files, here)
    monkeypatch.chdir(here)
    monkeypatch.setenv("LOGRULES_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", f"{here}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    # Drafts are tried on healthy logs: that all are taken is for tests/tools/test_learn.py.
    monkeypatch.setattr("logrules.tools.learn.chosen_jobs.shipped_cases", lambda: [HEALTHY])
    return here


def here_not_there(command: str) -> str:
    """The command with folders, ports and a pace of this reader instead of those of the whole machine."""
    own = command.replace("watch runs/42 /tmp/ray/session_latest/logs", "watch runs/42").replace("60x", "max")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        own = own.replace("9400", str(free.getsockname()[1]))
    return re.sub(r"(?<=\s)/(data|logs|ckpt)\b", r"\1", own)


RUN = [command for command in shown() if reason(command) is None]
# Those that start others, read pipes or follow logs are processes of their own; of any that differ only in the job, one.
_ALONE = [command for command in RUN if re.search(r"\bwatch\b|^kubectl", command)]
ALONE = list({command.partition(" -- ")[0]: command for command in _ALONE}.values())


@pytest.mark.one_in(8)
@pytest.mark.parametrize("command", [command for command in RUN if command not in _ALONE])
def test_commands_do_what_they_say(reader, command, capsys):
    words = shlex.split(re.split(r"\s[|>]", here_not_there(command))[0])[1:]
    if words[0] == "history":
        main(["scan", "runs", "--group", "fingerprint"])
        kind = capsys.readouterr().out.split()[0]
        words = [kind[:4] if word == "3f2a" else word for word in words]
    if "rank*.log" in command:
        words = [*words[:-1], *sorted(str(path.relative_to(reader)) for path in reader.glob(words[-1]))]
    status = main(words)
    said = capsys.readouterr()
    assert (status in {0, 1}, said.err if status == 2 else "") == (True, "")
    assert said.out or {"-o", "--forget", "--snooze", "fmt", "bundle"} & set(words)


@pytest.mark.one_in(4)
@pytest.mark.skipif(sys.platform == "win32", reason="shell")
@pytest.mark.parametrize("command", ALONE)
def test_commands_with_other_programs_do_what_they_say(reader, command):
    line = here_not_there(command)
    if "watch runs" in line or line.endswith("watch train.log"):
        assert said_before_it_was_ended(line)
        return
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout or done.stderr


def said_before_it_was_ended(line: str) -> bytes:
    """What came first of a command that follows a log until somebody ends it."""
    limited = ["timeout", "120", "bash", "-c", f"exec {line}"]
    with subprocess.Popen(limited, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
        assert child.stdout is not None
        first = child.stdout.readline()
        child.terminate()
        assert b"Traceback" not in child.stdout.read()
    return first


@pytest.mark.parametrize("start", list(ELSEWHERE))
def test_what_is_not_run_is_shown(start):
    assert any(command.removeprefix("logrules ").replace("'", "").startswith(start) for command in shown())
