"""What commands say of a hanging job, each within its time.

What they say is read for why the job hangs. That one of them failed says nothing of the job, and is a note.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from logrules.notify.command_output import CommandOutput, output_of
from logrules.notify.job_offers import flight_texts, ras_text
from logrules.notify.job_processes import Process
from logrules.notify.remote_stacks import mark_of, remote_stacks, ssh_command
from logrules.notify.stack_groups import (
    ProcessStack,
    at_rest,
    dump_of,
    grouped,
    odd_ones,
    stack_of,
    standing_apart,
    summary,
)
from logrules.notify.stack_tree import names_in_words, tree_lines

LIMIT_S = 10.0
# Between two samples of all stacks: what works on moves in this time.
BETWEEN_S = 1.0
SAMPLES = 3
# A slow job moves: who is late is late again and again.
SLOW_ROUNDS, SLOW_BETWEEN_S = 5, 10.0
# A host has many processes to go through.
_REMOTE_LIMIT_S = 60.0
# The stacks of a node's ranks at about the same moment.
_AT_ONCE = 8
STACKS = "stacks"
# Frames of C and C++ say in which call of the system a process waits; not every platform has them.
_ASIDE = ("--nonblocking",)
_FORMS = (("--native",), (), _ASIDE)


@dataclass(frozen=True, slots=True)
class ProbeOutput:
    """What a look came to. ``evidence`` says that rules may read it; else it is a note for the reader of the report."""

    source: str
    text: str
    evidence: bool = True


@dataclass(slots=True)
class _Samples:
    """What was sampled of each process, and why of some nothing was."""

    rounds: list[list[ProcessStack]] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Look:
    """Whom and how to ask; each command has ``limit_s``."""

    pool: ThreadPoolExecutor
    processes: Sequence[Process]
    hosts: Sequence[str]
    env: Mapping[str, str]
    limit_s: float
    sleep: Callable[[float], None]

    def sampled(self, rounds: int, between_s: float) -> _Samples:
        """The stacks of all processes, some times over."""
        found = _Samples()
        mark = mark_of([process.environment for process in self.processes]) if self.hosts else None
        if self.hosts and mark is None:
            found.failed["ssh"] = "the job's processes bear no mark by which other hosts know them (SLURM_JOB_ID …)"
        form = self._form()
        for number in range(rounds):
            if number:
                self.sleep(between_s)
            far = [(host, self._ask_host(host, mark)) for host in self.hosts if mark is not None]
            stacks = self._stacks(form, found.failed)
            for host, one in far:
                said = one.result()
                stacks += remote_stacks(host, said.text)
                if not said.fine:
                    found.failed[f"ssh {host}"] = _why_not("ssh", said, _REMOTE_LIMIT_S)
            found.rounds.append(stacks)
            if not stacks:
                break
        return found

    def _ask_host(self, host: str, mark: str) -> "Future[CommandOutput]":
        return self.pool.submit(output_of, ssh_command(host, mark), _REMOTE_LIMIT_S, self.env)

    def _form(self) -> tuple[str, ...]:
        """The options with which py-spy can look here: the first that works for one process works for all."""
        pid = next((one.pid for one in self.processes if not one.stopped), None)
        for form in _FORMS[:-1] if pid is not None else ():
            said = self._dump(form, pid or 0)
            if said.fine and stack_of("-", said.text) is not None:
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
            stack = stack_of(process.label, said.text) if said.fine else None
            if stack is not None:
                stacks.append(stack)
            else:
                failed[f"py-spy {process.pid}"] = _why_not("py-spy", said, self.limit_s)
        return stacks


def look_closer(
    processes: Sequence[Process],
    env: Mapping[str, str],
    limit_s: float = LIMIT_S,
    sleep: Callable[[float], None] = time.sleep,
    hosts: Sequence[str] = (),
) -> list[ProbeOutput]:
    """Take stacks some times over, and ask the GPUs, Ray, NCCL and torch where the job has them."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        others: list[tuple[str, tuple[str, ...]]] = [("nvidia-smi", ("nvidia-smi",))]
        if any(process.name.startswith(("ray", "raylet")) for process in processes):
            others.append(("ray status", ("ray", "status")))
        asked = [(name, pool.submit(output_of, command, limit_s, env)) for name, command in others]
        samples = _Look(pool, processes, hosts, env, limit_s, sleep).sampled(SAMPLES, BETWEEN_S)
        return [
            *(_stopped(process) for process in processes if process.stopped),
            *_seen(samples.rounds),
            *(ProbeOutput(name, why, evidence=False) for name, why in samples.failed.items()),
            *(ProbeOutput(name, text) for name, text in flight_texts(processes, sleep).items()),
            *_ras(processes, limit_s),
            *(said for name, one in asked for said in _said(name, one.result(), limit_s)),
        ]


