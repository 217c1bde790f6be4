"""Expect profiles: what a healthy run shows in order, and where another run left that path."""

import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.cli.main import main
from logrules.model.errors import LogrulesError, PackError
from logrules.model.event import Event, Hit, Worker
from logrules.model.report import Text
from logrules.ruleset.load import load_pack
from logrules.ruleset.pack import Pack
from logrules.tools.expectations.path_profile import (
    ExpectedPath,
    Progress,
    Step,
    load_profile,
    shipped_profiles,
)

CAPTURED = Path(__file__).resolve().parents[2] / "fixtures/captured"
HEAD = "expect: demo\ntitle: {en: Demo, zh: 演示}\n"


@cache
def _pack() -> Pack:
    return load_pack()


def walk(marks: str, optional: str = "", never: str = "") -> ExpectedPath:
    """A walk over steps a, b, c by events that carry one of them each."""
    names = sorted({*"abc"})
    steps = tuple(
        Step(name, Text(name, name), frozenset({number}), name in optional) for number, name in enumerate(names)
    )
    unwanted = tuple(Step(name, Text(name, name), frozenset({10 + number})) for number, name in enumerate(never))
    signal = {name: number for number, name in enumerate(names)} | {name: 10 + n for n, name in enumerate(never)}
    found = ExpectedPath("demo", Text("Demo", "Demo"), steps, unwanted, _pack())
    for line, mark in enumerate(marks, start=1):
        hits = (Hit(signal[mark], {}),) if mark in signal else ()
        found.see(Event("log", line, 0, mark, mark, Worker("log"), hits))
    return found


@pytest.mark.parametrize(
    ("marks", "optional", "progress", "left_at", "last_reached"),
    [
        ("abc", "", "reached reached reached", None, "c"),
        ("ab", "", "reached reached missing", "c", "b"),
        ("", "", "missing missing missing", "a", None),
        ("ac", "b", "reached left-out reached", None, "c"),
        ("ac", "", "reached missing reached", "b", "a"),
        ("bac", "", "reached early reached", "b", "a"),
        ("babc", "", "reached reached reached", None, "c"),
        ("a", "b", "reached left-out missing", "b", "a"),
        ("x.a.b.c", "", "reached reached reached", None, "c"),
    ],
)
def test_where_a_run_leaves_the_path(marks, optional, progress, left_at, last_reached):
    found = walk(marks, optional).outcome()
    assert " ".join(step.progress.value for step in found.steps) == progress
    assert (found.left_at.id if found.left_at else None) == left_at
    assert (found.last_reached.id if found.last_reached else None) == last_reached
    assert found.met is (left_at is None)


def test_lines_that_should_not_be_there_are_counted_and_the_first_is_shown():
    found = walk("axbxc", never="x").outcome()
    assert [(one.id, one.count, one.first.line) for one in found.unwanted] == [("x", 2, 2)]
    assert not found.met


@given(marks=st.text("abcx.", max_size=12))
def test_a_run_that_kept_to_the_path_has_left_nowhere(marks):
    found = walk(marks, optional="b", never="x").outcome()
    assert found.met == (found.left_at is None and not found.unwanted)
    assert {step.progress for step in found.steps} <= set(Progress)


@pytest.mark.parametrize("path", shipped_profiles(), ids=lambda path: path.stem)
def test_a_shipped_profile_loads_and_speaks_both_languages(path):
    profile = load_profile(str(path), load_pack())
    assert profile.id == path.stem
    assert all(step.title.en and step.title.zh and step.signals for step in (*profile.steps, *profile.never))
    assert any(not step.optional for step in profile.steps)


def test_the_recipes_that_people_run_have_a_profile():
    names = {path.stem for path in shipped_profiles()}
    assert names == {"verl-gkd", "ray-selfplay", "deepspeed", "vllm-serving", "hf-trainer"}


