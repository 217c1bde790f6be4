"""What commands say of a hanging job, each within its time. One that hangs as well is itself evidence."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from logrules.notify.command_output import CommandOutput, output_of
from logrules.notify.job_processes import Process

LIMIT_S = 10.0
# The stacks of a node's ranks at about the same moment.
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Probe:
    """A command, and the name under which what it says is read."""

    source: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProbeOutput:
    """What a look came to: the text that it is read by, whatever became of the command."""

    source: str
    text: str


def looks(processes: Sequence[Process]) -> Iterator[Probe]:
    """Everything worth a look: the stacks of the processes, the GPUs, Ray."""
    for process in processes:
        yield Probe(f"py-spy {process.pid}", ("py-spy", "dump", "--pid", str(process.pid)))
    yield Probe("nvidia-smi", ("nvidia-smi",))
    yield Probe("ray status", ("ray", "status"))


def look_closer(processes: Sequence[Process], env: Mapping[str, str], limit_s: float = LIMIT_S) -> list[ProbeOutput]:
    """Run all looks side by side. Commands that are not installed are left out, but for py-spy, which is said."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(looks(processes))
        said = pool.map(lambda look: output_of(look.command, limit_s, env), found)
        return [
            ProbeOutput(look.source, text)
            for look, one in zip(found, said, strict=True)
            if (text := _told(look, one, limit_s))
        ]


def _told(look: Probe, said: CommandOutput, limit_s: float) -> str | None:
    shown = " ".join(look.command)
    if said.missing:
        return (
            f"logrules: {shown}: not installed: pip install 'logrules[inspect]'\n"
            if look.command[0] == "py-spy"
            else None
        )
    if said.hung:
        return f"logrules: {shown}: no answer within {limit_s:g} s, it hangs as well\n"
    if not said.fine:
        return f"logrules: {shown}: failed (status {said.status})\n{said.text}"
    return said.text
