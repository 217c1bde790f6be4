"""Packages: importable, of versions that their own requirements allow, and of one mind with the driver."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from logrules.model.report import Text
from logrules.notify.command_output import CommandOutput
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
        yield failed(f"logrules cannot scan logs: {fault}", f"logrules 无法扫描日志：{fault}")
        return
    yield ok(f"logrules scans logs with {name}", f"logrules 使用 {name} 扫描日志")


def check_versions(machine: Machine) -> Iterator[DoctorFinding]:
    """What is installed, and whether it suits what needs it."""
    python = machine.asked.python
    said = machine.ask(python, "-c", _VERSIONS, *PACKAGES)
    answer = _json(said)
    if answer is None:
        yield unknown(
            f"{python} did not tell its packages in time"
            if said.hung
            else f"{python} could not be asked for its packages",
            f"无法从 {python} 得到软件包信息",
        )
        return
    found = answer["found"]
    shown = ", ".join(f"{name} {version}" for name, version in found.items()) or "none of the frameworks"
    yield ok(f"Python {answer['python']}: {shown}", f"Python {answer['python']}：{shown}")
    for package, wanted, has in answer["broken"]:
        yield failed(
            f"{package} needs {wanted}, but {has or 'nothing of the kind'} is installed",
            f"{package} 需要 {wanted}，但已安装的是 {has or '无'}",
            Text(f'{python} -m pip install "{wanted}"'),
        )


def check_imports(machine: Machine) -> Iterator[DoctorFinding]:
    """Whether each installed framework can be imported; a broken build shows only then."""
    python = machine.asked.python
    answer = _json(machine.ask(python, "-c", _VERSIONS, *PACKAGES)) or {}
    names = [name for name in answer.get("found", {}) if name != "torch"]
    if not names:
        yield unknown("no framework to import", "没有可导入的框架")
        return
    # A hanging import costs the others nothing.
    with ThreadPoolExecutor(len(names)) as pool:
        said_of = pool.map(lambda name: machine.ask(python, "-c", _IMPORT, name), names)
        yield from (_imported(name, one.text, machine) for name, one in zip(names, said_of, strict=True))


def _imported(name: str, text: str, machine: Machine) -> DoctorFinding:
    line = next((line for line in reversed(text.splitlines()) if line.startswith(f"{name} ")), "")
    if line == f"{name} ok":
        return ok(f"{name} can be imported", f"{name} 可以导入")
    if not line:
        return unknown(
            f"importing {name} did not end within {machine.limit_s:g} s",
            f"导入 {name} 未在 {machine.limit_s:g} 秒内完成",
        )
    return failed(
        f"{name} cannot be imported: {line.removeprefix(name).strip()}",
        f"{name} 无法导入：{line.removeprefix(name).strip()}",
    )


def check_cuda(machine: Machine) -> Iterator[DoctorFinding]:
    """Whether PyTorch's CUDA suits the driver, and PyTorch sees the GPUs."""
    said = machine.ask(machine.asked.python, "-c", _TORCH)
    torch = _json(said)
    if torch is None:
        if "No module named 'torch'" in said.text:
            yield unknown("PyTorch is not installed", "未安装 PyTorch")
        elif said.hung:
            yield unknown(
                f"importing torch did not end within {machine.limit_s:g} s",
                f"导入 torch 未在 {machine.limit_s:g} 秒内完成",
            )
        else:
            last = ([line for line in said.text.splitlines() if line.strip()] or ["no reason given"])[-1]
            yield unknown(f"PyTorch could not be asked: {last}", f"无法查询 PyTorch：{last}")
        return
    gpus, _ = gpus_of(machine)
    if not torch["cuda"]:
        said_so = failed if gpus else ok
        yield said_so(f"PyTorch {torch['version']} is built without CUDA", f"PyTorch {torch['version']} 不带 CUDA")
        return
    yield from _agreed(torch["cuda"], [gpu.driver for gpu in gpus])
    if torch["available"]:
        yield ok(
            f"PyTorch {torch['version']} with CUDA {torch['cuda']} and NCCL {torch['nccl']} sees {torch['count']} GPUs",
            f"PyTorch {torch['version']}（CUDA {torch['cuda']}，NCCL {torch['nccl']}）可见 {torch['count']} 个 GPU",
        )
    elif gpus:
        yield failed(
            f"PyTorch {torch['version']} with CUDA {torch['cuda']} sees no GPU, nvidia-smi {len(gpus)}",
            f"PyTorch {torch['version']}（CUDA {torch['cuda']}）看不到 GPU，而 nvidia-smi 有 {len(gpus)} 个",
        )


def _agreed(cuda: str, drivers: list[str]) -> Iterator[DoctorFinding]:
    major = cuda.partition(".")[0]
    oldest = OLDEST_DRIVER.get(int(major)) if major.isdigit() else None
    for driver in sorted(set(drivers)):
        branch = driver.split(".")[0]
        if oldest and branch.isdigit() and int(branch) < oldest:
            yield failed(
                f"driver {driver} is too old for CUDA {cuda}, which needs {oldest} or newer",
                f"驱动 {driver} 对 CUDA {cuda} 过旧，至少需要 {oldest}",
                Text(
                    "Update the driver, or install a PyTorch that is built for an older CUDA",
                    "升级驱动，或安装基于更旧 CUDA 的 PyTorch",
                ),
            )
    if len(set(drivers)) > 1:
        yield warning(
            f"several driver versions at once: {', '.join(sorted(set(drivers)))}",
            f"同时存在多个驱动版本：{', '.join(sorted(set(drivers)))}",
        )


def _json(said: CommandOutput) -> dict[str, Any] | None:
    """The document that a program printed last; None where it failed or printed none."""
    for line in reversed(said.text.splitlines() if said.fine else ()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        return found if isinstance(found, dict) else None
    return None
