"""What sites copy from contrib/: scripts run with stand-ins for the scheduler, files parse, the pages name what is there."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml

CONTRIB = Path(__file__).parents[2] / "contrib"
RULE = """\
id: acme/one
cause: disk-full
title: Scratch is full
why: The scratch disk is full.
signals:
  full: ACME-217
fixes:
  - do: Empty it.
examples:
  fires: ACME-217 scratch is full
  silent: ACME-216 scratch is busy
"""
OOM = "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."

pytestmark = [pytest.mark.unmeasured, pytest.mark.skipif(sys.platform == "win32", reason="shell scripts")]


@pytest.fixture
def tools(tmp_path, monkeypatch) -> Path:
    """A folder at the head of the PATH, with `logrules` in it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program(folder / "logrules", f'exec "{sys.executable}" -m logrules "$@"')
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(CONTRIB.parent))
    return folder


def program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/bash\n{body}\n")
    path.chmod(0o755)


def ran(*words: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    told = [str(word) for word in words]
    return subprocess.run(told, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False)


SCRIPTS = [path for path in sorted(CONTRIB.rglob("*")) if path.is_file() and path.read_bytes().startswith(b"#!/bin")]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_parse_and_can_be_run(script):
    assert script.stat().st_mode & stat.S_IXUSR
    shell = script.read_text().splitlines()[0].removeprefix("#!")
    assert subprocess.run([shell, "-n", script], check=False).returncode == 0


@pytest.mark.parametrize("path", sorted(CONTRIB.rglob("*.y*ml")), ids=lambda path: path.name)
def test_yaml_parses(path):
    assert all(isinstance(one, dict) for one in yaml.safe_load_all(path.read_text(encoding="utf-8")))


# Slurm.


def submitted(tools: Path, folder: Path, script: str, *words: str) -> str:
    """What sbatch would be given."""
    program(tools / "sbatch", f'printf "%s\\n" "$@" >"{folder}/words"; cat >"{folder}/submitted"')
    (folder / "job.sh").write_text(script)
    done = ran(CONTRIB / "slurm/sbatch-watched", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return (folder / "submitted").read_text()


def test_sbatch_gets_options_script_lines_and_arguments(tools, tmp_path):
    text = submitted(tools, tmp_path, "#!/bin/sh\n#SBATCH --gres=gpu:8\ntrue\n", "--time=10", "job.sh", "two words")
    assert text.splitlines()[:2] == ["#!/bin/bash", "#SBATCH --gres=gpu:8"]
    assert (tmp_path / "words").read_text().splitlines() == [
        "--job-name=job.sh",
        "--time=10",
        "/dev/stdin",
        "two words",
    ]


@pytest.mark.parametrize("watched", [True, False])
def test_the_job_runs_as_it_was_and_keeps_its_status(tools, tmp_path, watched):
    text = submitted(tools, tmp_path, f"#!/bin/bash\necho \"$# $1\" '$HOME'\necho '{OOM}'\nexit 7\n", "job.sh", "x")
    (tmp_path / "job.sh").unlink()
    (tmp_path / "run.sh").write_text(text)
    if not watched:
        (tools / "logrules").unlink()
        if shutil.which("logrules"):
            pytest.skip("logrules is on the PATH")
    done = ran("bash", "run.sh", "two words", cwd=tmp_path, SLURM_JOB_ID="42", SLURM_SUBMIT_DIR=str(tmp_path))
    assert done.returncode == 7
    assert done.stdout.splitlines()[:2] == ["1 two words $HOME", OOM]
    if watched:
        assert json.loads((tmp_path / "logrules-42.json").read_text())["diagnoses"][0]["cause"] == "cuda-oom"
    else:
        assert "runs unwatched" in done.stderr


def test_a_signal_reaches_the_job(tools, tmp_path):
    script = (
        "#!/bin/bash\ntrap 'echo got it; exit 9' USR1\nkill -USR1 $(cat outer)\nfor i in {1..100}; do sleep 0.1; done\n"
    )
    text = submitted(tools, tmp_path, script, "job.sh")
    (tmp_path / "run.sh").write_text("echo $$ >outer\n" + text)
    done = ran("bash", "run.sh", cwd=tmp_path, SLURM_JOB_ID="42", SLURM_SUBMIT_DIR=str(tmp_path))
    assert (done.returncode, "got it" in done.stdout) == (9, True)


@pytest.mark.parametrize("words", [(), ("--help",), ("no-such-script",)])
def test_without_a_script_it_says_how(tools, tmp_path, words):
    done = ran(CONTRIB / "slurm/sbatch-watched", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert "SCRIPT" in done.stderr


def epilog(tools: Path, folder: Path, *, code: str, reason: str, node: str = "n1") -> subprocess.CompletedProcess[str]:
    log = folder / "x y.out"
    log.write_text(f"{OOM}\n")
    shown = f"JobId=7 JobState=COMPLETING Reason={reason} ExitCode={code} BatchHost=n1 StdOut={log} Power= "
    program(tools / "scontrol", f'[ "$2" = hostnames ] && echo n1 || echo "{shown}"')
    program(tools / "logger", f'echo "$@" >"{folder}/syslog"')
    # Who runs the tests may not change users; the words behind the options are what counts.
    program(tools / "setpriv", 'while [ "$1" != env ]; do shift; done; shift 2; exec env "$@"')
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    return ran(
        CONTRIB / "slurm/logrules-epilog", cwd=folder, SLURM_JOB_ID="7", SLURM_JOB_USER=user, SLURMD_NODENAME=node,
        LOGRULES_PATH=str(tools),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("code", "reason", "node", "told"),
    [
        ("1:0", "NonZeroExitCode", "n1", True),
        ("0:0", "TimeLimit", "n1", True),
        ("0:15", "None", "n1", True),
        ("0:0", "None", "n1", False),
        ("1:0", "NonZeroExitCode", "n2", False),
    ],
)
def test_the_epilog_tells_of_jobs_that_failed_once(tools, tmp_path, code, reason, node, told):
    done = epilog(tools, tmp_path, code=code, reason=reason, node=node)
    assert done.returncode == 0
    report = tmp_path / "x y.out.logrules.txt"
    assert report.exists() is told
    if told:
        assert "GPU ran out of memory" in report.read_text().splitlines()[0]
        assert "job=7" in (tmp_path / "syslog").read_text()
        assert report.stat().st_mode & 0o077 == 0


def test_the_epilog_never_drains_a_node(tools, tmp_path):
    program(tools / "scontrol", "exit 1")
    assert ran(CONTRIB / "slurm/logrules-epilog", cwd=tmp_path).returncode == 0
    assert ran(CONTRIB / "slurm/logrules-epilog", cwd=tmp_path, SLURM_JOB_ID="1", SLURM_JOB_USER="x").returncode == 0


# Workflows.


def test_the_exit_handler_prints_keeps_and_posts(tools, tmp_path):
    if shutil.which("curl") is None:
        pytest.skip("no curl")
    posted: list[object] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self):
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *words):
            pass

    server = HTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        (tmp_path / 'a"b.log').write_text(f"{OOM}\n")
        called = tmp_path / "<!here>\n.log"
        called.write_text("Traceback (most recent call last):\nValueError: no <!channel> & @all\n")
        handler = CONTRIB / "exit-handler/logrules-on-exit"
        address = f"http://127.0.0.1:{server.server_port}/"
        ran(handler, called.name, address, cwd=tmp_path)
        done = ran(handler, 'a"b.log', address, cwd=tmp_path)
    finally:
        server.shutdown()
        server.server_close()
    assert (done.returncode, done.stderr) == (0, "")
    assert "GPU ran out of memory" in done.stdout
    assert json.loads((tmp_path / "report.json").read_text())["diagnoses"][0]["cause"] == "cuda-oom"
    first, last = (one["text"] for one in posted)
    assert last.startswith('a"b.log: FAILED')
    # Chats read these as calls to everybody.
    assert first.startswith("&lt;!here&gt;.log: FAILED")
    assert "no &lt;!channel&gt; &amp; @\u200ball" in first


def test_the_exit_handler_fails_nothing(tools, tmp_path):
    handler = CONTRIB / "exit-handler/logrules-on-exit"
    done = ran(handler, "nowhere.log", cwd=tmp_path)
    assert done.returncode == 0
    assert "nowhere.log could not be read" in done.stderr
    assert ran(handler, cwd=tmp_path).returncode == 2


def test_the_airflow_callback_prints_why(tools, tmp_path):
    shutil.copy(CONTRIB / "exit-handler/logrules-on-exit", tools)
    (tmp_path / "x.log").write_text(f"{OOM}\n")
    code = "from airflow_callback import say_why; say_why({'params': {'log': 'x.log'}}); say_why({'params': {}})"
    done = ran(sys.executable, "-c", code, cwd=tmp_path, PYTHONPATH=f"{CONTRIB / 'exit-handler'}:{CONTRIB.parent}")
    assert done.returncode == 0
    assert "GPU ran out of memory" in done.stdout
    assert "no diagnosis (KeyError)" in done.stdout


# Kubernetes, systemd, GitHub.


@pytest.mark.parametrize("path", sorted((CONTRIB / "kubernetes").glob("*.yaml")), ids=lambda path: path.name)
def test_kubernetes_files_fit_the_schemas_of_the_api(path):
    validate = pytest.importorskip("kubernetes_validate")
    documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
    for document in documents:
        validate.validate(document, validate.latest_version(), strict=True)
    assert documents


def test_systemd_takes_the_unit(tmp_path):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("no systemd-analyze")
    unit = tmp_path / "logrules-watch@run42.service"
    text = (CONTRIB / "systemd/logrules-watch@.service").read_text()
    unit.write_text(text.replace("/opt/logrules/bin/logrules", "/bin/true"))
    done = ran(analyze, "verify", unit, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_action_gives_inputs_to_scripts_as_variables():
    action = yaml.safe_load((CONTRIB / "github-action/action.yml").read_text(encoding="utf-8"))
    scripts = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    assert action["runs"]["using"] == "composite"
    assert scripts
    assert not any("${{" in script for script in scripts)


@pytest.mark.integration
def test_the_steps_of_the_action_run_on_a_pack(tools, tmp_path):
    (tmp_path / "my rules/acme").mkdir(parents=True)
    (tmp_path / "my rules/acme/one.yaml").write_text(RULE, encoding="utf-8")
    (tmp_path / "my-rules").symlink_to(tmp_path / "my rules")
    action = yaml.safe_load((CONTRIB / "github-action/action.yml").read_text(encoding="utf-8"))
    for step in action["runs"]["steps"]:
        if step.get("name") in {"Format", "Check", "Test"}:
            done = ran("bash", "-e", "-c", step["run"], cwd=tmp_path, PACKS="my-rules")
            assert (step["name"], done.returncode, done.stdout[-2000:] if done.returncode else "") == (
                step["name"],
                0,
                "",
            )


# The commands that contrib shows are commands that there are.


def _shown() -> list[tuple[str, str]]:
    found = []
    for path in sorted(CONTRIB.rglob("*")):
        if path.suffix in {".yaml", ".yml", ".service", ""} and path.is_file():
            found += [
                (path.name, verb)
                for verb in re.findall(r"(?:^|bin/)logrules ([a-z]+) ", path.read_text(), re.MULTILINE)
            ]
    return found


@pytest.mark.parametrize(("where", "verb"), sorted(set(_shown())))
def test_verbs_in_contrib_exist(where, verb):
    from logrules.cli.extension import installed_verbs
    from logrules.cli.main import VERBS

    assert verb in {*VERBS, *installed_verbs()}, where
