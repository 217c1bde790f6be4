"""A suite run: every example, sample and case to its result."""

from collections.abc import Iterator

from logrules.engine import Prepared, prepared
from logrules.pack.pack import Pack
from logrules.proof.examples import example_result, marker_result, metric_result
from logrules.proof.parallel import on_all_cores
from logrules.proof.result import Result
from logrules.proof.suite import Example, MarkerSample, MetricSample, Suite

Test = Example | MarkerSample | MetricSample


def selected(suite: Suite, word: str) -> tuple[Test, ...]:
    """All tests whose name contains ``word``."""
    every: tuple[Test, ...] = (*suite.examples, *suite.markers, *suite.metrics)
    return tuple(test for test in every if word in test.name)


def prove(pack: Pack, suite: Suite, word: str = "", processes: int = 1) -> Iterator[Result]:
    """Each test's result, in the order of the suite."""
    on = prepared(pack, cache=True)
    yield from on_all_cores(run_test, selected(suite, word), on, processes)


def run_test(on: Prepared, test: Test) -> Result:
    """Run one test."""
    match test:
        case Example():
            return example_result(on, test)
        case MarkerSample():
            return marker_result(on, on.signals, test)
        case MetricSample():
            return metric_result(on, on.signals, test)
