"""Stacks of all processes of a job, sampled some times over: here, by ssh on other hosts, on a Ray cluster's nodes."""

import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import sleep

from logrules.model.errors import LogrulesError
from logrules.model.event import as_rank
from logrules.model.record import field, mutable_record, record
from logrules.tools.command_output import CommandOutput, output_of
from logrules.tools.inspection.job_processes import MAX_PROCESSES, RANK_VARIABLES, Process
from logrules.tools.inspection.stack_dump import ProcessStack, stacks_of

# A host has many processes to go through.
_REMOTE_LIMIT_S = 60.0
# How py-spy can look. Frames of C and C++ say in which call of the system a process waits; not everybody has them.
NATIVE, PLAIN, _ASIDE = ("--native",), (), ("--nonblocking",)


@mutable_record
class StackSamples:
    """What was sampled of each process, and why of some nothing was."""

    rounds: list[list[ProcessStack]] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


@record
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
        for form in (NATIVE, PLAIN) if pid is not None else ():
            said = self._dump(form, pid or 0)
            if said.fine and stacks_of("-", said.text):
                return form
            if said.missing:
                break
        return _ASIDE

    def _dump(self, form: tuple[str, ...], pid: int) -> CommandOutput:
        return py_spy(form, pid, self.limit_s, self.env)

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


def py_spy(form: Sequence[str], pid: int, limit_s: float, env: Mapping[str, str]) -> CommandOutput:
    """What py-spy says of the stacks of a process, as JSON."""
    return output_of(("py-spy", "dump", "--json", *form, "--pid", str(pid)), limit_s, env)


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


# What a scheduler or launcher gives all processes of a job, and no other.
_JOB_KEYS = ("SLURM_JOB_ID", "TORCHELASTIC_RUN_ID", "PBS_JOBID", "LSB_JOBID", "MASTER_PORT")
_HOST = re.compile(r"[\w.@:%-]{1,255}")
_HEAD = "== logrules "
_NONE_YET = ("", "none")
# What stands for all nodes of a Ray cluster where hosts are named.
RAY = "ray"

_SCRIPT = """n=0; f=--native
for p in /proc/[0-9]*; do
  e=$(tr '\\0' '\\n' 2>/dev/null < "$p/environ") || continue
  printf '%s\\n' "$e" | grep -qxF -e {mark} || continue
  x=$(readlink "$p/exe" 2>/dev/null)
  case "${{x##*/}}" in *python*) ;; *) continue ;; esac
  n=$((n + 1)); [ $n -le {limit} ] || break
  for v in {ranks}; do
    r=$(printf '%s\\n' "$e" | sed -n "s/^$v=//p" | head -n 1)
    [ -z "$r" ] || break
  done
  echo "{head}${{p#/proc/}} $r"
  timeout 10 py-spy dump --json $f --pid "${{p#/proc/}}" 2>/dev/null && continue
  [ -z "$f" ] && continue
  # Not every host has a way to native frames.
  f=; timeout 10 py-spy dump --json --pid "${{p#/proc/}}" 2>/dev/null
done
true"""


def hosts_of(option: str) -> tuple[str, ...]:
    """The hosts of ``--inspect-hosts``, separated by commas. Raises LogrulesError for what is not a host name."""
    hosts = tuple(name.strip() for name in option.split(",") if name.strip())
    wrong = next((name for name in hosts if not _HOST.fullmatch(name) or name.startswith("-")), None)
    if wrong is not None or not hosts:
        raise LogrulesError(f"--inspect-hosts: {wrong or option!r} is not a host name")
    return hosts


def mark_of(environments: Sequence[Mapping[str, str]]) -> str | None:
    """The setting by which the job's processes are known on every host; None where they have none."""
    for key in _JOB_KEYS:
        for environment in environments:
            if (value := environment.get(key, "")) not in _NONE_YET:
                return f"{key}={value}"
    return None


def ssh_command(host: str, mark: str) -> tuple[str, ...]:
    """Asks a host for the stacks of the processes that bear the mark. It only looks."""
    ranks = " ".join(RANK_VARIABLES)
    script = _SCRIPT.format(mark=shlex.quote(mark), limit=MAX_PROCESSES, head=_HEAD, ranks=ranks)
    return ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "--", host, script)


def ray_command(known: Sequence[int]) -> tuple[str, ...]:
    """Asks all nodes of the Ray cluster for the stacks of its workers, but for those of ``known`` process ids."""
    return (sys.executable, "-P", "-m", "logrules.tools.inspection.ray_stacks", *map(str, known))


def told_of(pid: int, name: str, dump: str) -> str:
    """What a host says of a process that has a name instead of a rank."""
    return f"{_HEAD}{pid}  {' '.join(name.split())}\n{dump}\n"


def remote_stacks(host: str, told: str) -> list[ProcessStack]:
    """The stacks in what a host said; those that cannot be read are left out."""
    found: list[ProcessStack] = []
    for part in told.split(_HEAD)[1:]:
        first, _, dump = part.partition("\n")
        pid, _, rest = first.partition(" ")
        rank, _, title = rest.partition(" ")
        known = as_rank(rank)
        name = f"rank {known}" if known is not None else title or f"{host} process {pid[:12]}"
        found += stacks_of(name, dump)
    return found
