"""Certainty is measured: smoothed, and written into the rule's own file and nowhere else."""

import importlib.util
import shutil
from pathlib import Path

import pytest

from logrules.ruleset import load as loading

ROOT = Path(__file__).parent.parent


@pytest.fixture
def calibrate():
    spec = importlib.util.spec_from_file_location("calibrate", ROOT / "bench" / "calibrate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_rule_seen_once_does_not_claim_to_be_always_right(calibrate):
    seen = [("a/a", True), ("b/b", False), ("c/c", True), ("c/c", True)]
    found = calibrate.certainties(seen, dict.fromkeys(("a/a", "b/b", "c/c", "d/d"), 0.8))
    assert found["a/a"] == (0.8, 1, 1)
    assert found["b/b"] == (0.6, 0, 1)
    assert found["c/c"][0] > found["a/a"][0]
    assert found["d/d"] == (0.75, 0, 0)


def test_what_no_case_shows_is_judged_by_rules_of_its_weight(calibrate):
    seen = [("vague/a", False)] * 10 + [("sharp/a", True)] * 10
    weights = {"vague/a": 0.2, "vague/b": 0.2, "sharp/a": 0.9, "sharp/b": 0.9}
    found = calibrate.certainties(seen, weights)
    assert found["vague/b"][0] < 0.2
    assert found["sharp/b"][0] > 0.8


@pytest.mark.parametrize(
    ("rule", "file"),
    [("python/exception", "python/exception.yaml"), ("waits/vllm/engine-creation", "phases/vllm.yaml")],
)
def test_only_the_rules_own_number_changes(calibrate, tmp_path, monkeypatch, rule, file):
    rules = tmp_path / "rules"
    shutil.copytree(loading.shipped_rules(), rules)
    monkeypatch.setattr(calibrate, "shipped_rules", lambda: rules)
    before = (rules / file).read_text(encoding="utf-8").splitlines()
    calibrate.write_back(rule, 0.123)
    after = (rules / file).read_text(encoding="utf-8").splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 1
    assert changed[0][1].strip() == "certainty: 0.123"
