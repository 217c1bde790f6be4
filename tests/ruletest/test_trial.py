"""`logrules try`: why a rule does or does not fire on a log."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from logrules import load_rules
from logrules.cli.main import main
from logrules.model.event import Stance
from logrules.model.test_result import RejectReason, Trial
from logrules.ruleset.load import load_pack
from logrules.ruletest.trial import SHOWN_LINES, trial
from logrules.sources.discover import discover

RULE = """
id: acme/lost
cause: python-exception
title: a
why: a
signals:
  left: {contains: left the job, pattern: 'worker (?P<rank>\\d+) left', except: 'as planned'}
  error: {contains: ACME-E}
  planned: {contains: ACME-P}
  failed: {in: traceback, pattern: '^AcmeError: '}
when: WHEN
fixes: [{do: a}]
examples: {fires: worker 3 left the job, silent: [calm, calmer]}
"""
RETRIED = "retrying after worker 3 left the job"
HIT, VETOED, BARE = "worker 3 left the job", "worker 3 left the job as planned", "nobody left the job"
TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 3, in main\n    run()\nAcmeError: gone'


def trying(folder: Path) -> Callable[..., Trial]:
    def on(when: str, *lines: str, rule: str = "acme/lost") -> Trial:
        path = folder / "rules/acme/lost.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(RULE.replace("WHEN", when), encoding="utf-8")
        (folder / "train.log").write_text("\n".join(lines) + "\n")
        return trial(load_pack([folder / "rules"]), rule, discover([str(folder / "train.log")]).sources)

    return on


@pytest.fixture
def tried(alone) -> Callable[..., Trial]:
    """The rule beside nothing but words."""
    return trying(alone)


@pytest.fixture
def tried_beside_all(tmp_path) -> Callable[..., Trial]:
    """The rule beside those that are shipped."""
    return trying(tmp_path)


def test_lines_that_hit_and_lines_that_have_the_words_alone(tried):
    (left,) = tried("left", "start", HIT, BARE, VETOED, HIT).signals
    assert [(one.line, dict(one.captures)) for one in left.hits] == [(2, {"rank": "3"}), (5, {"rank": "3"})]
    assert [(one.line, one.refused) for one in left.refused] == [(3, RejectReason.PATTERN), (4, RejectReason.VETO)]


def test_all_lines_are_counted_and_the_first_shown(tried):
    (left,) = tried("left", *[HIT, BARE] * 20).signals
    assert (left.count, left.refused_count) == (20, 20)
    assert len(left.hits) == len(left.refused) == SHOWN_LINES


@pytest.mark.parametrize(
    ("when", "lines", "turns"),
    [
        ("left and error", ["x", HIT, "ACME-E"], [(2, "left", True), (3, "error", True), (3, "left and error", True)]),
        ("left and not planned", [HIT, "ACME-P"], [(1, "left", True), (1, "left and not planned", True),
                                                    (2, "planned", True), (2, "left and not planned", False)]),
        ("left then error", ["ACME-E", HIT, "ACME-E"], [(3, "left then error", True)]),
        ("count(left) >= 2", [HIT, HIT], [(2, "count(left) >= 2", True)]),
        ("left without error", [HIT, "x"], [(None, "left without error", True)]),
        ("error", ["x"], []),
    ],
)  # fmt: skip
def test_where_the_condition_turns(tried, when, lines, turns):
    found = tried(when, *lines)
    assert [(turn.line, turn.text, turn.holds) for turn in found.turns] == turns


def test_lines_of_two_workers_do_not_belong_together(tried):
    found = tried("left then error", "[rank1]: " + HIT, "[rank2]: ACME-E", "[rank1]: ACME-E")
    assert [(turn.line, turn.text) for turn in found.turns] == [(3, "left then error")]


def test_a_traceback_is_a_line_too(tried):
    found = tried("failed", "start", TRACEBACK, "end")
    assert found.fired
    assert [one.count for one in found.signals] == [1]


def test_what_the_report_makes_of_it(tried_beside_all):
    alone = tried_beside_all("left", HIT)
    assert (alone.fired, alone.place, alone.behind, alone.nearest) == (True, 1, None, None)
    oom = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
    missing = tried_beside_all("left", oom)
    assert (missing.fired, missing.place, missing.nearest) == (False, None, "cuda/out-of-memory")


def test_a_rule_whose_lines_another_one_explains(tried_beside_all):
    found = tried_beside_all(
        "left", HIT, TRACEBACK, "[rank1]: torch.OutOfMemoryError: CUDA out of memory.", rule="python/exception"
    )
    assert (found.fired, found.place, found.behind, found.nearest) == (True, None, "cuda/out-of-memory", None)


def test_a_framework_that_is_required_and_not_seen(tmp_path):
    log = tmp_path / "app.log"
    log.write_text("redis.exceptions.ConnectionError: Error 111 connecting to cache:6379. Connection refused.\n")
    found = trial(load_rules(), "ray/gcs-unreachable", discover([str(log)]).sources)
    required = found.clauses[0]
    assert (required.text, required.holds, found.fired) == ("requires ray", False, False)


def test_a_rule_that_is_a_consequence(shipped):
    log = Path(__file__).parents[2] / "fixtures/captured/torch-rank1-sigkill-mid-step/log.txt"
    found = trial(shipped, "torch/peer-lost", discover([str(log)]).sources)
    assert (found.fired, found.place, found.behind) == (True, None, "exits/sigkill-first")


def test_a_line_of_another_stance_is_refused_for_that(tried_beside_all):
    found = tried_beside_all("left", RETRIED)
    assert [one.refused for one in found.signals[0].refused] == [Stance.RETRY]
    assert found.clauses[0].reason == (
        "absent; line 1 has the words of `left`, but is read as retry: name that in its `stance`"
    )


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    path = tmp_path / "my/acme/lost.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(RULE.replace("WHEN", "left and error and not planned"), encoding="utf-8")
    (tmp_path / "train.log").write_text(f"start\n{BARE}\nACME-E \x1b[31m\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_verdict_comes_first_and_names_the_nearest_line(folder, capsys):
    assert main(["try", "my/acme/lost.yaml", "train.log"]) == 1
    said = capsys.readouterr().out
    assert said.splitlines()[0] == (
        "acme/lost does not fire: 2 of 3 parts hold; left: absent; line 2 has the words of `left`, not its pattern"
    )
    assert "train.log:2: nobody left the job  [its pattern does not fit]" in said
    assert "\x1b" not in said


def test_a_rule_that_fires_ends_with_0(folder, capsys):
    (folder / "train.log").write_text(f"{HIT}\nACME-E\n")
    assert main(["try", "acme/lost", "train.log", "--rules", "my"]) == 0
    assert capsys.readouterr().out.startswith("acme/lost fires\n  it is diagnosis 1 of the report\n")


def test_the_same_as_json(folder, capsys):
    assert main(["try", "acme/lost", "train.log", "--rules", "my", "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["fired"]) == ("logrules.trial/1", False)
    assert document["signals"][0]["refused"][0]["line"] == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["acme/lots", "train.log", "--rules", "my"], "no rule is called `acme/lots`; did you mean acme/lost"),
        (["my/acme/none.yaml", "train.log"], "no such file or folder of rules"),
        (["my", "train.log"], "my: is a folder: name a rule by its id, and its folder with --rules"),
        (["acme/lost", "none.log", "--rules", "my"], "none.log"),
    ],
)
def test_mistakes_are_one_sentence(folder, capsys, words, says):
    assert main(["try", *words]) == 2
    said = capsys.readouterr()
    assert says in said.err
    assert (said.out, said.err.count("\n")) == ("", 1)


# What rules cost.
