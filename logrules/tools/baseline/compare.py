"""A run held against good ones, and how it differs: the more unusual a new kind of line, the further up it stands."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from logrules.model.report import Report
from logrules.ruleset.pack import Pack
from logrules.tools.baseline.profile import Kinds, LineCount, LogProfile, Pace, lines_of, medians_of, profile_of


@dataclass(frozen=True, slots=True)
class Measure:
    """The median of a metric here and in the good runs; ``ratio`` is the first by the second."""

    metric: str
    here: float
    good: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Deviation:
    """What is new (the most unusual first), what is missing (in the order of a good run), what was measured.

    A kind of line is told by the first of it: here where it is new, of a good run where it is missing. ``familiar`` is
    the share of lines, 0 to 1, of kinds that good runs have too. ``kinds_left_out`` says that there were more kinds of
    lines than are kept apart.
    """

    runs: int
    familiar: float
    new: tuple[LineCount, ...] = ()
    missing: tuple[LineCount, ...] = ()
    measures: tuple[Measure, ...] = ()
    new_kinds: int = 0
    missing_kinds: int = 0
    kinds_left_out: bool = False


SHOWN_NEW = 12
SHOWN_MISSING = 8
_GRAVE = re.compile(
    rb"(?i)\b(?:\w*error|\w*exception|traceback|fatal|panic|abort(?:ed)?|killed|segfault|sig(?:kill|segv|abrt|bus)|assert\w*)\b"
)
_WORRYING = re.compile(
    rb"(?i)\b(?:warn\w*|fail\w*|timeout|timed out|refused|denied|cannot|unable|retry\w*|lost|dead|nan)\b"
)


def deviation(here: LogProfile, good: Sequence[LogProfile]) -> Deviation:
    """What sets a run apart from the good ones, of which there is at least one."""
    known = frozenset(kind for run in good for kind in run.kinds)
    new = {kind: seen for kind, seen in here.kinds.items() if kind not in known}
    missing = _missing(here, good)
    strange = sum(seen.count for seen in new.values()) + here.overflow
    return Deviation(
        runs=len(good),
        familiar=1.0 - strange / here.lines if here.lines else 1.0,
        new=tuple(seen for _, seen in sorted(new.items(), key=_oddity)[:SHOWN_NEW]),
        missing=tuple(missing[:SHOWN_MISSING]),
        measures=_measures(here.medians, [run.medians for run in good]),
        new_kinds=len(new),
        missing_kinds=len(missing),
        kinds_left_out=bool(here.overflow or any(run.overflow for run in good)),
    )


def _oddity(item: tuple[bytes, LineCount]) -> tuple[int, int, float, int]:
    """What comes first: complaints, then what is rare, then what is late."""
    kind, seen = item
    gravity = 0 if _GRAVE.search(kind) else 1 if _WORRYING.search(kind) else 2
    return gravity, seen.count, -seen.place, seen.line


def _missing(here: LogProfile, good: Sequence[LogProfile]) -> list[LineCount]:
    """The kinds that every good run has and this one does not, in the order of the first good run."""
    first, *others = good
    absent = [
        seen
        for kind, seen in first.kinds.items()
        if kind not in here.kinds and all(kind in run.kinds for run in others)
    ]
    return sorted(absent, key=lambda seen: seen.place)


def _measures(here: Mapping[str, float], good: Sequence[Mapping[str, float]]) -> tuple[Measure, ...]:
    found = []
    for metric, value in here.items():
        others = [run[metric] for run in good if metric in run]
        usual = median(others) if others else 0.0
        if usual > 0:
            found.append(Measure(metric, value, usual, value / usual))
    return tuple(found)


class GoodRuns:
    """Each of ``paths`` is a run: a log, or a folder of the logs of one job. Raises SourceError for one that is none.

    ``pace`` must see the events of the log that is held against them.
    """

    def __init__(self, paths: Sequence[str], pack: Pack) -> None:
        self._kinds = Kinds()
        self._runs = [profile_of([path], pack, self._kinds, len(paths)) for path in paths]
        self.pace = Pace(pack)

    def deviation(self, paths: Sequence[str], report: Report) -> Deviation:
        """How the logs at ``paths``, of which this is the report, differ from the good runs."""
        here = lines_of(paths, self._kinds)
        here.medians = medians_of(report, self.pace)
        return deviation(here, self._runs)
