"""The hooks of `.pre-commit-hooks.yaml`, run by pre-commit itself on a team's repository."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytest.importorskip("pre_commit")

pytestmark = pytest.mark.integration

HERE = Path(__file__).parents[2]
CONFIG = """
repos:
  - repo: {hooks}
    rev: v1
    hooks:
      - {{id: logrules-fmt, language: system}}
      - {{id: logrules-check, language: system}}
      - {{id: logrules-test, language: system}}
"""
RULE = """\
id: acme/scratch
cause: disk-full
title: Scratch is full
why: The scratch disk is full.
signals:
  full: ACME-217
fixes:
  - do: Empty it.
examples:
  fires: "ACME-217 scratch is full"
  silent: "ACME-216 scratch is busy"
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> dict[str, str]:
    """As a developer has it: `logrules` and `git` on the path, and a home of its own."""
    home = tmp_path_factory.mktemp("home")
    known = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), known.get("PATH", "")])
    names = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return {**known, **names, "PATH": path, "HOME": str(home), "PRE_COMMIT_HOME": str(home / "kept")}


def ran(folder: Path, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def committed(folder: Path, environment: dict[str, str]) -> None:
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "--no-verify", "-m", "all"]):
        assert ran(folder, environment, "git", *words).returncode == 0


@pytest.fixture(scope="module")
def hooks(tmp_path_factory, environment) -> Path:
    """A repository that offers the hooks, as this one does."""
    folder = tmp_path_factory.mktemp("hooks")
    shutil.copy(HERE / ".pre-commit-hooks.yaml", folder)
    committed(folder, environment)
    assert ran(folder, environment, "git", "tag", "v1").returncode == 0
    return folder


@pytest.fixture
def team(tmp_path, hooks, environment) -> Path:
    """A repository that uses them."""
    (tmp_path / ".pre-commit-config.yaml").write_text(CONFIG.format(hooks=hooks))
    (tmp_path / "logrules.toml").write_text('packs = ["rules"]\n')
    (tmp_path / "rules/acme").mkdir(parents=True)
    (tmp_path / "rules/acme/scratch.yaml").write_text(RULE, encoding="utf-8")
    (tmp_path / "values.yaml").write_text("neither: rule nor case\n")
    committed(tmp_path, environment)
    return tmp_path


def tried(team: Path, environment: dict[str, str], rule: str) -> tuple[dict[str, str], str]:
    """What pre-commit says of each hook when the rule is staged so, and everything that it prints."""
    (team / "rules/acme/scratch.yaml").write_text(rule, encoding="utf-8")
    assert ran(team, environment, "git", "add", "-A").returncode == 0
    found = ran(team, environment, sys.executable, "-m", "pre_commit", "run", "--color=never")
    lines = [line.split(".") for line in found.stdout.splitlines() if line.startswith("logrules ")]
    return {line[0].split(" ")[1]: line[-1] for line in lines}, found.stdout + found.stderr


def test_a_good_change_passes_all_three(team, environment):
    results, said = tried(team, environment, RULE.replace("Scratch is full", "The scratch disk is full"))
    assert results == {"fmt": "Passed", "check": "Passed", "test": "Passed"}, said


def test_other_files_are_left_alone(team, environment):
    (team / "values.yaml").write_text("neither:   rule nor case\n")
    results, said = tried(team, environment, RULE)
    assert all(result.endswith("Skipped") for result in results.values()), said


def test_a_file_in_disorder_is_put_in_order(team, environment):
    first, *rest = RULE.splitlines(keepends=True)
    results, said = tried(team, environment, "".join([*rest, first]))
    assert results == {"fmt": "Failed", "check": "Passed", "test": "Passed"}, said
    assert (team / "rules/acme/scratch.yaml").read_text(encoding="utf-8") == RULE


@pytest.mark.parametrize(
    ("path", "looked_at"),
    [
        ("rules/acme/lost.yaml", True),
        ("my-rules/acme/shard-server-gone.yaml", True),
        ("ml/acme_rules/rules/causes.yml", True),
        ("tools/logrules/acme/lost.yaml", True),
        ("cases/lost/case.yaml", True),
        ("my-rules/README.md", False),
        ("overrules/values.yaml", False),
        ("charts/values.yaml", False),
    ],
)
def test_the_hooks_look_at_folders_as_the_documents_call_them(path, looked_at):
    hooks = yaml.safe_load((HERE / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {bool(re.search(hook["files"], path)) for hook in hooks} == {looked_at}


def test_a_finding_stops_the_commit(team, environment):
    results, said = tried(team, environment, RULE.replace("disk-full", "no-such-cause"))
    assert results == {"fmt": "Passed", "check": "Failed", "test": "Failed"}, said
    assert "rules/acme/scratch.yaml:2:1: LR004 unknown cause `no-such-cause`" in said


def test_an_example_that_does_not_hold_stops_the_commit(team, environment):
    results, said = tried(team, environment, RULE.replace("ACME-216", "ACME-217"))
    assert results == {"fmt": "Passed", "check": "Passed", "test": "Failed"}, said
    assert "acme/scratch example 2 fires, though it must not" in said
