"""The fixture cases: of each captured log what an expert would say is said first, each live script goes as written."""

import tomllib

import pytest

from logrules.engine.run import Prepared, prepared
from logrules.model.test_result import Outcome
from logrules.ruletest.case import Case, find_cases, read_cases
from logrules.ruletest.cases import case_result
from tests.conftest import fixtures

pytestmark = pytest.mark.unmeasured

CASES = read_cases(find_cases([fixtures()]))


@pytest.fixture(scope="module")
def on(shipped) -> Prepared:
    return prepared(shipped)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_case_holds_or_misses_as_it_says(on, case: Case):
    result = case_result(on, case)
    assert result.outcome is not Outcome.FAILED, [fault.message for fault in result.faults]


def test_there_are_failures_stalls_healthy_runs_and_live_scripts():
    assert len(CASES) > 200
    assert any(case.healthy for case in CASES)
    assert any(case.script for case in CASES)
    assert sum(case.wants.causes != () for case in CASES) > 130


def test_every_capture_is_of_one_kind_of_event():
    kinds = tomllib.loads((fixtures() / "capture" / "kinds.toml").read_text(encoding="utf-8"))
    listed = [name for group in kinds.values() for names in group.values() for name in names]
    captured = {case.name for case in CASES if not case.script}
    assert sorted(listed) == sorted(captured)
    assert sum(map(len, kinds.values())) >= 60
