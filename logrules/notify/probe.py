"""What commands say of a hanging job, each within its time.

What they say is read for why the job hangs. That one of them failed says nothing of the job, and is a note.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from logrules.notify.command_output import CommandOutput, output_of
from logrules.notify.job_processes import Process
from logrules.notify.stack_groups import ProcessStack, at_rest, dump_of, grouped, odd_ones, stack_of, summary

LIMIT_S = 10.0
# Between two samples of all stacks: what works on moves in this time.
BETWEEN_S = 1.0
# The stacks of a node's ranks at about the same moment.
_AT_ONCE = 8
STACKS = "stacks"


@dataclass(frozen=True, slots=True)
class ProbeOutput:
    """What a look came to. ``evidence`` says that rules may read it; else it is a note for the reader of the report."""

    source: str
    text: str
    evidence: bool = True


def look_closer(
    processes: Sequence[Process],
    env: Mapping[str, str],
    limit_s: float = LIMIT_S,
    sleep: Callable[[float], None] = time.sleep,
) -> list[ProbeOutput]:
    """Take stacks twice, and ask the GPUs and, where it is a job of Ray's, Ray. What is not installed is left out."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        others: list[tuple[str, tuple[str, ...]]] = [("nvidia-smi", ("nvidia-smi",))]
        if any(process.name.startswith(("ray", "raylet")) for process in processes):
            others.append(("ray status", ("ray", "status")))
        asked = [(name, pool.submit(output_of, command, limit_s, env)) for name, command in others]
        first, _ = _stacks(pool, processes, env, limit_s)
        if first:
            sleep(BETWEEN_S)
        second, failed = _stacks(pool, processes, env, limit_s)
        return [
            *_seen(first, second),
            *failed,
            *(said for name, one in asked for said in _said(name, one.result(), limit_s)),
        ]


def _stacks(
    pool: ThreadPoolExecutor, processes: Sequence[Process], env: Mapping[str, str], limit_s: float
) -> tuple[list[ProcessStack], list[ProbeOutput]]:
    dumps = pool.map(
        lambda one: output_of(("py-spy", "dump", "--json", "--pid", str(one.pid)), limit_s, env), processes
    )
    stacks: list[ProcessStack] = []
    failed: list[ProbeOutput] = []
    for process, said in zip(processes, dumps, strict=True):
        stack = stack_of(process.label, said.text) if said.fine else None
        if stack is not None:
            stacks.append(stack)
        else:
            failed.append(ProbeOutput(f"py-spy {process.pid}", _why_not("py-spy", said, limit_s), evidence=False))
    return stacks, failed


def _seen(first: Sequence[ProcessStack], second: Sequence[ProcessStack]) -> list[ProbeOutput]:
    """The stacks of what stands still, merged: where the processes stand as a note, a stack of each group for rules.

    Of processes that stand in one place but for a few, the few are what the others wait for: rules read theirs first.
    """
    still = grouped(at_rest(first, second))
    if not second:
        return []
    moving = len(second) - sum(len(group.names) for group in still)
    told = summary(still) if still else ""
    if moving:
        told = f"{told}; {moving} moving" if told else f"{moving} moving, none stuck in one place"
    odd = odd_ones(still)
    ordered = (*odd, *(group for group in still if group not in odd))
    return [
        ProbeOutput(STACKS, told, evidence=False),
        *(ProbeOutput(f"{STACKS} of {_short(group.names)}", dump_of(group)) for group in ordered),
    ]


def _short(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _said(name: str, said: CommandOutput, limit_s: float) -> list[ProbeOutput]:
    if said.missing:
        return []
    # A driver that does not answer is itself evidence.
    if said.fine or (said.hung and name == "nvidia-smi"):
        return [ProbeOutput(name, said.text if said.fine else f"logrules: {_why_not(name, said, limit_s)}\n")]
    return [ProbeOutput(name, _why_not(name, said, limit_s), evidence=False)]


def _why_not(shown: str, said: CommandOutput, limit_s: float) -> str:
    if said.missing:
        return f"{shown}: not installed: pip install 'logrules[inspect]'"
    if said.hung:
        return f"{shown}: no answer within {limit_s:g} s, it hangs as well"
    return f"{shown}: failed (status {said.status}) {' '.join(said.text.split())[:300]}".rstrip()
