"""A collection run: every example, sample and case to its result, on all cores."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

from logrules.engine.run import Prepared, prepared
from logrules.model.test_result import Result
from logrules.ruleset.pack import Pack
from logrules.ruletest.case import Case
from logrules.ruletest.collect import Collection
from logrules.ruletest.judging import case_result, example_result
from logrules.ruletest.samples import sample_result
from logrules.ruletest.suite import Example, Sample

Test: TypeAlias = Example | Sample | Case
Item = TypeVar("Item")
Answer = TypeVar("Answer")
# Below this many tests starting processes costs more than it saves.
FEW = 150
_CHUNKS_A_PROCESS = 8


def every_test(found: Collection, word: str = "") -> tuple[Test, ...]:
    """All tests whose name contains ``word``: cases first, which take longest."""
    return tuple(test for test in (*found.cases, *found.suite.tests) if word in test.name)


def run_tests(on: Prepared, tests: Sequence[Test], processes: int | None = 1) -> Iterator[Result]:
    """Each test's result, in the given order."""
    yield from on_all_cores(run_test, tests, on, processes)


def run_test(on: Prepared, test: Test) -> Result:
    """Run one test."""
    match test:
        case Case():
            return case_result(on, test)
        case Example():
            return example_result(on, test)
        case Sample():
            return sample_result(on, test)


class _Here:
    """The pack of this process."""

    on: Prepared


def on_all_cores(
    task: Callable[[Prepared, Item], Answer], items: Sequence[Item], on: Prepared, processes: int | None, few: int = FEW
) -> Iterator[Answer]:
    """``task`` of each item, in order, by one process a core unless told how many. It is a function of a module."""
    if len(items) < few or processes == 1:
        yield from (task(on, item) for item in items)
        return
    # What few tests do without takes longer to load than they do.
    from logrules.engine.resilient_pool import default_processes, process_pool

    processes = processes or default_processes()
    with process_pool(processes, _begin, on, on.pack) as pool:
        size = max(1, len(items) // (processes * _CHUNKS_A_PROCESS))
        yield from pool.map(_do, [(task, item) for item in items], chunksize=size)


def _begin(given: Prepared | Pack) -> None:
    _Here.on = prepared(given, cache=True) if isinstance(given, Pack) else given


def _do(work: tuple[Callable[[Prepared, Any], Any], Any]) -> Any:
    task, item = work
    return task(_Here.on, item)
