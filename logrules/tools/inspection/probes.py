"""Looks closer at a hanging job: what commands say of it, each within its time, is read for why it hangs."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from logrules.model.collective import GroupRecord
from logrules.model.record import record
from logrules.model.report import StackView
from logrules.model.timeline import UNSAID, ParallelSizes
from logrules.tools.command_output import CommandOutput, output_of
from logrules.tools.inspection.collective_state import flight_records, ras_text
from logrules.tools.inspection.job_processes import Process
from logrules.tools.inspection.process_groups import ProcessGroup, groups_of_job, groups_of_records
from logrules.tools.inspection.stack_dump import ProcessStack
from logrules.tools.inspection.stack_groups import tree_lines
from logrules.tools.inspection.stack_samples import StackSampler, why_not
from logrules.tools.inspection.stack_sentences import apart, hang_sentences, slowness_sentences, stacks_for_rules

if TYPE_CHECKING:
    from logrules.engine.follow import Following

LIMIT_S = 10.0
# Between two samples of all stacks: what works on moves in this time.
BETWEEN_S = 1.0
SAMPLES = 3
# A slow job moves: who is late is late again and again.
SLOW_ROUNDS, SLOW_BETWEEN_S = 5, 10.0
# The stacks of a node's ranks at about the same moment.
_AT_ONCE = 8
STACKS = "stacks"


@record
class ProbeOutput:
    """What a look came to. ``evidence`` says that rules may read it; else it is a note for the reader of the report."""

    source: str
    text: str
    evidence: bool = True


@record
class ProbeResult:
    """All that a look came to, and where the processes stood; nothing of that where no stack could be taken.

    ``records`` are what flight recorders held.
    """

    outputs: tuple[ProbeOutput, ...]
    stacks: StackView | None
    records: tuple[GroupRecord, ...] = ()


def probe_hang(
    processes: Sequence[Process], env: Mapping[str, str], hosts: Sequence[str] = (), sizes: ParallelSizes = UNSAID
) -> ProbeResult:
    """Take stacks some times over, and ask the GPUs, Ray, NCCL and torch where the job has them.

    ``sizes`` is what the log says of how the ranks share the work.
    """
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        others: list[tuple[str, tuple[str, ...]]] = [("nvidia-smi", ("nvidia-smi",))]
        if any(process.name.startswith(("ray", "raylet")) for process in processes):
            others.append(("ray status", ("ray", "status")))
        asked = [(name, pool.submit(output_of, command, LIMIT_S, env)) for name, command in others]
        samples = StackSampler(pool, processes, hosts, env, LIMIT_S).sampled(SAMPLES, BETWEEN_S)
        records = flight_records(processes)
        groups = groups_of_records(records) or _groups(processes, sizes)
        outputs = (
            *(_stopped(process) for process in processes if process.stopped),
            *(ProbeOutput(f"{STACKS} of {who}", text) for who, text in stacks_for_rules(samples.rounds)),
            *(ProbeOutput(name, why, evidence=False) for name, why in samples.failed.items()),
            *_ras(processes),
            *(said for name, one in asked for said in _said(name, one.result())),
        )
        said = hang_sentences(samples.rounds, groups)
        return ProbeResult(outputs, _view(samples.rounds, said, apart(samples.rounds)), records)


def probe_slowness(
    processes: Sequence[Process], env: Mapping[str, str], hosts: Sequence[str] = (), sizes: ParallelSizes = UNSAID
) -> ProbeResult:
    """Who keeps standing elsewhere than the others, of a job that moves but slowly: sampled for most of a minute."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        samples = StackSampler(pool, processes, hosts, env, LIMIT_S).sampled(SLOW_ROUNDS, SLOW_BETWEEN_S)
    said = slowness_sentences(samples.rounds, _groups(processes, sizes))
    outputs = tuple(ProbeOutput(name, why, evidence=False) for name, why in samples.failed.items())
    return ProbeResult(outputs, _view(samples.rounds, said, ()))


def _groups(processes: Sequence[Process], sizes: ParallelSizes) -> tuple[ProcessGroup, ...]:
    return groups_of_job(sizes, [one.arguments for one in processes], [one.environment for one in processes])


def _view(rounds: Sequence[Sequence[ProcessStack]], said: Sequence[str], odd: Sequence[int]) -> StackView | None:
    last = rounds[-1] if rounds else ()
    return StackView(tuple(said), tuple(tree_lines(last)), tuple(odd)) if last else None


def _stopped(process: Process) -> ProbeOutput:
    text = f"logrules: {process.label} is suspended by a signal (SIGSTOP, SIGTSTP, SIGTTIN or SIGTTOU)\n"
    return ProbeOutput(f"{STACKS} of {process.label}", text)


def _ras(processes: Sequence[Process]) -> Iterator[ProbeOutput]:
    if text := ras_text(processes, LIMIT_S):
        yield ProbeOutput("nccl ras", text)


def _said(name: str, said: CommandOutput) -> list[ProbeOutput]:
    if said.missing:
        return []
    # A driver that does not answer is itself evidence.
    if said.fine or (said.hung and name == "nvidia-smi"):
        return [ProbeOutput(name, said.text if said.fine else f"logrules: {why_not(name, said, LIMIT_S)}\n")]
    return [ProbeOutput(name, why_not(name, said, LIMIT_S), evidence=False)]


def show_probe_result(look: ProbeResult, following: "Following", at: float) -> None:
    """Give what a look saw to what follows the job: evidence to the rules, the rest to readers of the report."""
    if look.stacks is not None:
        following.show_stacks(look.stacks)
    following.ingest_records(look.records, at)
    for seen in look.outputs:
        if seen.evidence:
            following.ingest(seen.source, seen.text, at)
        else:
            following.note(seen.source, seen.text)