def look_for_slow(
    processes: Sequence[Process],
    env: Mapping[str, str],
    limit_s: float = LIMIT_S,
    sleep: Callable[[float], None] = time.sleep,
    hosts: Sequence[str] = (),
) -> list[ProbeOutput]:
    """Who keeps standing elsewhere than the others, of a job that moves but slowly: sampled for most of a minute."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        samples = _Look(pool, processes, hosts, env, limit_s, sleep).sampled(SLOW_ROUNDS, SLOW_BETWEEN_S)
    count = len(samples.rounds)
    told = [
        f"{names_in_words(one.names)} stood apart in {one.rounds} of {count} samples, last in {one.stack.place}"
        for one in standing_apart(samples.rounds)
    ]
    if not told and any(samples.rounds):
        told = [f"nobody stood apart in most of {count} samples"]
    last = samples.rounds[-1] if samples.rounds else []
    return [
        *(ProbeOutput(STACKS, line, evidence=False) for line in (*told, *tree_lines(last))),
        *(ProbeOutput(name, why, evidence=False) for name, why in samples.failed.items()),
    ]


def _stopped(process: Process) -> ProbeOutput:
    text = f"logrules: {process.label} is suspended by a signal (SIGSTOP, SIGTSTP, SIGTTIN or SIGTTOU)\n"
    return ProbeOutput(f"{STACKS} of {process.label}", text)


def _seen(rounds: Sequence[Sequence[ProcessStack]]) -> Iterator[ProbeOutput]:
    """The stacks of what stands still, merged: where the processes stand as notes, a stack of each group for rules.

    Of processes that stand in one place but for a few, the few are what the others wait for: rules read theirs first.
    """
    last = rounds[-1] if rounds else ()
    if not last:
        return
    resting: Sequence[ProcessStack] = last
    for earlier in rounds[:-1]:
        resting = at_rest(earlier, resting)
    still = grouped(resting)
    names = {stack.name for stack in resting}
    moving = grouped(stack for stack in last if stack.name not in names)
    told = [summary(still)] if still else []
    told += [f"{names_in_words(group.names)} moving, in {group.stack.place}" for group in moving[:8]]
    yield ProbeOutput(STACKS, "; ".join(told), evidence=False)
    tree = tree_lines(last)
    if len(tree) > 1:
        yield from (ProbeOutput(STACKS, line, evidence=False) for line in tree)
    odd = odd_ones(still)
    for group in (*odd, *(group for group in still if group not in odd)):
        yield ProbeOutput(f"{STACKS} of {_short(group.names)}", dump_of(group))


def _short(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _ras(processes: Sequence[Process], limit_s: float) -> Iterator[ProbeOutput]:
    if text := ras_text(processes, limit_s):
        yield ProbeOutput("nccl ras", text)


def _said(name: str, said: CommandOutput, limit_s: float) -> list[ProbeOutput]:
    if said.missing:
        return []
    # A driver that does not answer is itself evidence.
    if said.fine or (said.hung and name == "nvidia-smi"):
        return [ProbeOutput(name, said.text if said.fine else f"logrules: {_why_not(name, said, limit_s)}\n")]
    return [ProbeOutput(name, _why_not(name, said, limit_s), evidence=False)]


def _why_not(shown: str, said: CommandOutput, limit_s: float) -> str:
    if said.missing:
        install = ": pip install 'logrules[inspect]'" if shown == "py-spy" else ""
        return f"{shown}: not installed{install}"
    if said.hung:
        return f"{shown}: no answer within {limit_s:g} s, it hangs as well"
    text = " ".join(said.text.split())[:300]
    denied = "ermission denied" in said.text or "not permitted" in said.text
    allow = " (run logrules as root, or set kernel.yama.ptrace_scope to 0)" if denied and shown == "py-spy" else ""
    return f"{shown}: failed (status {said.status}) {text}{allow}".rstrip()
