"""The exceptions that name a cause outside of the order of tiers, each on a log that shows why it is needed."""

from pathlib import Path

import yaml

from logrules.engine.run import prepared
from logrules.ruleset.load import shipped_rules
from logrules.ruletest.harness import run_log


def test_a_loss_that_does_not_fall_explains_weights_that_seem_not_to_arrive(shipped):
    rule = yaml.safe_load(Path(shipped_rules(), "rl/not-converging.yaml").read_text(encoding="utf-8"))
    (first, *_) = run_log(prepared(shipped), rule["examples"]["fires"]["log"]).diagnoses
    assert first.rule == "rl/not-converging"
    assert "rl/weights-not-synced" in {one.rule for one in first.consequences}


def test_every_such_exception_has_its_test_here():
    texts = {path.stem: path.read_text(encoding="utf-8") for path in Path(shipped_rules()).rglob("*.yaml")}
    assert {name for name, text in texts.items() if "\nexplained_by:" in text} == {"weights-not-synced"}
