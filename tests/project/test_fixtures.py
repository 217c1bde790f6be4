"""What the fixture cases are; that they hold is for `logrules test`, `make examples`."""

import tomllib

import pytest

from logrules.ruletest.rule_tests import Case, find_cases, read_cases
from tests.conftest import fixtures


@pytest.fixture(scope="module")
def cases() -> tuple[Case, ...]:
    return tuple(read_cases(find_cases([fixtures()])))


def test_there_are_failures_stalls_healthy_runs_and_live_scripts(cases):
    assert len(cases) > 200
    assert any(case.healthy for case in cases)
    assert any(case.script for case in cases)
    assert sum(case.wants.causes != () for case in cases) > 130


def test_every_capture_is_of_one_kind_of_event(cases):
    kinds = tomllib.loads((fixtures() / "capture" / "kinds.toml").read_text(encoding="utf-8"))
    listed = [name for group in kinds.values() for names in group.values() for name in names]
    captured = {case.name for case in cases if not case.script}
    assert sorted(listed) == sorted(captured)
    assert sum(map(len, kinds.values())) >= 60
