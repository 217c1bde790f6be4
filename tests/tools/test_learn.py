"""`logrules learn`: failures that nothing explains become drafts that fire on them and on no healthy log."""

import json
import re
import shutil
from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.engine.run import prepared
from logrules.ruleset import compile as compiling
from logrules.ruleset.load import load_pack, shipped_rules
from logrules.tools.fleet.jobs import job_at
from logrules.tools.learn import chosen_jobs
from logrules.tools.learn.chosen_jobs import healthy_lines
from logrules.tools.learn.read_job import read_job
from tests.conftest import fixtures

STEP = "2025-06-15 10:{minute:02d}:00 INFO step {minute} loss 0.5\n"
RAISED = """\
2025-06-15 10:{end}:00 [rank3]: Traceback (most recent call last):
[rank3]:   File "/home/{who}/train.py", line {number}, in reward
[rank3]:     raise ValueError("x")
2025-06-15 10:{end}:00 [rank3]: ValueError: bad reward shape ({number}, 2) vs (4,) in batch
"""
IN_LIBRARY = """\
Traceback (most recent call last):
  File "/home/ann/train.py", line 3, in main
    run.log(table)
  File "/opt/venv/lib/python3.11/site-packages/wandb/sdk/wandb_run.py", line 7, in log
    raise ZeroDivisionError(text)
ZeroDivisionError: table {number} has no rows to draw sparkles for
"""
GOOD = STEP.format(minute=1) + "INFO reward shape (4, 2) is fine in batch 3\n" + STEP.format(minute=2)


@pytest.fixture
def every_case() -> None:
    """Drafts are tried on every healthy log that is shipped."""


@pytest.fixture(autouse=True)
def _one_case(request, monkeypatch) -> None:
    """Each draft is tried on the healthy logs that are shipped: where a test does not ask for them all, one will do."""
    if "every_case" not in request.fixturenames:
        case = fixtures() / "captured/torch-healthy-master-comes-late"
        monkeypatch.setattr("logrules.tools.learn.chosen_jobs.shipped_cases", lambda: [case])


@pytest.fixture
def runs(alone, tmp_path, monkeypatch) -> Path:
    """Two jobs that raised the same on different lines, one that raised in a library, one that is well."""
    # Drafts are of what no rule explains: with all that explain something each test would take seconds.
    for name in ("classes.yaml", "stances.yaml"):
        shutil.copy(shipped_rules() / name, alone / "shipped/rules")
    for name in ("exceptions", "exits", "origins", "python"):
        shutil.copytree(shipped_rules() / name, alone / "shipped/rules" / name)
    monkeypatch.setenv("LOGRULES_STATE_DIR", str(tmp_path / "state"))
    root = tmp_path / "runs"
    root.mkdir()
    for number, who, end in ((11, "ann", 20), (12, "bob", 40)):
        (root / f"a{number}.log").write_text(
            STEP.format(minute=1) + STEP.format(minute=2) + RAISED.format(number=number, who=who, end=end)
        )
    (root / "lib.log").write_text(STEP.format(minute=1) + IN_LIBRARY.format(number=5))
    (root / "good.log").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    return root


def learned(capsys, *words: str, status: int = 0) -> dict:
    assert main(["learn", *words, "-j", "1", "--format", "json"]) == status
    return json.loads(capsys.readouterr().out)


def test_what_costs_most_comes_first_with_a_draft_that_fires_on_all_of_it(runs, every_case, capsys):
    found = learned(capsys, "runs")
    assert (found["jobs"], found["unexplained"], found["healthy"]) == (4, 3, 1)
    dear, cheap = found["kinds"]
    assert dear["jobs"] == ["runs/a11.log", "runs/a12.log"]
    assert dear["lost_gpu_hours"] > 0
    assert len(dear["fires_on"]) == 2
    assert dear["rule"].startswith("learned/valueerror-bad-reward-shape-")
    assert "INFO reward shape (4, 2) is fine in batch 3" in dear["draft"]
    assert dear["question"].startswith("Is ValueError in train.py in reward a mistake of that code")
    assert cheap["jobs"] == ["runs/lib.log"]


def test_an_exception_of_a_known_component_becomes_a_row_of_the_table(runs, capsys):
    (kind,) = learned(capsys, "runs/lib.log", "--healthy", "runs/good.log")["kinds"]
    assert kind["rule"].startswith("exceptions/zerodivisionerror-")
    assert kind["file"].startswith("learned/exceptions-")
    assert "    classes:\n      - ZeroDivisionError\n" in kind["draft"]
    assert "      - wandb\n" in kind["draft"] or "      - tracker\n" in kind["draft"]
    assert kind["question"].startswith("What makes ")


def test_drafts_that_are_written_pass_test_and_lack_only_words(runs, capsys):
    assert main(["learn", "runs", "-o", "my", "-j", "1"]) == 0
    said = capsys.readouterr()
    assert "on no healthy log" in said.out
    assert "wrote 2 drafts" in said.err
    assert len(list(Path("my/learned").iterdir())) == 2
    assert main(["test", "my"]) == 0
    assert main(["fmt", "my", "--check"]) == 0
    capsys.readouterr()
    assert main(["check", "my"]) == 1
    assert set(re.findall(r"LR\d+", capsys.readouterr().out)) == {"LR114"}
    # What was learned is known from now on.
    found = learned(capsys, "runs", "--rules", "my")
    assert (found["unexplained"], found["kinds"]) == (0, [])


