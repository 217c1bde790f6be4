"""The kinds of lines of one run, how often and where they came, and what it measured."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from logrules.engine.run import replay, why_empty
from logrules.model.errors import SourceError
from logrules.model.event import Event
from logrules.model.report import Report
from logrules.model.template import ANY_VARYING
from logrules.parsing.clean import clean
from logrules.ruleset.pack import Pack
from logrules.sources.discover import discover
from logrules.sources.source import numbered_lines_of

# Longer lines are told apart by their beginning.
MAX_LINE_BYTES = 512
MAX_KNOWN = 50_000

_CONTROL = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_VARYING = re.compile(ANY_VARYING.encode())
_BAR = re.compile(rb"[#=>\xe2\x96\x80-\x9f\xe2\x96]{3,}")
# A drawn bar, as tqdm and its like print it, up to the end of its figures: `name:  12%|#  | 3/25 [00:01<00:09, 2it/s]`
_PROGRESS = re.compile(
    rb"^[^|\r\n]{0,200}?\d%\|[^|]{0,400}\|\s*[\d.?]+[kMGT]?/[\d.?]+[kMGT]?(?:\s*\[[^\]]{0,300}\]?)?"
    rb"|^[^\[\r\n]{0,200}?\d+(?:\.\d+)?[kMGT]?(?:it|B|ex)? \[[\d:]+(?:<[\d:?]+)?, [^\]]{0,300}\]?"
)
_DIGITS = bytes.maketrans(b"123456789", b"000000000")


class Kinds:
    """Tells the kind of a line. Lines that differ in digits only are looked at once."""

    def __init__(self) -> None:
        self._known: dict[bytes, bytes] = {}

    def of(self, line: bytes) -> bytes:
        """The kind of a line; empty for a blank one and for a progress bar, whose states tell nothing of a run."""
        # What a progress bar has redrawn is one line: its last state says what it is.
        rough = line.rstrip(b"\r\n ").rpartition(b"\r")[2][:MAX_LINE_BYTES].translate(_DIGITS)
        kind = self._known.get(rough)
        if kind is None:
            kind = _kind(rough)
            if len(self._known) < MAX_KNOWN:
                self._known[rough] = kind
        return kind


def _kind(rough: bytes) -> bytes:
    bare = _PROGRESS.sub(b"", _CONTROL.sub(b"", rough))
    return b" ".join(_BAR.sub(b"=", _VARYING.sub(b"0", bare)).split())


# Of one run, or of all good ones together.
MAX_KINDS = 20_000
_SHOWN_BYTES = 512
_FEWEST = 5
# What is worth comparing of what the packs can read, beside the time between steps.
METRICS = ("step_time", "memory_peak", "memory", "generation_throughput", "prompt_throughput", "samples_per_minute")


@dataclass(slots=True)
class LineCount:
    """The first line of a kind (its beginning), and how often it came; ``place`` is where it first came, 0 to 1."""

    source: str
    line: int
    raw: bytes
    count: int = 0
    place: float = 0.0

    @property
    def text(self) -> str:
        """The line as people see it."""
        return clean(self.raw)


@dataclass(slots=True)
class LogProfile:
    """One run. ``overflow`` lines were of more kinds than are kept apart."""

    kinds: dict[bytes, LineCount] = field(default_factory=dict)
    lines: int = 0
    overflow: int = 0
    medians: Mapping[str, float] = field(default_factory=dict)


def profile_of(paths: Sequence[str], pack: Pack, kinds: Kinds, runs: int) -> LogProfile:
    """Read one of so many good runs: its lines, and its metrics. Raises SourceError if nothing of it can be read."""
    pace = Pace(pack)
    report = replay(discover(paths).sources, pack, observe=pace.see, cache=True)
    if why := why_empty(report, pack):
        raise SourceError(why)
    profile = lines_of(paths, kinds, runs)
    profile.medians = medians_of(report, pace)
    return profile


def lines_of(paths: Sequence[str], kinds: Kinds, runs: int = 1) -> LogProfile:
    """The kinds of lines of one of so many runs. Raises SourceError where it cannot be read."""
    profile, most = LogProfile(), MAX_KINDS // runs
    for source, number, raw in _raw_lines(paths):
        kind = kinds.of(raw)
        if not kind:
            continue
        profile.lines += 1
        seen = profile.kinds.get(kind)
        if seen is None:
            if len(profile.kinds) >= most:
                profile.overflow += 1
                continue
            seen = profile.kinds[kind] = LineCount(source, number, raw[:_SHOWN_BYTES], place=profile.lines)
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
