"""Child processes, timed from outside: wall clock, peak memory, output."""

import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# Linux counts the peak in KiB, macOS in bytes.
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a command."""

    wall_s: float
    peak_bytes: int
    status: int
    output_digest: str
    errors: str


@dataclass(frozen=True, slots=True)
class Command:
    """What to run, and which exit statuses mean that it did its work."""

    words: Sequence[str]
    fine: frozenset[int] = frozenset({0})
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def output(self) -> bytes | None:
        """What it prints, or None where it fails."""
        done = subprocess.run(self.words, capture_output=True, env=self.environment, check=False)
        return done.stdout if done.returncode in self.fine else None

    def run(self) -> Run:
        """Run it once. Raises OSError where it cannot be started."""
        start = time.perf_counter()
        with (
            tempfile.TemporaryFile() as complaints,
            subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=complaints, env=self.environment) as child,
        ):
            output = child.stdout.read() if child.stdout else b""
            _, status, usage = os.wait4(child.pid, 0)
            wall_s = time.perf_counter() - start
            child.returncode = os.waitstatus_to_exitcode(status)
            complaints.seek(0)
            errors = complaints.read()
        return Run(
            wall_s,
            usage.ru_maxrss * _RSS_UNIT,
            child.returncode,
            hashlib.sha256(output).hexdigest(),
            errors.decode(errors="replace"),
        )


@dataclass(slots=True)
class Series:
    """The runs of one command."""

    command: Command
    runs: list[Run] = field(default_factory=list)

    def failure(self) -> str | None:
        """Why the figures mean nothing, if a run failed."""
        for run in self.runs:
            if run.status not in self.command.fine:
                last = (run.errors.strip().splitlines() or ["no message"])[-1]
                return f"exit status {run.status}: {last[:120]}"
        return None if self.runs else "did not run"

    @property
    def median_s(self) -> float:
        """The median wall time."""
        return statistics.median(run.wall_s for run in self.runs)

    @property
    def spread(self) -> str:
        """Fastest and slowest run."""
        walls = [run.wall_s for run in self.runs]
        return f"{min(walls):.2f}-{max(walls):.2f}"

    @property
    def peak_bytes(self) -> int:
        """The largest peak of all runs."""
        return max(run.peak_bytes for run in self.runs)


def side_by_side(commands: Mapping[str, Command], rounds: int) -> dict[str, Series]:
    """Each command once for warmth, then all in turn, so that a slow moment of the machine meets all of them."""
    series = {name: Series(command) for name, command in commands.items()}
    for number in range(rounds + 1):
        for name, one in series.items():
            sys.stderr.write(f"\r\x1b[K{name}: {f'run {number} of {rounds}' if number else 'warming up'}")
            sys.stderr.flush()
            try:
                run = one.command.run()
            except OSError:
                continue
            if number or run.status not in one.command.fine:
                one.runs.append(run)
    sys.stderr.write("\r\x1b[K")
    return series