GKD = """2024-09-01 10:00:00,100 INFO worker.py:1752 -- Started a local Ray instance. View the dashboard at 127.0.0.1:8265
(TaskRunner pid=8) original dataset len: 7473
(TaskRunner pid=8) [ACTOR] init_model START | rank=0
(TaskRunner pid=8) [ROLLOUT] init_model START
(TaskRunner pid=8) [ROLLOUT] Rollout built successfully
(TaskRunner pid=8) [SYNC] Starting weight synchronization...
"""
GKD_REST = """(TaskRunner pid=8) [SYNC] ✓ Rollout sync done in 2.1s
(TaskRunner pid=8) [ROLLOUT] generate done
(TaskRunner pid=8) INFO: update actor done.
(TaskRunner pid=8) step:1 - actor/pg_loss:0.012 - timing_s/step:52.605
"""
SELFPLAY = """2024-09-01 10:00:00,100 INFO worker.py:1752 -- Started a local Ray instance.
2024-10-10 10:00:00,100 - INFO - Model created: DualResNet, 54.2M parameters
2024-10-10 10:00:00,100 - INFO - About to initialize workers...
2024-10-10 10:00:00,100 - INFO - Workers initialized, starting collection...
2024-10-10 10:00:00,100 - INFO - Collecting trajectories...
"""
SELFPLAY_REST = "2024-10-10 10:09:00,100 - INFO - Collection complete: 400 trajectories\n"
VLLM = """INFO 05-14 03:58:22 [api_server.py:1043] vLLM API server version 0.8.5.post1
INFO 05-14 03:58:30 [model.py:547] Resolved architecture: Qwen3ForCausalLM
INFO 05-14 03:58:38 [gpu_model_runner.py:1329] Starting to load model /models/qwen...
INFO 05-14 03:58:42 [loader.py:458] Loading weights took 3.31 seconds
"""
VLLM_REST = """INFO 05-14 03:59:06 [kv_cache_utils.py:634] GPU KV cache size: 41,216 tokens
INFO 05-14 03:59:39 [core.py:159] init engine (profile, create kv cache, warmup model) took 48.06 seconds
INFO 05-14 03:59:42 [api_server.py:1971] Starting vLLM API server 0 on http://0.0.0.0:8001
INFO:     Application startup complete.
"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("profile", "begun", "rest", "left_at"),
    [
        ("verl-gkd", GKD, GKD_REST, "synced"),
        ("ray-selfplay", SELFPLAY, SELFPLAY_REST, "collected"),
        ("vllm-serving", VLLM, VLLM_REST, "kv-cache"),
    ],
)
def test_a_recipe_that_stops_midway_and_one_that_does_not(tmp_path, capsys, profile, begun, rest, left_at):
    log = tmp_path / "train.log"
    for text, expected in ((begun, left_at), (begun + rest, None)):
        log.write_text(text)
        status = main(["diagnose", str(log), "--expect", profile, "--format", "json"])
        found = json.loads(capsys.readouterr().out)["expectation"]
        assert found["left_at"] == expected
        assert found["met"] is (expected is None)
        assert status == (0 if expected is None else 1)


@pytest.mark.parametrize(
    ("case", "profile"), [("trainer-healthy", "hf-trainer"), ("deepspeed-healthy-zero1", "deepspeed")]
)
def test_healthy_runs_of_the_real_thing_keep_to_the_path(capsys, case, profile):
    assert main(["diagnose", str(CAPTURED / case), "--expect", profile]) == 0
    assert "kept to the expected path" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("case", "profile"), [("deepspeed-rank1-never-joins", "deepspeed"), ("trainer-out-of-host-memory", "hf-trainer")]
)
def test_runs_that_went_wrong_do_not(capsys, case, profile):
    assert main(["diagnose", str(CAPTURED / case), "--expect", profile, "--lang", "zh"]) == 1
    assert "偏离预期路径" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[", "demo.yaml:"),
        ("x", "demo.yaml"),
        (HEAD, "`steps`"),
        (HEAD + "steps: [{id: a, title: {en: A, zh: 甲}}]", "a step needs `lines` or `markers`"),
        (HEAD + "steps: [{id: a, title: {en: A, zh: 甲}, markers: [no/such]}]", "unknown marker `no/such`"),
        (
            HEAD + "steps: [{id: a, title: {en: A, zh: 甲}, markers: [vllm/engine-ready]}, "
            "{id: a, title: {en: A, zh: 甲}, markers: [vllm/engine-ready]}]",
            "two steps `a`",
        ),
        (
            HEAD + "steps: [{id: a, title: {en: A, zh: 甲}, lines: {contains: [abc], pattern: '('}}]",
            "not a valid pattern",
        ),
    ],
)
def test_a_broken_profile_is_one_sentence_with_its_place(tmp_path, text, sentence):
    path = tmp_path / "demo.yaml"
    path.write_text(text)
    with pytest.raises(PackError, match=r"demo\.yaml") as fault:
        load_profile(str(path), load_pack())
    assert sentence in str(fault.value)


def test_a_profile_that_is_not_there_names_those_that_are():
    with pytest.raises(LogrulesError, match="shipped ones are deepspeed, hf-trainer"):
        load_profile("no-such", load_pack())


def test_what_a_profile_says_gives_no_orders_to_a_terminal(tmp_path, capsys):
    log, profile = tmp_path / "a.log", tmp_path / "p.yaml"
    log.write_text("one fault here\n", encoding="utf-8")
    text = '{en: "a\\e[2J", zh: "b\\e[2J"}'
    steps = "\n".join(
        f"  - {{id: {name}, title: {text}, hint: {text}, lines: {{contains: [{word}]}}}}"
        for name, word in (("one", "one fault"), ("two", "nowhere"))
    )
    never = f"  - {{id: bad, title: {text}, lines: {{contains: [fault]}}}}"
    profile.write_text(f"expect: demo\ntitle: {text}\nsteps:\n{steps}\nnever:\n{never}\n", encoding="utf-8")
    for language in ("en", "zh"):
        assert main(["diagnose", str(log), "--expect", str(profile), "--lang", language]) == 1
        said = capsys.readouterr().out
        assert "\x1b" not in said
        assert said.count(r"\x1b[2J") >= 5


def test_a_profile_of_ones_own_needs_no_second_language(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text(
        "expect: demo\ntitle: {en: Demo}\nsteps:\n  - {id: one, title: {en: One}, lines: {contains: [fault]}}\n"
    )
    assert load_profile(str(path), _pack()).steps[0].title.of("zh") == "One"
