"""The last samples of each metric and what they show."""

import math
import re
from collections import deque
from collections.abc import Iterable, KeysView, Mapping, Sequence
from itertools import pairwise
from typing import assert_never

from logrules.inference.cadence import median
from logrules.inference.observation import Match, Observation, extended, match_of_lines
from logrules.inference.progress_line import bar_of
from logrules.model.late_pattern import late_pattern
from logrules.model.record import field, mutable_record, record
from logrules.ruleset.condition import (
    Leaf,
    Metrical,
    MetricBound,
    MetricIs,
    MetricSpike,
    MetricTrend,
    NotANumber,
    Trend,
)
from logrules.ruleset.pack import Metric

_FLAT = 1e-6
_STEADY = 4
# What is less than this share of where a figure began is nothing to be alarmed at.
_LEFT_OF_FIRST = 0.05
# So many median steps are beyond five standard deviations of what is spread normally; fewer values show no spread.
_SCATTER = 6.0
_ENOUGH_TO_SCATTER = 30
# Where a counter of steps stands when a run begins, and how far off a figure is then from one that was trained.
_FIRST_STEPS = frozenset(("0", "1"))
_UNTRAINED = 1.5
# A model whose weights are no numbers gives none again: so many in a row are of one that skipped a step, or of another.
_NUMBERS_AGAIN = 10
# The words of a name up to where its figure begins.
_NAME = late_pattern(r"([A-Za-z_][A-Za-z_ /-]{0,60})[\s:=(\"']{0,8}$")


@record
class Figure:
    """A number that a line prints, scaled as its metric is; ``signal`` is the one by whose captures it was read."""

    value: float
    line: Observation
    signal: int

    @property
    def called(self) -> str:
        """What the line calls it."""
        return _name_before(self.line, self.signal)


@mutable_record
class Latched:
    """Figures that were none, or that stood out, and what may show that this is past.

    ``called`` is what the last of them was called, ``numbers`` how many numbers of that name its writer gave since.
    """

    match: Match
    called: str
    numbers: int = 0

    def is_past(self, leaf: MetricIs, figure: Figure) -> bool:
        """Whether this number, or as many as it makes with those before, shows that figures that were none are past.

        Zero shows nothing: it is what trainers print that leave out of a mean what is no number.
        """
        same_writer = figure.line.worker == self.match.last.worker
        self.numbers += same_writer and figure.value != 0 and figure.called == self.called
        return leaf.stays or self.numbers >= _NUMBERS_AGAIN


@mutable_record
class Series:
    """A metric's last ``samples``, and what the leaves that ask for it have ``latched`` on the way."""

    samples: deque[Figure]
    latched: dict[Leaf, Latched] = field(default_factory=dict)
    # The first number that it had: what later ones are large or small against.
    first: float | None = None

    def add(self, figure: Figure, asked: Iterable[Metrical], restarted: Observation | None) -> None:
        """One more figure; its writer was last ``restarted`` by that line."""
        if _begins_anew(self.samples, figure, restarted):
            self.samples.clear()
        finite = math.isfinite(figure.value)
        for leaf in asked:
            known = self.latched.get(leaf)
            if isinstance(leaf, MetricIs) and finite:
                if known is not None and known.is_past(leaf, figure):
                    del self.latched[leaf]
            elif _latches(leaf, figure, self):
                match = extended(known.match if known is not None else None, figure.line, figure.signal)
                self.latched[leaf] = Latched(match, figure.called)
        self.samples.append(figure)
        if self.first is None and finite:
            self.first = figure.value


class MetricStates:
    """Samples of the metrics that rules ask for; bounded by the longest window any rule names."""

    def __init__(self, asked: Mapping[str, tuple[Metrical, ...]], by_signal: Mapping[int, Metric]) -> None:
        self._asked = asked
        self._series: dict[str, Series] = {}
        self.by_signal = by_signal

    def add(self, metric: Metric, observation: Observation, restarted: Observation | None = None) -> float | None:
        """Take the number that the line prints, and give it; None where it is none, or was taken already.

        ``restarted`` is where its writer was last back at a start that it had left behind.
        """
        printed = printed_number(observation.captures(metric.signal))
        if printed is None:
            return None
        asked = self._asked[metric.metric]
        series = self._series.get(metric.metric)
        if series is None:
            longest = max(1 if isinstance(leaf, MetricIs) else leaf.over for leaf in asked)
            series = self._series[metric.metric] = Series(deque(maxlen=1 + longest))
        if series.samples and series.samples[-1].line.order == observation.order:
            return None
        figure = Figure(printed * metric.scale, observation, metric.signal)
        series.add(figure, asked, restarted)
        return figure.value

    @property
    def printed(self) -> KeysView[str]:
        """The metrics of which a number was printed."""
        return self._series.keys()

    @property
    def steady(self) -> bool:
        """Whether any metric was printed again and again."""
        return any(len(series.samples) >= _STEADY for series in self._series.values())

    def match_of(self, leaf: Metrical) -> Match | None:
        """The observations on which a metric's condition holds now."""
        series = self._series.get(leaf.metric)
        if series is None:
            return None
        match leaf:
            case MetricIs() | MetricSpike():
                latched = series.latched.get(leaf)
                return latched.match if latched is not None else None
            case MetricBound(over=over) | MetricTrend(over=over):
                recent = list(series.samples)[-over:]
                holds = len(recent) == over and _shape(leaf, [one.value for one in recent])
                lines = [one.line for one in recent]
                return match_of_lines(lines) if holds and not _is_one_line(leaf, lines) else None
            case _:
                assert_never(leaf)


