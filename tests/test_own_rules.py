"""`logrules check` of a team's own rules finds the same whether or not it takes the shipped ones as they were kept."""

import pytest

from logrules.ruleset.settings import Settings
from logrules.ruletest import lint
from tests.test_check import RULE

_FILES = {
    "in order": {"one.yaml": RULE},
    "two of them": {"one.yaml": RULE, "two.yaml": RULE.replace("one", "two").replace("217", "218")},
    "with findings": {"one.yaml": RULE.replace("[ACME-217]", "[ACME-217, ab]").replace("https://", "nothing ")},
    "no cause": {"one.yaml": RULE.replace("python-exception", "python-exceptoin")},
    "no such signal": {"one.yaml": RULE.replace("when: said", "when: siad")},
    "the same id twice": {"one.yaml": RULE, "two.yaml": RULE},
    "in the place of a shipped one": {"one.yaml": RULE.replace("acme/one", "distributed/nccl-timeout")},
    "no YAML": {"one.yaml": "a: [\n"},
    "no rule": {"one.yaml": "framework: acme\n"},
    "twins": {f"{name}.yaml": RULE.replace("acme/one", f"acme/{name}") for name in ("one", "two")},
    "empty": {},
}


@pytest.mark.parametrize("files", _FILES.values(), ids=_FILES.keys())
def test_what_is_kept_of_the_shipped_rules_changes_no_finding(tmp_path, monkeypatch, files):
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    quick = lint.check([tmp_path], Settings())
    monkeypatch.setattr(lint, "on_shipped", lambda *_: None)
    assert quick == lint.check([tmp_path], Settings())


def test_own_rules_are_read_without_the_shipped_ones(tmp_path, monkeypatch):
    (tmp_path / "one.yaml").write_text(RULE, encoding="utf-8")
    lint.check([tmp_path], Settings())

    def read(*_: object) -> None:
        pytest.fail("everything is read anew")

    monkeypatch.setattr(lint, "read_sources", read)
    assert lint.check([tmp_path], Settings()).files == 1
