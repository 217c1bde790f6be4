"""Checks of the machine: what they say of fakes on PATH, and that one that hangs holds up nothing."""

import ast
import errno
import json
import os
import socket
import stat
import sys
from functools import partial
from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.model.report import Text
from logrules.ruleset.load import load_pack
from logrules.tools.doctor import doctor_finding
from logrules.tools.doctor.doctor import CHECKS, Check, examine
from logrules.tools.doctor.doctor_finding import CheckOutcome, ok, words
from logrules.tools.doctor.environment import check_environment
from logrules.tools.doctor.gpus import Gpu, check_gpus, check_leftovers, visible
from logrules.tools.doctor.limits import check_data, check_disk, check_memory_limit, check_shared_memory
from logrules.tools.doctor.machine import Asked, Machine
from logrules.tools.doctor.network import check_hub, check_interfaces, check_master_port, matching
from logrules.tools.doctor.software import check_cuda, check_imports, check_versions

POSIX = pytest.mark.skipif(os.name != "posix", reason="the fakes are shell scripts")
NOTHING_ASKED = Asked()
TWO_GPUS = "0, GPU-aa, Fake 80G, 81920, 10, 535.54.03\\n1, GPU-bb, Fake 80G, 81920, 70000, 535.54.03"


@pytest.fixture
def fakes(tmp_path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def fake(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def machine(folder: Path, asked: Asked = NOTHING_ASKED, limit_s: float = 5.0, **env: str) -> Machine:
    return Machine({"PATH": f"{folder}:/usr/bin:/bin", **env}, asked, limit_s=limit_s)


def told(findings) -> list[tuple[str, str]]:
    return [(finding.outcome.value, finding.said.en) for finding in findings]


@POSIX
def test_enough_gpus_and_one_that_is_busy(fakes):
    fake(fakes, "nvidia-smi", f"printf '{TWO_GPUS}\\n'")
    found = told(check_gpus(machine(fakes, Asked(gpus=2))))
    assert found == [
        ("ok", "2 of 2 GPUs visible (Fake 80G)"),
        ("warning", "GPU 1 has 70000 of 81920 MB in use already"),
    ]


@POSIX
@pytest.mark.parametrize(
    ("mask", "gpus", "expected"),
    [
        ("0", 2, "1 of 2 GPUs visible, 2 asked for"),
        ("0,5", 1, "CUDA_VISIBLE_DEVICES=0,5 names a GPU that is not there; CUDA ignores it and all behind it"),
    ],
)
def test_a_mask_that_hides_gpus(fakes, mask, gpus, expected):
    fake(fakes, "nvidia-smi", f"printf '{TWO_GPUS}\\n'")
    assert ("failed", expected) in told(check_gpus(machine(fakes, Asked(gpus=gpus), CUDA_VISIBLE_DEVICES=mask)))


def test_a_mask_ends_at_the_first_unknown_device_as_in_cuda():
    gpus = [Gpu(index, f"GPU-{index}", "x", 1, 1, "1") for index in range(3)]
    assert [gpu.index for gpu in visible(gpus, "2,0,7,1")] == [2, 0]
    assert [gpu.index for gpu in visible(gpus, "GPU-1")] == [1]
    assert visible(gpus, "") == []
    assert visible(gpus, None) == gpus


@POSIX
def test_without_a_gpu_it_says_what_it_could_not_check(tmp_path):
    bare = Machine({"PATH": str(tmp_path)})
    assert [finding.outcome for finding in check_gpus(bare)] == [CheckOutcome.UNKNOWN]
    assert [finding.outcome for finding in check_gpus(Machine({"PATH": str(tmp_path)}, Asked(gpus=1)))] == [
        CheckOutcome.FAILED
    ]


@POSIX
def test_a_hanging_driver_is_itself_the_finding(fakes):
    fake(fakes, "nvidia-smi", "sleep 60")
    found = told(check_gpus(machine(fakes, limit_s=0.2)))
    assert found == [("failed", "nvidia-smi did not answer within 0.2 s: the driver or a GPU hangs")]


@POSIX
def test_processes_that_hold_gpus(fakes):
    fake(fakes, "nvidia-smi", "echo '4711, python, 60000'")
    assert told(check_leftovers(machine(fakes))) == [("warning", "process 4711 (python) holds 60000 MB of a GPU")]


@POSIX
def test_an_old_driver_for_a_new_cuda(fakes):
    fake(fakes, "nvidia-smi", "echo '0, GPU-a, Fake, 100, 1, 470.82.01'")
    answer = json.dumps({"version": "2.6.0+cu124", "cuda": "12.4", "available": False, "count": 0, "nccl": "2.21.5"})
    fake(fakes, "python", f"echo '{answer}'")
    found = told(check_cuda(machine(fakes)))
    assert ("failed", "driver 470.82.01 is too old for CUDA 12.4, which needs 525 or newer") in found
    assert ("failed", "PyTorch 2.6.0+cu124 with CUDA 12.4 sees no GPU, nvidia-smi 1") in found


def test_versions_are_read_from_the_python_that_is_named():
    asked = Asked(python=sys.executable)
    found = list(check_versions(Machine(os.environ, asked, limit_s=30)))
    assert found[0].outcome is CheckOutcome.OK
    assert "Python 3." in found[0].said.en


@POSIX
def test_a_requirement_that_is_not_met(fakes):
    answer = {"found": {"vllm": "0.8.0"}, "broken": [["vllm", "torch==2.6.0", "2.5.1"]], "python": "3.11.7"}
    fake(fakes, "python", f"echo '{json.dumps(answer)}'")
    assert ("failed", "vllm needs torch==2.6.0, but 2.5.1 is installed") in told(check_versions(machine(fakes)))


@POSIX
def test_a_framework_that_cannot_be_imported(fakes):
    listing = json.dumps({"found": {"vllm": "0.8.0", "ray": "2.40"}, "broken": [], "python": "3.11.7"})
    fake(
        fakes,
        "python",
        f"case \"$*\" in *importlib.metadata*) echo '{listing}';; *vllm) echo 'vllm ImportError libcudart.so.12';; *) echo ray ok;; esac",
    )
    found = told(check_imports(machine(fakes)))
    assert found == [("failed", "vllm cannot be imported: ImportError libcudart.so.12"), ("ok", "ray can be imported")]


def test_a_port_that_is_taken():
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        found = list(check_master_port(Machine({"MASTER_PORT": port})))
    assert found[0].outcome is CheckOutcome.FAILED
    assert f"port {port} cannot be taken" in found[0].said.en


@pytest.mark.parametrize(
    ("env", "outcome"),
    [
        ({"MASTER_PORT": "seventy"}, CheckOutcome.FAILED),
        ({"MASTER_PORT": "0"}, CheckOutcome.FAILED),
        ({"MASTER_ADDR": "no-such-host.invalid", "MASTER_PORT": "x"}, CheckOutcome.FAILED),
    ],
)
def test_an_address_that_is_none(env, outcome):
    assert next(check_master_port(Machine(env))).outcome is outcome


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("eth", ["eth0", "eth1"]),
        ("=eth", []),
        ("=eth1", ["eth1"]),
        ("^lo,docker", ["eth0", "eth1", "ib0"]),
        ("^=eth0", ["docker0", "eth1", "ib0", "lo"]),
        ("ib,lo", ["ib0", "lo"]),
        ("bond", []),
    ],
)
def test_interfaces_as_nccl_reads_them(spec, expected):
    assert matching(spec, ["docker0", "eth0", "eth1", "ib0", "lo"]) == expected


