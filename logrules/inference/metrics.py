"""The last samples of each metric and what they show."""

import math
import re
from collections import deque
from collections.abc import KeysView, Mapping, Sequence
from itertools import pairwise
from typing import assert_never

from logrules.inference.cadence import median
from logrules.inference.observation import Match, Observation, extended, match_of_lines
from logrules.inference.progress_line import bar_of
from logrules.model.late_pattern import late_pattern
from logrules.model.record import field, mutable_record
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


@mutable_record
class Latched:
    """Figures that were none, or that stood out, and what may show that this is past.

    ``called`` is what the last of them was called, ``numbers`` how many numbers of that name its writer gave since.
    """

    match: Match
    called: str
    numbers: int = 0


@mutable_record
class Series:
    """A metric's last samples (value, observation) and what was latched on the way."""

    samples: deque[tuple[float, Observation]]
    latched: dict[Leaf, Latched] = field(default_factory=dict)
    # The first number that it had: what later ones are large or small against.
    first: float | None = None


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
        captures = observation.captures(metric.signal)
        value = figure(captures)
        if value is None:
            return None
        asked = self._asked[metric.metric]
        series = self._series.get(metric.metric)
        if series is None:
            longest = max(1 if isinstance(leaf, MetricIs) else leaf.over for leaf in asked)
            series = self._series[metric.metric] = Series(deque(maxlen=1 + longest))
        if series.samples and series.samples[-1][1].order == observation.order:
            return None
        value *= metric.scale
        if _begins_anew(series.samples, value, observation, restarted):
            series.samples.clear()
        for leaf in asked:
            known = series.latched.get(leaf)
            if isinstance(leaf, MetricIs) and math.isfinite(value):
                if known is not None and _is_past(leaf, known, value, observation, metric.signal):
                    del series.latched[leaf]
            elif _latches(leaf, value, series, observation, metric.signal):
                match = extended(known.match if known is not None else None, observation, metric.signal)
                series.latched[leaf] = Latched(match, _name_of(observation, metric.signal))
        series.samples.append((value, observation))
        if series.first is None and math.isfinite(value):
            series.first = value
        return value

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
                values = [value for value, _ in recent]
                holds = len(recent) == over and _shape(leaf, values) and not _is_one_line(leaf, recent)
                return match_of_lines(line for _, line in recent) if holds else None
            case _:
                assert_never(leaf)


def _begins_anew(
    before: Sequence[tuple[float, Observation]], value: float, observation: Observation, restarted: Observation | None
) -> bool:
    """Whether this is the first figure of another run in the same log, of a model that was not trained."""
    if not before or not value > _UNTRAINED * abs(before[-1][0]):
        return False
    first = observation.all_captures().get("step") in _FIRST_STEPS
    again = restarted is not None and restarted.order > before[-1][1].order
    return (first or again) and value > _UNTRAINED * median([abs(sample) for sample, _ in before])


def number(text: str) -> float | None:
    """The number that a log prints, with thousands separators and a percent sign forgiven; None if it is none."""
    try:
        return float(text.replace(",", "").rstrip("%"))
    except ValueError:
        return None


def figure(captures: Mapping[str, str]) -> float | None:
    """The number that a metric's line prints; where its pattern captures a whole too (``of``), the share of that."""
    value = number(captures.get("value", ""))
    whole = captures.get("of")
    if value is None or whole is None:
        return value
    of = number(whole)
    return value / of if of else None


def _is_past(leaf: MetricIs, known: Latched, value: float, observation: Observation, signal: int) -> bool:
    """Whether this number, or as many as it makes with those before, shows that figures that were none are past.

    Zero shows nothing: it is what trainers print that leave out of a mean what is no number.
    """
    same_writer = observation.worker == known.match.last.worker
    known.numbers += same_writer and value != 0 and _name_of(observation, signal) == known.called
    return leaf.stays or known.numbers >= _NUMBERS_AGAIN


def _latches(leaf: Metrical, value: float, series: Series, observation: Observation, signal: int) -> bool:
    before = series.samples
    match leaf:
        case MetricIs(kind=NotANumber.NAN):
            return math.isnan(value)
        case MetricIs(kind=NotANumber.INF):
            return math.isinf(value)
        case MetricSpike(above=above, factor=factor, over=over) if len(before) >= over:
            recent = list(before)[-over:]
            if not above:
                return value < factor * median(sample for sample, _ in recent)
            first = abs(series.first or 0.0)
            # Batches differ: a bar shows the figure of one, or it is named so.
            of_batch = "of_batch" in observation.captures(signal) or bar_of(observation.event.text) is not None
            if of_batch or not _is_spike([sample for sample, _ in recent], value, factor, first):
                return False
            # A sum over an epoch is no spike among what its batches had: of two names of one figure one says more.
            name, names = _name_of(observation, signal), [_name_of(seen, signal) for _, seen in recent]
            alike = [one.endswith(name) or name.endswith(one) for one in names]
            named = [sample for (sample, _), same in zip(recent, alike, strict=True) if same]
            return len(named) * 2 >= over and _is_spike(named, value, factor, first)
        case _:
            return False


def _name_of(observation: Observation, signal: int) -> str:
    """The words that stand before the figure, in lower case: what the line calls it."""
    shown = observation.captures(signal).get("value", "")
    found = _NAME.search(observation.event.message.partition(shown)[0]) if shown else None
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


def _is_one_line(leaf: MetricBound | MetricTrend, samples: Sequence[tuple[float, Observation]]) -> bool:
    """Whether a figure that stays the same is but one line that all ranks print, or of a meter that is not fed.

    A meter shows the mean of all it was fed with beside the latest, and that mean moves however little the latest does.
    What is printed again and again may be part of a row of several lines, of which another one counts.
    """
    if not (isinstance(leaf, MetricTrend) and leaf.trend is Trend.FLAT):
        return False
    lines = [observation.event.message for _, observation in samples]
    shown = samples[-1][1].all_captures().get("value", "")
    metered = {found[0] for line in lines if (found := re.search(re.escape(shown) + r" ?\([-\d.]{1,20}\)", line))}
    counts = any(letter.isdigit() for letter in lines[-1].replace(shown, ""))
    of_rows = not counts and len({observation.round for _, observation in samples}) == len(samples)
    return (len(set(lines)) < len(lines) and not of_rows) or len(metered) == 1
