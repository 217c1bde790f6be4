"""`logrules check` of a team's own rules finds the same whether or not it takes the shipped ones as they were kept."""

from pathlib import Path

import pytest

from logrules.ruleset import compile as compiling
from logrules.ruleset.settings import Settings
from logrules.ruletest import collect, lint
from tests.ruletest.test_check import RULE

_SECOND = RULE.replace("one", "two").replace("[ACME-217]", "[ACME-218, Acme]").replace("217 now", "218 now")
_ROWS = "exceptions: [{id: acme-lost, classes: [OSError], words: acme lost, cause: peer-lost, samples: ['%s']}]\n"
_IN_ORDER = {
    "one, and one with findings": {"one.yaml": RULE, "two.yaml": _SECOND.replace("https://", "nothing ")},
    "rows of exceptions": {"one.yaml": RULE, "rows.yaml": _ROWS % "OSError: the peer went"},
    "twins": {f"{name}.yaml": RULE.replace("acme/one", f"acme/{name}") for name in ("one", "two")},
}
_OF_A_SHIPPED_NAME = {"one.yaml": RULE.replace("acme/one", "torch/watchdog-timeout")}
_WITH_FAULTS = {
    "too short a literal": {"one.yaml": RULE.replace("[ACME-217]", "[ACME-217, ab]")},
    "no cause": {"one.yaml": RULE.replace("python-exception", "python-exceptoin")},
    "no such signal": {"one.yaml": RULE.replace("when: said", "when: siad")},
    "a row without a cause": {"rows.yaml": (_ROWS % "OSError: acme lost").replace("peer-lost", "peer-lots")},
    "the same id twice": {"one.yaml": RULE, "two.yaml": RULE},
    "no YAML": {"one.yaml": "a: [\n"},
    "no rule": {"one.yaml": "framework: acme\n"},
}


def _written(folder: Path, files: dict[str, str]) -> list[Path]:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("files", _IN_ORDER.values(), ids=_IN_ORDER.keys())
def test_what_is_kept_of_the_shipped_rules_changes_no_finding(alone, monkeypatch, files):
    own = _written(alone / "my", files)
    lint.check(own, Settings())
    with monkeypatch.context() as patch:
        patch.setattr(collect, "compiled", pytest.fail)
        quick = lint.check(own, Settings())
    monkeypatch.setattr(compiling, "added_rules", lambda *_: None)
    assert quick == lint.check(own, Settings())
    assert quick.findings


@pytest.mark.parametrize("files", _WITH_FAULTS.values(), ids=_WITH_FAULTS.keys())
def test_faults_are_told_from_all_rules_together(alone, monkeypatch, files):
    _same_without_what_is_kept(_written(alone / "my", files), monkeypatch)


@pytest.mark.fuzz
def test_a_rule_in_the_place_of_a_shipped_one_is_told_from_all_together(tmp_path, monkeypatch):
    _same_without_what_is_kept(_written(tmp_path, _OF_A_SHIPPED_NAME), monkeypatch)


def _same_without_what_is_kept(own: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    quick = lint.check(own, Settings())
    monkeypatch.setattr(compiling, "added_rules", lambda *_: None)
    assert quick == lint.check(own, Settings())