def test_drafts_are_put_on_the_rules_as_they_were_kept(runs, capsys, monkeypatch):
    load_pack()
    compiled, made = [], compiling.parse_document
    monkeypatch.setattr(compiling, "parse_document", lambda raw, path: compiled.append(path) or made(raw, path))
    kinds = learned(capsys, "runs")["kinds"]
    assert {kind["rule"].partition("/")[0] for kind in kinds} == {"learned", "exceptions"}
    assert sorted(compiled) == sorted(kind["file"] for kind in kinds)


def test_a_file_that_is_there_stays(runs, capsys):
    assert main(["learn", "runs", "-o", "my", "-j", "1"]) == 0
    (one, *_) = sorted(Path("my/learned").iterdir())
    one.write_text("mine")
    capsys.readouterr()
    assert main(["learn", "runs", "-o", "my", "-j", "1"]) == 0
    assert "exists already and is kept" in capsys.readouterr().err
    assert one.read_text() == "mine"


def test_words_that_stand_in_a_healthy_log_make_no_draft(runs, capsys):
    line = "ValueError: bad reward shape (1, 2) vs (4,) in batch"
    (runs / "good.log").write_text(f"{GOOD}INFO retrying after {line}, attempt 1 of 3\n{STEP.format(minute=3)}")
    found = learned(capsys, "runs/a11.log", "--healthy", "runs/good.log", "-o", "my", status=1)
    (kind,) = found["kinds"]
    assert kind["draft"] is None
    assert kind["why_none"].endswith("good.log")
    assert not Path("my").exists()


def test_words_of_a_row_that_stand_in_a_healthy_log_make_no_row(runs, capsys):
    said = IN_LIBRARY.format(number=9).splitlines()[-1]
    (runs / "good.log").write_text(f"{GOOD}INFO no harm done: {said}\n{STEP.format(minute=3)}")
    (kind,) = learned(capsys, "runs/lib.log", "--healthy", "runs/good.log", status=1)["kinds"]
    assert kind["draft"] is None
    assert kind["why_none"].endswith("good.log")


def test_without_names_it_learns_from_the_history(runs, capsys):
    assert main(["scan", "runs", "-j", "1"]) == 1
    (runs / "lib.log").unlink()
    capsys.readouterr()
    assert main(["learn", "-j", "1"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(
        "2 of 3 jobs failed and nothing explains why (1 kind of failures); 1 healthy job to compare with\n"
    )
    assert main(["learn", "--since", "2099-01-01"]) == 0
    assert "1 job of the history is no longer where" in said.err


def test_nothing_unexplained_is_no_fault(runs, capsys):
    found = learned(capsys, "runs/good.log")
    assert (found["unexplained"], found["kinds"]) == (0, [])


def test_without_a_draft_nothing_is_told_of_drafts(runs, capsys):
    assert main(["learn", "runs/good.log", "-j", "1", "-o", "my"]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == "logrules: no draft to write; my is left as it is"
    assert not Path("my").exists()


def test_the_rest_is_counted(runs, capsys):
    assert main(["learn", "runs", "--most", "1", "-j", "1"]) == 0
    assert capsys.readouterr().out.endswith("1 further kind: --most shows more\n")


def test_hostile_lines_are_shown_harmless(runs, capsys):
    (runs / "a11.log").write_text(
        STEP.format(minute=1) + RAISED.format(number=7, who="x", end=30).replace("in batch", "in \x9b31m\u202ebatch")
    )
    main(["learn", "runs/a11.log", "-j", "1", "-o", "my"])
    shown = capsys.readouterr().out
    assert "\x9b" not in shown
    assert "\u202e" not in shown
    assert main(["test", "my"]) == 0 if Path("my").exists() else True


def test_what_cannot_be_read_is_said(runs, capsys):
    (runs / "empty").mkdir()
    assert main(["learn", "runs", "-j", "1"]) == 0
    assert "cannot be read: runs/empty: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere"], "nowhere: no such file or folder"),
        (["runs", "--healthy", "nowhere"], "nowhere: no such file or folder"),
        (["runs", "--since", "7d"], "--since chooses among the jobs of the history"),
        (["runs", "--most", "0"], "--most must be at least 1"),
        ([], "the history is empty: run `logrules scan` first"),
    ],
)
def test_mistakes_are_one_sentence(runs, capsys, words, says):
    assert main(["learn", *words]) == 2
    said = capsys.readouterr()
    assert says in said.err
    assert said.out == ""


def test_a_job_of_too_many_files_is_one_sentence(runs, capsys, monkeypatch):
    monkeypatch.setattr(chosen_jobs, "MOST_FILES", 2)
    (runs / "disk").mkdir()
    for number in range(3):
        (runs / "disk" / f"{number}.txt").touch()
    assert main(["learn", "runs/a11.log", "--healthy", "runs"]) == 2
    assert (
        "runs/disk: holds more than 2 files, too many for a job: name the folders of its logs"
        in capsys.readouterr().err
    )


def test_what_a_rule_explains_is_not_learned(runs, shipped):
    (runs / "oom.log").write_text(GOOD + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
    on = prepared(shipped)
    known, unknown, well = (read_job(on, job_at(name, runs / name)) for name in ("oom.log", "a11.log", "good.log"))
    assert (known.unexplained, known.healthy, known.telling) == (False, False, ())
    assert (unknown.unexplained, unknown.healthy) == (True, False)
    assert unknown.telling[0].type == "ValueError"
    assert (well.unexplained, well.healthy) == (False, True)


def test_of_healthy_lines_one_of_each_kind_is_kept(runs):
    (runs / "good.log").write_text("step 1\nstep 2\n\n17\nnothing of the kind\n" + "x" * 5_000 + "\n")
    assert healthy_lines([str(runs / "good.log"), str(runs / "gone.log")]) == ("step 1", "17", "nothing of the kind")