def _begins_anew(before: Sequence[Figure], figure: Figure, restarted: Observation | None) -> bool:
    """Whether this is the first figure of another run in the same log, of a model that was not trained."""
    if not before or not figure.value > _UNTRAINED * abs(before[-1].value):
        return False
    first = figure.line.all_captures().get("step") in _FIRST_STEPS
    again = restarted is not None and restarted.order > before[-1].line.order
    return (first or again) and figure.value > _UNTRAINED * median([abs(one.value) for one in before])


def number(text: str) -> float | None:
    """The number that a log prints, with thousands separators and a percent sign forgiven; None if it is none."""
    try:
        return float(text.replace(",", "").rstrip("%"))
    except ValueError:
        return None


def printed_number(captures: Mapping[str, str]) -> float | None:
    """The number that a metric's line prints; where its pattern captures a whole too (``of``), the share of that."""
    value = number(captures.get("value", ""))
    whole = captures.get("of")
    if value is None or whole is None:
        return value
    of = number(whole)
    return value / of if of else None


def _latches(leaf: Metrical, figure: Figure, series: Series) -> bool:
    value, before = figure.value, series.samples
    match leaf:
        case MetricIs(kind=NotANumber.NAN):
            return math.isnan(value)
        case MetricIs(kind=NotANumber.INF):
            return math.isinf(value)
        case MetricSpike(above=False, factor=factor, over=over) if len(before) >= over:
            return value < factor * median(one.value for one in list(before)[-over:])
        case MetricSpike(factor=factor, over=over) if len(before) >= over:
            return _stands_out(figure, list(before)[-over:], factor, abs(series.first or 0.0))
        case _:
            return False


def _stands_out(figure: Figure, recent: Sequence[Figure], factor: float, first: float) -> bool:
    """Whether a figure is a spike among the recent ones, and among those of them that are called alike.

    Batches differ: a bar shows the figure of one, or it is named so. A sum over an epoch is no spike among what its
    batches had: of two names of one figure one says more.
    """
    signal, name = figure.signal, figure.called
    if "of_batch" in figure.line.captures(signal) or bar_of(figure.line.event.text) is not None:
        return False
    if not _is_spike([one.value for one in recent], figure.value, factor, first):
        return False
    names = ((one.value, _name_before(one.line, signal)) for one in recent)
    alike = [value for value, other in names if other.endswith(name) or name.endswith(other)]
    return len(alike) * 2 >= len(recent) and _is_spike(alike, figure.value, factor, first)


def _name_before(line: Observation, signal: int) -> str:
    """The words that stand before the figure that a signal captures, in lower case."""
    shown = line.captures(signal).get("value", "")
    found = _NAME.search(line.event.message.partition(shown)[0]) if shown else None
    return found[1].lower().rstrip() if found else ""


def _is_spike(before: Sequence[float], value: float, factor: float, first: float) -> bool:
    """Whether a value is above so many times the usual one.

    A multiple says nothing of figures on both sides of zero, as the loss of a policy is, nor of a loss that has all but
    gone since the ``first`` one, nor of a figure that leaves its usual value as far all the time.
    """
    if not (min(before) > 0 and value > _LEFT_OF_FIRST * first):
        return False
    usual, scatter = median(before), 0.0
    if len(before) >= _ENOUGH_TO_SCATTER:
        # How far a value is from the one before it, in the middle.
        scatter = median([abs(math.log(later) - math.log(earlier)) for earlier, later in pairwise(before)])
    return value > factor * usual and math.log(value) - math.log(usual) > _SCATTER * scatter


def _shape(leaf: MetricBound | MetricTrend, values: Sequence[float]) -> bool:
    if not all(map(math.isfinite, values)):
        return False
    match leaf:
        case MetricBound(above=above, bound=bound):
            return all(value > bound if above else value < bound for value in values)
        case MetricTrend(trend=Trend.FLAT):
            return max(values) - min(values) <= _FLAT * max(1.0, abs(values[-1]))
        case MetricTrend(trend=Trend.RISING):
            return all(later > earlier for earlier, later in pairwise(values))
        case _:
            return False


def _is_one_line(leaf: MetricBound | MetricTrend, samples: Sequence[Observation]) -> bool:
    """Whether a figure that stays the same is but one line that all ranks print, or of a meter that is not fed.

    A meter shows the mean of all it was fed with beside the latest, and that mean moves however little the latest does.
    What is printed again and again may be part of a row of several lines, of which another one counts.
    """
    if not (isinstance(leaf, MetricTrend) and leaf.trend is Trend.FLAT):
        return False
    lines = [line.event.message for line in samples]
    shown = samples[-1].all_captures().get("value", "")
    metered = {found[0] for line in lines if (found := re.search(re.escape(shown) + r" ?\([-\d.]{1,20}\)", line))}
    counts = any(letter.isdigit() for letter in lines[-1].replace(shown, ""))
    of_rows = not counts and len({line.round for line in samples}) == len(samples)
    return (len(set(lines)) < len(lines) and not of_rows) or len(metered) == 1
