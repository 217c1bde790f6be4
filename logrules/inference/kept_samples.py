"""What of a run is kept for its readers alone: metrics over time, in few enough points to draw, and rare complaints."""

from operator import attrgetter

from logrules.inference.observation import Observation
from logrules.model.event import Level
from logrules.model.late_pattern import late_pattern
from logrules.model.record import field, mutable_record
from logrules.model.timeline import Curve, Point

MAX_POINTS = 512
MAX_CURVES = 64
# How long nothing was written: of several silences the longest is kept.
QUIET = "quiet"
_VALUE = attrgetter("value")


@mutable_record
class _Kept:
    """The first and the latest value of a metric, and the points of its curve that are kept.

    These are every so many; how many were ``skipped`` since the last.
    """

    first: float
    latest: float
    points: list[Point] = field(default_factory=list)
    apart: int = 1
    skipped: int = 0


class CurveSampler:
    """Points of each metric and of the silences between lines; bounded whatever comes."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self._last: float | None = None

    def add(self, metric: str, value: float, observation: Observation) -> None:
        """One more value that a line printed."""
        kept = self._kept.get(metric)
        if kept is None:
            if len(self._kept) >= MAX_CURVES:
                return
            kept = self._kept[metric] = _Kept(value, value)
        kept.latest = value
        kept.skipped += 1
        if kept.skipped < kept.apart:
            return
        kept.skipped = 0
        kept.points.append(Point(observation.time, observation.event.source, observation.event.file_line, value))
        if len(kept.points) > MAX_POINTS:
            # Of each two points the later, of silences the longer.
            pairs = (kept.points[at : at + 2] for at in range(0, len(kept.points), 2))
            kept.points = [max(pair, key=_VALUE) if metric == QUIET else pair[-1] for pair in pairs]
            kept.apart *= 1 if metric == QUIET else 2

    def see(self, observation: Observation) -> None:
        """A line, by whose time the silence before it is known."""
        if observation.time is None:
            return
        if self._last is not None and observation.time > self._last:
            self.add(QUIET, observation.time - self._last, observation)
        self._last = observation.time if self._last is None else max(self._last, observation.time)

    def ends(self) -> dict[str, str]:
        """The first and the last value of each metric as steps ask for them: `first_loss`, a number or `nan`."""
        firsts = {f"first_{metric}": str(kept.first) for metric, kept in self._kept.items()}
        return {**firsts, **{f"last_{metric}": str(kept.latest) for metric, kept in self._kept.items()}}

    def drawn(self) -> tuple[Curve, ...]:
        """All curves of two points and more."""
        return tuple(Curve(name, tuple(kept.points)) for name, kept in self._kept.items() if len(kept.points) > 1)


MAX_SHAPES = 500
SHOWN = 5
_VARYING = late_pattern(r"0x[0-9a-f]+|\d+")


@mutable_record
class Outliers:
    """Lines by their shape (numbers left out): the first of each and how often it came."""

    shapes: dict[str, tuple[Observation, int]] = field(default_factory=dict)

    def see(self, observation: Observation, *, complaint: bool) -> None:
        """Consider a line; ``complaint`` says that it speaks of an error whatever its level."""
        level = observation.event.level or Level.INFO
        if not complaint and level < Level.WARNING:
            return
        shape = _VARYING.sub("0", observation.event.message)[:200]
        first, times = self.shapes.get(shape, (observation, 0))
        if times or len(self.shapes) < MAX_SHAPES:
            self.shapes[shape] = (first, times + 1)

    def rarest(self) -> tuple[Observation, ...]:
        """The few that stand out most, in the order of the log."""
        by_rarity = sorted(self.shapes.values(), key=lambda item: (item[1], -item[0].order))[:SHOWN]
        return tuple(observation for observation, _ in sorted(by_rarity, key=lambda item: item[0].order))
