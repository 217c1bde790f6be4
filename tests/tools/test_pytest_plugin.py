"""Pytest itself, with rule files to collect."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from logrules.ruleset.load import shipped_rules
from tests.toy_rule import rule, write

pytestmark = pytest.mark.integration


def run_pytest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(shipped_rules().parent)}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "logrules.tools.pytest_plugin",
        "-p",
        "no:cacheprovider",
        *words,
    ]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def project(tmp_path) -> Path:
    write(tmp_path / "my/acme/one.yaml", rule("ONE-WORD"))
    write(tmp_path / "my/job/case.yaml", "{diagnoses: [{rule: acme/two}], expected_miss: not yet}")
    write(tmp_path / "my/job/log.txt", "ONE-WORD\n")
    write(tmp_path / "other/conf.yaml", "not: a rule")
    return tmp_path


def test_rules_and_cases_are_collected_where_they_are_said_to_be(project):
    done = run_pytest(project, "-v", "--logrules-rules", "my")
    assert done.returncode == 0, done.stdout
    assert "my/acme/one.yaml::acme/one example 1 PASSED" in done.stdout
    assert "my/job/case.yaml::job XFAIL" in done.stdout
    assert "3 passed, 1 xfailed" in done.stdout


def test_the_configuration_may_say_where(project):
    write(project / "pytest.ini", "[pytest]\nlogrules_rules = my\n")
    assert "3 passed, 1 xfailed" in run_pytest(project).stdout


def test_a_folder_that_is_not_there_is_one_error_and_not_a_pass(project):
    write(project / "test_ours.py", "def test_ours(): pass\n")
    done = run_pytest(project, "--logrules-rules", "mine")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stderr.strip().endswith("mine: no such file or folder of rules")


def test_nothing_is_collected_unasked(project):
    assert run_pytest(project).returncode == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_failure_reads_as_in_logrules_test(project):
    write(project / "my/acme/one.yaml", rule("ONE-WORD", faulty=True))
    done = run_pytest(project, "--logrules-rules", "my")
    assert done.returncode == 1
    assert "my/acme/one.yaml:10:7: acme/one example 2 does not fire; nothing did" in done.stdout
    assert "    fails  said  (absent)" in done.stdout


def test_a_faulty_rule_is_an_error_of_collection(project):
    write(project / "my/acme/one.yaml", rule("ONE-WORD").replace("when: said", "when: unsaid"))
    done = run_pytest(project, "--logrules-rules", "my")
    assert done.returncode == 2
    assert "unknown signal `unsaid`" in done.stdout
    assert "Traceback" not in done.stdout
