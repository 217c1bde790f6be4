"""Only what changed files can affect is run, on a pack that behaves as if it were compiled anew."""

import json
import subprocess
from collections.abc import Callable
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from logrules.cli.main import main
from logrules.engine.run import prepared
from logrules.model.errors import PackError
from logrules.ruleset.load import load_pack, shipped_texts
from logrules.ruleset.pack import Pack, Rule
from logrules.ruleset.rule_file import RuleText
from logrules.ruleset.settings import read_settings
from logrules.ruletest.collect import Collection, collect, compiled, known_collection
from logrules.ruletest.judging import run_tests
from logrules.ruletest.rule_tests import examples_of
from tests.toy_rule import rule as faulty_rule

RULE = """
id: {id}
cause: python-exception
title: a
why: a
signals: {{said: {word}}}
fixes: [{{do: a}}]
examples: {{fires: {word}, silent: {near}}}
"""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def rule(name: str, word: str, near: str = "calm") -> str:
    return RULE.format(id=name, word=word, near=near)


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def checkout(alone, monkeypatch) -> Path:
    """A repository with two rules and two cases of a team's own."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    write(alone / "my/acme/one.yaml", rule("acme/one", "ONE-WORD"))
    write(alone / "my/acme/two.yaml", rule("acme/two", "TWO-WORD"))
    write(alone / "my/cases/first/case.yaml", "{diagnoses: [{rule: acme/one}]}")
    write(alone / "my/cases/first/log.txt", "ONE-WORD\n")
    write(alone / "my/cases/second/case.yaml", "{diagnoses: [{rule: acme/two}]}")
    write(alone / "my/cases/second/log.txt", "TWO-WORD\n")
    write(alone / ".gitignore", "/shipped\n")
    git(alone, "init", "-q")
    git(alone, "add", "-A")
    git(alone, "commit", "-q", "-m", "all")
    return alone


@pytest.fixture
def logrules(capsys) -> Callable[..., tuple[int, str, str]]:
    """`logrules test` in a folder: its status, and what it prints."""

    def run(folder: Path, *words: str) -> tuple[int, str, str]:
        with chdir(folder):
            status = main(["test", *words])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def ran(logrules) -> Callable[..., list[str]]:
    """The names of the tests that a change leads to."""

    def run(folder: Path, *words: str) -> list[str]:
        status, out, err = logrules(folder, "my", "--changed", "--format", "json", *words)
        assert status in {0, 1}, err
        return [test["name"] for test in json.loads(out)["tests"]]

    return run


ONE = ["first", "acme/one example 1", "acme/one example 2"]
TWO = ["second", "acme/two example 1", "acme/two example 2"]


def test_what_a_change_can_affect_is_run_and_nothing_else(checkout, ran):
    assert ran(checkout) == []
    write(checkout / "my/acme/one.yaml", rule("acme/one", "ONE-WORD") + "# why\n")
    assert ran(checkout) == ONE
    # The words that it had before matter as well: what it explained then may now stand alone.
    write(checkout / "my/acme/one.yaml", rule("acme/one", "TWO-WORD"))
    assert set(ran(checkout)) == {*ONE, "second", "acme/two example 1"}
    git(checkout, "checkout", "-q", "my")
    write(checkout / "my/cases/second/log.txt", "TWO-WORD again\n")
    assert ran(checkout) == ["second"]
    write(checkout / "README", "no rule")
    assert ran(checkout) == ["second"]
    git(checkout, "commit", "-q", "-a", "-m", "second")
    assert ran(checkout) == []
    assert ran(checkout, "--since", "HEAD~1") == ["second"]


def test_a_new_rule_is_run_and_a_failing_one_ends_with_1(checkout, logrules):
    write(checkout / "my/acme/three.yaml", faulty_rule("THREE-WORD", faulty=True))
    status, out, _ = logrules(checkout, "my", "--changed")
    assert (status, out.splitlines()[-1]) == (1, "3 examples: 1 failed")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("staged", [True, False])
def test_before_the_first_commit_everything_is_new(staged, tmp_path, ran, monkeypatch):
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    write(tmp_path / "my/acme/one.yaml", rule("acme/one", "ONE-WORD"))
    git(tmp_path, "init", "-q")
    if staged:
        git(tmp_path, "add", "-A")
    assert ran(tmp_path) == ["acme/one example 1", "acme/one example 2"]


def test_no_repository_and_no_such_commit_are_told(checkout, logrules, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    status, _, err = logrules(outside, "--changed")
    assert (status, err.count("\n")) == (2, 1)
    assert "git says" in err
    assert logrules(checkout, "my", "--changed", "--since", "nowhere")[0] == 2
    assert logrules(checkout, "my", "--changed", "--since=--output=x")[0] == 2


def test_a_folder_of_rules_that_nobody_named_is_no_success(checkout, logrules):
    write(checkout / "my/acme/one.yaml", faulty_rule("ONE-WORD", faulty=True))
    status, out, err = logrules(checkout, "--changed")
    assert (status, out) == (2, "")
    assert "name it, or list it as `packs` in logrules.toml" in err


# --- the pack that is put together from an earlier one --------------------------------------------------------------


def outcomes(pack, suite, word: str) -> list[tuple[str, list[str]]]:
    found = Collection(pack, suite).tests(word)
    return [(result.name, [fault.message for fault in result.faults]) for result in run_tests(prepared(pack), found)]


def edited(raw: bytes) -> bytes:
    """The rule with another title, and with its first signal's words gone."""
    data = yaml.safe_load(raw)
    data["title"] = "Another"
    first = next(
        name for name, signal in data["signals"].items() if not isinstance(signal, dict) or "contains" in signal
    )
    data["signals"][first] = "words that no log has"
    return yaml.safe_dump(data, allow_unicode=True).encode()


