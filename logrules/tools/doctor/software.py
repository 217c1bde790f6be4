"""Packages: importable, of versions that their own requirements allow, and of one mind with the driver."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from logrules.tools.command_output import CommandOutput
from logrules.tools.doctor.doctor_finding import DoctorFinding, failed, ok, unknown, warning
from logrules.tools.doctor.gpus import gpus_of
from logrules.tools.doctor.machine import Machine

PACKAGES = (
    "torch",
    "ray",
    "vllm",
    "sglang",
    "deepspeed",
    "transformers",
    "datasets",
    "accelerate",
    "flash_attn",
    "triton",
)
# The oldest driver branch of each CUDA major version, by the compatibility table of the CUDA release notes.
# https://docs.nvidia.com/deploy/cuda-compatibility/
OLDEST_DRIVER = {11: 450, 12: 525, 13: 580}

# Runs in the job's own Python: versions, and requirements that are not met. Imports nothing of theirs.
_VERSIONS = """
import importlib.metadata as m, json, sys
try:
    from packaging.requirements import Requirement
except ImportError:
    from pip._vendor.packaging.requirements import Requirement
found, broken = {}, []
for name in sys.argv[1:]:
    try:
        one = m.distribution(name.replace("_", "-"))
    except m.PackageNotFoundError:
        continue
    found[name] = one.version
    for text in one.requires or []:
        wanted = Requirement(text)
        if wanted.marker and not wanted.marker.evaluate({"extra": ""}):
            continue
        try:
            has = m.version(wanted.name)
        except m.PackageNotFoundError:
            broken.append([name, text.split(";")[0].strip(), None])
            continue
        if not wanted.specifier.contains(has, prereleases=True):
            broken.append([name, text.split(";")[0].strip(), has])
print(json.dumps({"found": found, "broken": broken, "python": sys.version.split()[0]}))
"""
_TORCH = """
import json, torch
nccl = None
try:
    nccl = ".".join(map(str, torch.cuda.nccl.version()))
except Exception:
    pass
cuda = torch.cuda
told = {"version": torch.__version__, "cuda": torch.version.cuda, "nccl": nccl}
print(json.dumps({**told, "available": cuda.is_available(), "count": cuda.device_count()}))
"""

_IMPORT = """
import importlib, sys
name = sys.argv[1]
try:
    importlib.import_module(name)
    print(name, "ok")
except BaseException as fault:
    print(name, type(fault).__name__, str(fault).split(chr(10))[0])
"""


def check_scanner(_machine: Machine) -> Iterator[DoctorFinding]:
    """What logrules itself finds literals with: without Hyperscan, all works and big logs take longer."""
    from logrules.parsing.literal_matcher import matcher_of

    try:
        name = matcher_of([(b"x", 0, False)]).name
    except ImportError as fault:
        yield failed("scanner-missing", fault=fault)
        return
    yield ok("scanner", name=name)


def check_versions(machine: Machine) -> Iterator[DoctorFinding]:
    """What is installed, and whether it suits what needs it."""
    python = machine.asked.python
    said = machine.ask_python(_VERSIONS, *PACKAGES)
    answer = _json(said)
    if answer is None:
        yield unknown("versions-late" if said.hung else "versions-unknown", python=python)
        return
    found = answer["found"]
    shown = ", ".join(f"{name} {version}" for name, version in found.items())
    yield ok("versions" if shown else "versions-none", version=answer["python"], packages=shown)
    for package, wanted, has in answer["broken"]:
        key = "version-wrong" if has else "version-missing"
        yield failed(key, package=package, wanted=wanted, has=has, python=python)


def check_imports(machine: Machine) -> Iterator[DoctorFinding]:
    """Whether each installed framework can be imported; a broken build shows only then."""
    answer = _json(machine.ask_python(_VERSIONS, *PACKAGES)) or {}
    names = [name for name in answer.get("found", {}) if name != "torch"]
    if not names:
        yield unknown("nothing-to-import")
        return
    # A hanging import costs the others nothing.
    with ThreadPoolExecutor(len(names)) as pool:
        said_of = pool.map(lambda name: machine.ask_python(_IMPORT, name), names)
        yield from (_imported(name, one.text, machine) for name, one in zip(names, said_of, strict=True))


def _imported(name: str, text: str, machine: Machine) -> DoctorFinding:
    line = next((line for line in reversed(text.splitlines()) if line.startswith(f"{name} ")), "")
    if line == f"{name} ok":
        return ok("imported", name=name)
    if not line:
        return unknown("import-late", name=name, limit_s=machine.limit_s)
    return failed("import-failed", name=name, reason=line.removeprefix(name).strip())


def check_cuda(machine: Machine) -> Iterator[DoctorFinding]:
    """Whether PyTorch's CUDA suits the driver, and PyTorch sees the GPUs."""
    said = machine.ask_python(_TORCH)
    torch = _json(said)
    if torch is None:
        if "No module named 'torch'" in said.text:
            yield unknown("torch-missing")
        elif said.hung:
            yield unknown("import-late", name="torch", limit_s=machine.limit_s)
        else:
            last = ([line for line in said.text.splitlines() if line.strip()] or ["no reason given"])[-1]
            yield unknown("torch-unknown", reason=last)
        return
    gpus, _ = gpus_of(machine)
    if not torch["cuda"]:
        said_so = failed if gpus else ok
        yield said_so("torch-without-cuda", **torch)
        return
    yield from _agreed(torch["cuda"], [gpu.driver for gpu in gpus])
    if torch["available"]:
        yield ok("torch", **torch)
    elif gpus:
        yield failed("torch-sees-no-gpu", **torch, gpus=len(gpus))


def _agreed(cuda: str, drivers: list[str]) -> Iterator[DoctorFinding]:
    major = cuda.partition(".")[0]
    oldest = OLDEST_DRIVER.get(int(major)) if major.isdigit() else None
    for driver in sorted(set(drivers)):
        branch = driver.split(".")[0]
        if oldest and branch.isdigit() and int(branch) < oldest:
            yield failed("driver-old", driver=driver, cuda=cuda, oldest=oldest)
    if len(set(drivers)) > 1:
        yield warning("drivers-differ", drivers=", ".join(sorted(set(drivers))))


def _json(said: CommandOutput) -> dict[str, Any] | None:
    """The document that a program printed last; None where it failed or printed none."""
    for line in reversed(said.text.splitlines() if said.fine else ()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        return found if isinstance(found, dict) else None
    return None
