"""What the documentation says holds: its rule files compile, their examples pass, nothing is left out."""

import argparse
import re
import runpy
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from logrules.cli.main import VERBS
from logrules.cli.schema import all_schemas
from logrules.engine.run import prepared
from logrules.ruleset.condition import Detection
from logrules.ruleset.file_adapter import adapter_of
from logrules.ruleset.framework_models import FrameworkFile
from logrules.ruleset.load import load_pack
from logrules.ruleset.models import RuleFile
from logrules.ruleset.when import parse_when
from logrules.ruletest.collect import collect
from logrules.ruletest.judging import case_result, run_tests
from logrules.ruletest.rule_tests import CaseFile, Moment, read_cases

_DOCS = Path(__file__).parents[2] / "docs"
_RULES = (_DOCS / "writing-rules.md").read_text(encoding="utf-8")
_GUIDE = (_DOCS / "guide.md").read_text(encoding="utf-8")
_TESTING = (_DOCS / "testing.md").read_text(encoding="utf-8")
# The rules that are shown, in their order.
_DOCUMENTED = ("acme/shard-server-gone", "acme/loss-jumps")
_OPERATORS = (
    "then",
    "without",
    "within",
    "count",
    "metric",
)


def _blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _rule_blocks() -> dict[str, str]:
    """The documented rules by their ids, which are the paths that the text gives them."""
    blocks = [block for block in _blocks(_RULES, "yaml") if re.search(r"^cause:", block, re.MULTILINE)]
    return dict(zip(_DOCUMENTED, blocks, strict=True))


def _framework_block() -> str:
    """The documented file of a framework: the parts that are shown apart are of one file."""
    first, *others = (
        block for block in _blocks(_RULES, "yaml") if not re.search(r"^(?:cause|exceptions):", block, re.MULTILINE)
    )
    return "".join((first, *others))


def _row_block() -> str:
    """The documented row of exceptions."""
    (block,) = (block for block in _blocks(_RULES, "yaml") if re.search(r"^exceptions:", block, re.MULTILINE))
    return block


def _conditions() -> Iterator[str]:
    for block in _blocks(_RULES, "when"):
        yield from (line.partition("#")[0].strip() for line in block.splitlines() if line.strip())


def _folder_of_blocks(folder: Path) -> Path:
    """The documented files as a user would lay them out."""
    tables = {"frameworks/acme": _framework_block(), "exceptions/acme": _row_block()}
    for name, block in {**_rule_blocks(), **tables}.items():
        path = folder / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block, encoding="utf-8")
    return folder


def test_documented_files_fit_the_schema():
    rules = [
        adapter_of(RuleFile).validate_python({"id": name, **yaml.safe_load(text)})
        for name, text in _rule_blocks().items()
    ]
    framework = adapter_of(FrameworkFile).validate_python(yaml.safe_load(_framework_block()))
    assert [rule.id for rule in rules] == list(_DOCUMENTED)
    assert all((framework.markers, framework.waits, framework.metrics, framework.headers))


def test_documented_examples_and_samples_hold(tmp_path: Path):
    found = collect([_folder_of_blocks(tmp_path / "my-rules")])
    results = list(run_tests(prepared(found.pack), found.tests()))
    assert [f"{one.name}: {fault.message}" for one in results for fault in one.faults] == []
    assert set(_DOCUMENTED) <= {one.owner for one in results}
    assert any(one.owner.startswith("waits/") for one in results)


def test_documented_cases_hold(tmp_path: Path, shipped):
    labelled, live = _blocks(_TESTING, "case")
    assert adapter_of(CaseFile).validate_python(yaml.safe_load(labelled)).cause == "rendezvous-timeout"
    (tmp_path / "case.yaml").write_text(live, encoding="utf-8")
    (case,) = read_cases([tmp_path / "case.yaml"])
    assert [fault.message for fault in case_result(prepared(shipped), case).faults] == []


@pytest.mark.parametrize("key", [one.name for one in (*fields(CaseFile), *fields(Moment))])
def test_every_key_of_a_case_is_described(key: str):
    described = f"{_TESTING}\n{(_DOCS.parent / 'fixtures' / 'README.md').read_text(encoding='utf-8')}"
    assert re.search(rf"\b{key.rstrip('_')}\b", described)


def test_documented_rules_stay_away_from_shipped_ids():
    shipped = {rule.id for rule in load_pack().rules}
    assert not shipped & set(_DOCUMENTED)


@pytest.mark.parametrize("condition", list(_conditions()))
def test_every_condition_in_the_table_is_understood(condition: str):
    assert parse_when(condition, {"a": 0, "b": 1}) is not None


@pytest.mark.parametrize("word", _OPERATORS)
def test_every_operator_is_shown_in_a_condition(word: str):
    assert any(re.search(rf"\b{word}\b", condition) for condition in _conditions())


@pytest.mark.parametrize("detector", list(Detection))
def test_every_detector_is_described(detector: Detection):
    (row,) = (line for line in _RULES.splitlines() if line.startswith("| `detector` |"))
    assert f"`{detector}`" in row


@pytest.mark.parametrize("key", [member.name.rstrip("_") for member in fields(RuleFile)])
def test_every_key_of_a_rule_is_described(key: str):
    assert f"| `{key}` |" in _RULES


@pytest.mark.parametrize("verb", list(VERBS))
def test_every_verb_is_in_the_guide(verb: str):
    assert f"logrules {verb}" in _GUIDE


@pytest.mark.parametrize("name", list(all_schemas()))
def test_every_schema_is_in_the_guide(name: str):
    assert re.search(rf"`(?:logrules schema )?{name}\b", _GUIDE)


def _commands() -> list[str]:
    """Every command line that the documents show, without its comment and what is piped into or out of it."""
    lines = re.findall(r"^    (?:.*\| )?logrules (.*)$", f"{_RULES}\n{_GUIDE}\n{_TESTING}", re.MULTILINE)
    return [re.split(r"\s+#|\s[|>]", line)[0].strip() for line in lines]


def _verb_modules() -> dict[str, str]:
    """The modules of the verbs: the core's own, and those that this package adds as another would."""
    project = tomllib.loads((_DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {**project["entry-points"]["logrules.verbs"], **{name: module for name, (module, _) in VERBS.items()}}


@pytest.mark.parametrize("command", _commands())
def test_every_command_that_is_shown_is_understood(command: str):
    verb, *words = shlex.split(command)
    parser = argparse.ArgumentParser(exit_on_error=False)
    import_module(_verb_modules()[verb]).add_options(parser)
    assert parser.parse_args(words) is not None


def test_the_python_in_the_guide_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "train.log").write_text(
        "OSError: [Errno 28] No space left on device: 'out/model.pt'\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    (block,) = _blocks(_GUIDE, "python")
    (tmp_path / "guide.py").write_text(block, encoding="utf-8")
    runpy.run_path("guide.py")
    assert "disk-full" in capsys.readouterr().out
