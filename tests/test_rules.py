"""Every example that a shipped rule carries, and every sample of a marker, a metric or a wait."""

import pytest

from logrules.engine.run import prepared
from logrules.model.test_result import Outcome
from logrules.ruleset import models as schema
from logrules.ruleset.compile import read_source
from logrules.ruleset.load import rule_texts, shipped_rules
from logrules.ruletest.collect import collect
from logrules.ruletest.runner import every_test, prove


@pytest.fixture(scope="module")
def results():
    found = collect()
    return list(prove(prepared(found.pack), every_test(found)))


def test_every_example_and_sample_holds(results):
    failed = [result for result in results if result.outcome is Outcome.FAILED]
    assert [f"{result.place} {result.name}: {fault.message}" for result in failed for fault in result.faults] == []


def test_every_rule_has_a_firing_example_and_a_near_miss():
    lacking, seen = [], 0
    for text in rule_texts([shipped_rules()]):
        source, problems = read_source(text)
        assert source is not None, problems
        cards = [source.file] if isinstance(source.file, schema.RuleFile) else getattr(source.file, "waits", [])
        for card in cards:
            seen += 1
            if not (card.examples.fires and card.examples.silent):
                lacking.append(f"{text.shown} {card.id}")
    assert lacking == []
    assert seen > 0


def test_the_id_of_a_rule_is_its_path():
    root = shipped_rules()
    seen = 0
    for text in rule_texts([root]):
        source, problems = read_source(text)
        assert source is not None, problems
        if isinstance(source.file, schema.RuleFile):
            seen += 1
            assert source.file.id == text.path.relative_to(root).with_suffix("").as_posix()
            assert b"\nid:" not in b"\n" + text.raw, f"{text.shown} says what its path says"
    assert seen > 0