@pytest.mark.fuzz
@pytest.mark.unmeasured
def test_rules_put_on_the_shipped_pack_behave_as_if_all_were_compiled(tmp_path):
    shipped = list(shipped_texts())
    touched = [text for text in shipped if "/host/" in text.shown][:6]
    own = [
        RuleText(f"{tmp_path}/{one.id}.yaml", edited(one.raw), str(tmp_path), tmp_path / f"{one.id}.yaml")
        for one in touched
    ]
    put_on, anew = known_collection([*shipped, *own], None), compiled([*shipped, *own])
    assert put_on[0].digest == anew[0].digest
    # The order of a suite says nothing: rules that are put on come last.
    assert outcomes(*put_on, "host/") == outcomes(anew[0], put_on[1], "host/")
    assert any(faults for _, faults in outcomes(*put_on, "host/"))
    assert {one.name for one in put_on[1]} == {one.name for one in anew[1]}


def test_what_cannot_be_patched_is_compiled(tmp_path):
    folder = tmp_path / "my"
    write(folder / "one.yaml", rule("acme/one", "ONE-WORD"))
    first = collect([folder])
    write(folder / "one.yaml", rule("acme/renamed", "ONE-WORD"))
    second = collect([folder])
    assert {"acme/one"} == {one.owner for one in examples_of(first.suite)}
    assert {"acme/renamed"} == {one.owner for one in examples_of(second.suite)}
    assert "acme/one" not in {one.id for one in second.pack.rules}
    (folder / "one.yaml").unlink()
    assert "acme/renamed" not in {one.id for one in collect([folder]).pack.rules}


@pytest.mark.unmeasured
def test_a_torn_cache_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("LOGRULES_CACHE_DIR", str(tmp_path))
    whole = collect()
    for kept in tmp_path.iterdir():
        kept.write_bytes(kept.read_bytes()[: kept.stat().st_size // 2])
    assert examples_of(collect().suite) == examples_of(whole.suite)


def test_a_test_run_does_not_bring_back_what_the_settings_disable(alone, monkeypatch):
    """What they add is compiled with all rules, and was then kept for `diagnose` as if they said no more."""
    monkeypatch.setenv("LOGRULES_CACHE_DIR", str(alone / "cache"))
    file, phase = alone / "logrules.toml", "[[phases]]\nid = 'own'\ntitle = 'Own'\nabout = 'Own.'\n"
    write(file, f"installed = false\npacks = ['my']\ndisable = ['acme/*']\n{phase}")
    write(alone / "my/acme/one.yaml", rule("acme/one", "ONE-WORD"))
    settings = read_settings(file)
    assert "acme/one" in {one.id for one in collect(settings=settings).pack.rules}
    assert "acme/one" not in {one.id for one in load_pack(settings=settings).rules}


def unnumbered(pack: Pack) -> list[Rule]:
    """The rules without what numbers signals."""
    return [replace(one, when=None, evidence=()) for one in pack.rules]


def test_own_rules_beside_the_shipped_ones_are_all_that_is_compiled(tmp_path, monkeypatch):
    settings = tmp_path / "logrules.toml"
    write(
        settings, "installed = false\npacks = ['first', 'second']\ndisable = ['hub/*']\nseverity = {'acme/*' = 'info'}"
    )
    write(tmp_path / "first/acme/one.yaml", rule("acme/one", "ONE-WORD"))
    write(tmp_path / "first/host/aborted.yaml", rule("host/aborted", "FULL-WORD"))
    write(tmp_path / "second/acme/one.yaml", rule("acme/one", "ANOTHER-WORD"))
    anew = load_pack(settings=read_settings(settings), cache=False)
    load_pack()
    monkeypatch.setattr("logrules.ruleset.compile.compile_pack", lambda *_: pytest.fail("everything is compiled"))
    added = load_pack(settings=read_settings(settings))
    assert unnumbered(added) == unnumbered(anew)
    assert (added.digest, added.cards, added.origins) == (anew.digest, anew.cards, anew.origins)
    assert sorted(added.replaced, key=str) == sorted(anew.replaced, key=str)
    assert len(added.replaced) == 2
    # Signals of rules that were replaced keep their numbers and are never found.
    assert {(one.id, one.literals) for one in anew.signals} == {
        (one.id, one.literals) for one in added.signals if one.literals or one.id in {each.id for each in anew.signals}
    }
    assert load_pack(settings=read_settings(settings)) == added


@pytest.mark.parametrize("text", ["id: [", rule("acme/one", "x").replace("python-exception", "nothing"), "when: said"])
def test_faults_of_own_rules_are_those_of_a_pack_compiled_anew(tmp_path, text):
    write(tmp_path / "acme/one.yaml", text)
    found = []
    for cache in (True, False):
        with pytest.raises(PackError) as fault:
            load_pack([tmp_path], cache=cache)
        found.append(fault.value.problems)
    assert found[0] == found[1]