def test_an_interface_that_this_host_has_not():
    found = list(check_interfaces(Machine({"NCCL_SOCKET_IFNAME": "nosuch9"})))
    assert [finding.outcome for finding in found] == [CheckOutcome.FAILED]


@pytest.mark.parametrize(
    ("env", "outcome"),
    [
        ({"HF_HUB_OFFLINE": "1"}, CheckOutcome.OK),
        ({"HF_ENDPOINT": "http://no-such-host.invalid"}, CheckOutcome.WARNING),
        ({"HTTPS_PROXY": "http://me:secret@proxy:3128"}, CheckOutcome.UNKNOWN),
        ({"HF_ENDPOINT": "http://[bad"}, CheckOutcome.WARNING),
    ],
)
def test_the_hub(env, outcome):
    found = list(check_hub(Machine(env)))
    assert [finding.outcome for finding in found] == [outcome]
    assert "secret" not in found[0].said.en


@pytest.mark.parametrize(
    ("env", "outcome", "words"),
    [
        ({"NCCL_TIMEOUT": "1800"}, "warning", "NCCL_TIMEOUT does nothing"),
        ({"NCCL_ASYNC_ERROR_HANDLING": "1"}, "warning", "old name of TORCH_NCCL_ASYNC_ERROR_HANDLING"),
        ({"RANK": "0"}, "failed", "WORLD_SIZE is not"),
        ({"RANK": "8", "WORLD_SIZE": "8", "MASTER_ADDR": "a"}, "failed", "RANK=8 is beyond WORLD_SIZE=8"),
        ({"WORLD_SIZE": "16", "RANK": "0"}, "failed", "MASTER_ADDR is not set"),
        ({"NNODES": "2", "MASTER_ADDR": "localhost"}, "failed", "is each node's own"),
        ({"CUDA_VISIBLE_DEVICES": ""}, "warning", "no GPU can be seen"),
        ({"NCCL_DEBUG_SUBSYS": "INIT"}, "warning", "without NCCL_DEBUG=INFO"),
        ({"NCCL_IB_DISABLE": "1", "NCCL_IB_HCA": "mlx5"}, "warning", "idle"),
        ({"CUDA_LAUNCH_BLOCKING": "1"}, "warning", "debugging only"),
        ({"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT"}, "ok", "no variable contradicts"),
    ],
)
def test_variables_that_surprise(env, outcome, words):
    found = told(check_environment(Machine(env)))
    assert any(got == outcome and words in said for got, said in found)


