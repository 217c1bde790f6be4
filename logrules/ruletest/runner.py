"""A collection run: every example, sample and case to its result."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from logrules.engine.run import Prepared
from logrules.model.test_result import Result
from logrules.ruletest.case import Case
from logrules.ruletest.cases import case_result
from logrules.ruletest.collect import Collection
from logrules.ruletest.examples import example_result, header_result, marker_result, metric_result
from logrules.ruletest.parallel import on_all_cores
from logrules.ruletest.suite import AnySample, Example, HeaderSample, MarkerSample, MetricSample

Test: TypeAlias = Example | AnySample | Case


def every_test(found: Collection, word: str = "") -> tuple[Test, ...]:
    """All tests whose name contains ``word``: cases first, which take longest."""
    return tuple(test for test in (*found.cases, *found.suite.tests) if word in test.name)


def prove(on: Prepared, tests: Sequence[Test], processes: int = 1) -> Iterator[Result]:
    """Each test's result, in the given order."""
    yield from on_all_cores(run_test, tests, on, processes)


def run_test(on: Prepared, test: Test) -> Result:
    """Run one test."""
    match test:
        case Case():
            return case_result(on, test)
        case Example():
            return example_result(on, test)
        case MarkerSample():
            return marker_result(on, on.signals, test)
        case HeaderSample():
            return header_result(on.pack, test)
        case MetricSample():
            return metric_result(on, on.signals, test)
