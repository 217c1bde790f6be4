"""The kinds of lines of one run, how often and where they came, and what it measured."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from logrules.engine.run import replay
from logrules.model.event import Event
from logrules.model.report import Report
from logrules.parsing.clean import clean
from logrules.ruleset.pack import Pack
from logrules.sources.discover import discover
from logrules.sources.source import numbered_lines_of
from logrules.tools.baseline.line_kind import Kinds

MAX_KINDS = 50_000
_SHOWN_BYTES = 2_000
_FEWEST = 5
# What is worth comparing of what the packs can read, beside the time between steps.
METRICS = ("step_time", "memory_peak", "memory", "generation_throughput", "prompt_throughput", "samples_per_minute")


@dataclass(slots=True)
class LineCount:
    """The first line of a kind, and how often it came; ``place`` is where it first came, from 0 to 1."""

    source: str
    line: int
    raw: bytes
    count: int = 0
    place: float = 0.0

    @property
    def text(self) -> str:
        """The line as people see it."""
        return clean(self.raw[:_SHOWN_BYTES])


@dataclass(slots=True)
class LogProfile:
    """One run. ``overflow`` lines were of more kinds than are kept apart."""

    kinds: dict[bytes, LineCount] = field(default_factory=dict)
    lines: int = 0
    overflow: int = 0
    medians: Mapping[str, float] = field(default_factory=dict)


def profile_of(paths: Sequence[str], pack: Pack, kinds: Kinds) -> LogProfile:
    """Read a good run: its lines, and its metrics."""
    pace = Pace(pack)
    report = replay(discover(paths).sources, pack, observe=pace.see, cache=True)
    profile = lines_of(paths, kinds)
    profile.medians = medians_of(report, pace)
    return profile


def lines_of(paths: Sequence[str], kinds: Kinds) -> LogProfile:
    """The kinds of lines of a run. Raises SourceError where it cannot be read."""
    profile = LogProfile()
    for source, number, raw in _raw_lines(paths):
        kind = kinds.of(raw)
        if not kind:
            continue
        profile.lines += 1
        seen = profile.kinds.get(kind)
        if seen is None:
            if len(profile.kinds) >= MAX_KINDS:
                profile.overflow += 1
                continue
            seen = profile.kinds[kind] = LineCount(source, number, raw, place=profile.lines)
        seen.count += 1
    for seen in profile.kinds.values():
        seen.place /= max(profile.lines, 1)
    return profile


def _raw_lines(paths: Sequence[str]) -> Iterator[tuple[str, int, bytes]]:
    for source in discover(paths).sources:
        for number, raw in numbered_lines_of(source):
            yield source.name, number, raw


class Pace:
    """The seconds between the steps that each worker prints."""

    def __init__(self, pack: Pack) -> None:
        self._progress = frozenset(marker.signal for marker in pack.markers if marker.progress)
        self._last: dict[object, float] = {}
        self.seconds: list[float] = []

    def see(self, event: Event) -> None:
        """Take the next event of the run."""
        if event.stamp is None or not any(hit.signal in self._progress for hit in event.hits):
            return
        before = self._last.get(event.worker)
        if before is not None and event.stamp.seconds > before:
            self.seconds.append(event.stamp.seconds - before)
        self._last[event.worker] = event.stamp.seconds


def medians_of(report: Report, pace: Pace) -> dict[str, float]:
    """The median of each metric of which there are enough values."""
    values = {curve.metric: [point.value for point in curve.points] for curve in report.curves}
    found = {name: values[name] for name in METRICS if name in values}
    if "step_time" not in found:
        found["step_time"] = pace.seconds
    return {name: median(numbers) for name, numbers in found.items() if len(numbers) >= _FEWEST}