def test_the_memory_limit_of_a_container(tmp_path):
    folder = tmp_path / "sys/fs/cgroup"
    folder.mkdir(parents=True)
    (folder / "memory.max").write_text(f"{8 << 30}\n")
    (folder / "memory.current").write_text(f"{int(7.9 * (1 << 30))}\n")
    found = told(check_memory_limit(Machine({}, root=tmp_path)))
    assert found == [("warning", "the cgroup's memory limit is 8.0 GiB, 7.9 GiB in use")]


def test_what_cannot_be_read_is_unknown_not_fine(tmp_path):
    assert [one.outcome for one in check_memory_limit(Machine({}, root=tmp_path))] == [CheckOutcome.UNKNOWN]
    assert [one.outcome for one in check_shared_memory(Machine({}, root=tmp_path))] == [CheckOutcome.UNKNOWN]


def test_data_that_is_there_missing_or_empty(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").write_text("x")
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")
    asked = Asked(data=tuple(str(tmp_path / name) for name in ("full", "empty", "none", "pipe")))
    assert [one.outcome.value for one in check_data(Machine({}, asked))] == ["ok", "failed", "failed", "failed"]


def test_room_is_looked_for_where_the_run_will_write(tmp_path):
    found = told(check_disk(Machine({"HOME": str(tmp_path)}, Asked(output=str(tmp_path / "not/yet/there")))))
    assert "not/yet/there has" in found[0][1]


def test_every_check_that_a_cause_names_exists():
    named = {check for cause in load_pack().tables.causes for check in cause.checks}
    assert named
    assert named <= {check.id for check in CHECKS}


def test_every_sentence_is_there_in_both_languages_and_is_said():
    modules = Path(doctor_finding.__file__).parent.glob("*.py")
    nodes = [node for path in modules for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    said = {node.value for node in nodes if isinstance(node, ast.Constant) and node.value in words()}
    assert said == words().keys()
    for key, row in words().items():
        assert row["en"], key
        assert row["zh"], key
        assert row.get("do", {}).keys() <= {"en", "zh"}, key


def test_a_check_that_breaks_or_hangs_does_not_take_the_others_along():
    import threading

    def broken(_machine):
        raise ValueError("no")

    def hanging(_machine):
        threading.Event().wait(20)
        yield ok("gpus-free")

    checks = [
        Check("broken", Text("a"), broken),
        Check("hanging", Text("b"), hanging),
        Check("fine", Text("c"), lambda _machine: iter([ok("gpus-free")])),
    ]
    answers = examine(Machine({}), checks, limit_s=0.3)
    assert [answer.outcome.value for answer in answers] == ["unknown", "unknown", "ok"]
    assert "ValueError" in answers[0].findings[0].said.en
    assert "no answer within" in answers[1].findings[0].said.en


def test_what_a_broken_check_cannot_even_be_said_with_is_no_wait(monkeypatch):
    def broken(*_given, **_more):
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr("logrules.tools.doctor.doctor.unknown", broken)
    with pytest.raises(OSError, match="too many open files"):
        examine(Machine({}), [Check("broken", Text("a"), broken)], limit_s=600)


@POSIX
def test_the_command_with_every_probe_hanging(fakes, tmp_path, monkeypatch, capsys):
    for name in ("nvidia-smi", "python", "python3", "ray"):
        fake(fakes, name, "sleep 600 & wait")
    monkeypatch.setenv("PATH", f"{fakes}:/usr/bin:/bin")
    monkeypatch.setattr("logrules.tools.doctor.machine.Machine", partial(Machine, limit_s=1.0))
    status = main(["doctor", "--format", "json", "--only", "gpus,leftovers,cuda,versions,imports,shm"])
    said = capsys.readouterr()
    checks = {one["check"]: one["outcome"] for one in json.loads(said.out)["checks"]}
    assert checks["gpus"] == "failed"
    assert checks["versions"] == "unknown"
    assert checks["shm"] in {"ok", "failed"}
    assert status == 1
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--only", "nosuch"], "no check is called `nosuch`"),
        (["--only", ""], "--only names no check; there are gpus, "),
        (["--actor-gpus", "6", "--rollout-gpus", "6", "--total-gpus", "8"], "come to 12, more than --total-gpus 8"),
    ],
)
def test_a_mistake_of_the_user_is_one_sentence(capsys, arguments, sentence):
    assert main(["doctor", *arguments]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("check", [check_versions, check_imports, check_cuda])
def test_a_module_in_the_working_directory_is_not_run(tmp_path, monkeypatch, check):
    """The folder may be a stranger's, unpacked to read its logs."""
    for module in ("importlib", "json", "torch"):
        (tmp_path / f"{module}.py").write_text("open('was-run', 'w')\n")
    monkeypatch.chdir(tmp_path)
    assert told(check(Machine(os.environ, Asked(python=sys.executable))))
    assert not Path("was-run").exists()
