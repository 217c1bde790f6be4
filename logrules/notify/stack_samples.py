"""Stacks of all processes of a job, sampled some times over, here and on other hosts."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import sleep

from logrules.model.record import field, mutable_record
from logrules.notify.command_output import CommandOutput, output_of
from logrules.notify.job_processes import Process
from logrules.notify.remote_stacks import RAY, mark_of, ray_command, remote_stacks, ssh_command
from logrules.notify.stack_dump import ProcessStack, stacks_of

# A host has many processes to go through.
_REMOTE_LIMIT_S = 60.0
# Frames of C and C++ say in which call of the system a process waits; not every platform has them.
_ASIDE = ("--nonblocking",)
_FORMS = (("--native",), (), _ASIDE)


@mutable_record
class StackSamples:
    """What was sampled of each process, and why of some nothing was."""

    rounds: list[list[ProcessStack]] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StackSampler:
    """Whom and how to ask; each command has ``limit_s``."""

    pool: ThreadPoolExecutor
    processes: Sequence[Process]
    hosts: Sequence[str]
    env: Mapping[str, str]
    limit_s: float

    def sampled(self, rounds: int, between_s: float) -> StackSamples:
        """The stacks of all processes, some times over."""
        found = StackSamples()
        commands = self._far_commands(found.failed)
        form = self._form()
        for number in range(rounds):
            if number:
                sleep(between_s)
            far = [
                (host, self.pool.submit(output_of, command, _REMOTE_LIMIT_S, self.env))
                for host, command in commands.items()
            ]
            stacks = self._stacks(form, found.failed)
            for host, one in far:
                said = one.result()
                stacks += remote_stacks(host, said.text)
                if not said.fine:
                    way = host if host == RAY else f"ssh {host}"
                    found.failed[way] = why_not(RAY if host == RAY else "ssh", said, _REMOTE_LIMIT_S)
            found.rounds.append(stacks)
            if not stacks:
                break
        return found

    def _far_commands(self, failed: dict[str, str]) -> dict[str, tuple[str, ...]]:
        """What asks each host."""
        commands: dict[str, tuple[str, ...]] = {}
        by_ssh = [host for host in self.hosts if host != RAY]
        mark = mark_of([process.environment for process in self.processes]) if by_ssh else None
        if by_ssh and mark is None:
            failed["ssh"] = "the job's processes bear no mark by which other hosts know them (SLURM_JOB_ID …)"
        if mark is not None:
            commands |= {host: ssh_command(host, mark) for host in by_ssh}
        if RAY in self.hosts:
            commands[RAY] = ray_command([process.pid for process in self.processes])
        return commands

    def _form(self) -> tuple[str, ...]:
        """The options with which py-spy can look here: the first that works for one process works for all."""
        pid = next((one.pid for one in self.processes if not one.stopped), None)
        for form in _FORMS[:-1] if pid is not None else ():
            said = self._dump(form, pid or 0)
            if said.fine and stacks_of("-", said.text):
                return form
            if said.missing:
                break
        return _FORMS[-1]

    def _dump(self, form: tuple[str, ...], pid: int) -> CommandOutput:
        return output_of(("py-spy", "dump", "--json", *form, "--pid", str(pid)), self.limit_s, self.env)

    def _stacks(self, form: tuple[str, ...], failed: dict[str, str]) -> list[ProcessStack]:
        # What is suspended cannot be suspended by us to look at it.
        dumps = self.pool.map(lambda one: self._dump(_ASIDE if one.stopped else form, one.pid), self.processes)
        stacks: list[ProcessStack] = []
        for process, said in zip(self.processes, dumps, strict=True):
            found = stacks_of(process.label, said.text) if said.fine else []
            stacks += found
            if not found:
                failed[f"py-spy {process.pid}"] = why_not("py-spy", said, self.limit_s)
        return stacks


def why_not(shown: str, said: CommandOutput, limit_s: float) -> str:
    """Why a command said nothing that can be used, and what to do about it, in a sentence."""
    if said.missing:
        install = ": pip install 'logrules[inspect]'" if shown == "py-spy" else ""
        return f"{shown}: not installed{install}"
    if said.hung:
        return f"{shown}: no answer within {limit_s:g} s, it hangs as well"
    # Below its reason a command may print where in itself it failed.
    text = " ".join(next((line for line in said.text.splitlines() if line.strip()), "").split())[:300]
    denied = "permission denied" in said.text.lower() or "not permitted" in said.text
    allow = " (run logrules as root, or set kernel.yama.ptrace_scope to 0)" if denied and shown == "py-spy" else ""
    return f"{shown}: failed (status {said.status}) {text}{allow}".rstrip()
