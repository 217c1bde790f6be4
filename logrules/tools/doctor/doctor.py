"""All checks, run at once and each within its time, since one may hang; and their answers, for people and machines."""

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO, TypeAlias

from rich.text import Text as Line

from logrules.model.report import Text
from logrules.output.escape import safe
from logrules.output.json_kinds import write_json
from logrules.output.styled import Color, console_on
from logrules.tools.doctor.doctor_finding import CheckOutcome, DoctorFinding, unknown
from logrules.tools.doctor.environment import check_environment
from logrules.tools.doctor.gpus import check_gpus, check_leftovers
from logrules.tools.doctor.limits import (
    check_data,
    check_disk,
    check_memory_limit,
    check_open_files,
    check_shared_memory,
)
from logrules.tools.doctor.machine import Machine
from logrules.tools.doctor.network import check_hub, check_interfaces, check_master_port
from logrules.tools.doctor.software import check_cuda, check_imports, check_scanner, check_versions

# Beyond this no answer is waited for. Commands have less (machine.COMMAND_LIMIT_S).
EXAMINATION_LIMIT_S = 8.0
SCHEMA = "logrules.doctor/1"
_MARK = {
    CheckOutcome.OK: ("ok  ", "green"),
    CheckOutcome.WARNING: ("warn", "yellow"),
    CheckOutcome.FAILED: ("FAIL", "bold red"),
    CheckOutcome.UNKNOWN: ("?   ", "dim"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """A question to the machine. Causes name the checks that confirm them in rules/causes.yaml."""

    id: str
    title: Text
    run: Callable[[Machine], Iterator[DoctorFinding]]


CHECKS = (
    Check("gpus", Text("GPUs", "GPU"), check_gpus),
    Check("leftovers", Text("processes on the GPUs", "GPU 上的进程"), check_leftovers),
    Check("cuda", Text("driver, CUDA and PyTorch", "驱动、CUDA 与 PyTorch"), check_cuda),
    Check("versions", Text("package versions", "软件包版本"), check_versions),
    Check("imports", Text("imports", "导入"), check_imports),
    Check("port", Text("master's address and port", "主节点地址与端口"), check_master_port),
    Check("interfaces", Text("network interfaces", "网卡"), check_interfaces),
    Check("shm", Text("shared memory", "共享内存"), check_shared_memory),
    Check("disk", Text("disk space and inodes", "磁盘与 inode"), check_disk),
    Check("files", Text("open files", "打开文件数"), check_open_files),
    Check("memory", Text("memory limit", "内存上限"), check_memory_limit),
    Check("hub", Text("Hugging Face Hub", "Hugging Face Hub"), check_hub),
    Check("data", Text("data", "数据"), check_data),
    Check("environment", Text("environment variables", "环境变量"), check_environment),
    Check("scanner", Text("logrules itself", "logrules 自身"), check_scanner),
)


_Said: TypeAlias = tuple[int, tuple[DoctorFinding, ...] | Exception]


@dataclass(frozen=True, slots=True)
class Answer:
    """A check and what it found."""

    check: Check
    findings: tuple[DoctorFinding, ...]

    @property
    def outcome(self) -> CheckOutcome:
        """The worst of its findings; ``unknown`` only where nothing else was found."""
        for outcome in (CheckOutcome.FAILED, CheckOutcome.WARNING, CheckOutcome.OK):
            if any(finding.outcome is outcome for finding in self.findings):
                return outcome
        return CheckOutcome.UNKNOWN


def examine(machine: Machine, checks: Sequence[Check] = CHECKS, limit_s: float = EXAMINATION_LIMIT_S) -> list[Answer]:
    """The answers of all checks, in their order, after at most ``limit_s``."""
    answers: queue.SimpleQueue[_Said | None] = queue.SimpleQueue()
    # Daemons: a thread that the kernel holds (a dead NFS mount) must not hold the end of the program.
    for number, check in enumerate(checks):
        threading.Thread(target=_answer, args=(check, machine, number, answers), daemon=True).start()
    found: dict[int, tuple[DoctorFinding, ...]] = {}
    timer = threading.Timer(limit_s, answers.put, [None])
    timer.daemon = True
    timer.start()
    while len(found) < len(checks) and (answer := answers.get()) is not None:
        number, said = answer
        found[number] = (_broken(said),) if isinstance(said, Exception) else said
    timer.cancel()
    late = (unknown("late", limit_s=limit_s),)
    return [Answer(check, found.get(number, late)) for number, check in enumerate(checks)]


def _answer(check: Check, machine: Machine, number: int, answers: "queue.SimpleQueue[_Said | None]") -> None:
    try:
        answers.put((number, tuple(check.run(machine))))
    except Exception as fault:  # noqa: BLE001 (one broken check must not take the others along)
        answers.put((number, fault))


def _broken(fault: Exception) -> DoctorFinding:
    return unknown("broken-check", fault=f"{type(fault).__name__}: {fault}")


def render_answers(answers: Sequence[Answer], out: TextIO, language: str, color: str = Color.AUTO) -> None:
    """Write the answers for people; what should be done stands under what was found."""
    console = console_on(out, color)
    for answer in answers:
        for finding in answer.findings:
            mark, style = _MARK[finding.outcome]
            said = safe(finding.said.of(language))
            console.print(Line.assemble((mark, style), f"  {answer.check.title.of(language)}: {said}"), soft_wrap=True)
            if finding.instead.en:
                console.print(Line(f"      → {safe(finding.instead.of(language))}"), soft_wrap=True)


def render_answers_json(answers: Sequence[Answer], out: TextIO, language: str) -> None:
    """Write the answers as one JSON document."""
    checks = [
        {
            "check": answer.check.id,
            "outcome": answer.outcome.value,
            "findings": [_finding(finding, language) for finding in answer.findings],
        }
        for answer in answers
    ]
    write_json({"schema": SCHEMA, "checks": checks}, out)


def _finding(finding: DoctorFinding, language: str) -> dict[str, str]:
    shown = {"outcome": finding.outcome.value, "said": safe(finding.said.of(language))}
    return {**shown, "instead": safe(finding.instead.of(language))} if finding.instead.en else shown
