"""Of the steps of a rule only those are shown that the variant in the log's own words asks for."""

import pytest

from logrules.engine.run import prepared
from logrules.ruleset.load import shipped_rules
from logrules.ruletest.harness import run_log

PIPELINE = "phases: [{id: launch, title: l, about: l}]"
CAUSES = """
tiers: [{id: process}]
causes:
  - {id: preempted, family: x, tier: process, title: x, about: x, fixes: [look]}
"""
FIXES = """
fixes:
  - {id: look, do: look}
  - {id: longer, do: longer, where: DUE TO TIME}
  - {id: elsewhere, do: elsewhere, unless: DUE TO TIME}
"""
ENDED = """
id: toy/ended
cause: preempted
title: ended
why: w
signals: {ended: ENDED}
fixes: [longer, elsewhere, {do: requeue, where: 'DUE TO (?:PREEMPTION|SIGNAL)'}, look]
examples: {fires: ENDED, silent: fine}
"""
ONLY_TIME = ENDED.replace("[longer, elsewhere, {do: requeue, where: 'DUE TO (?:PREEMPTION|SIGNAL)'}, look]", "[longer]")


@pytest.mark.parametrize(
    ("log", "steps"),
    [
        ("ENDED DUE TO TIME LIMIT", ["longer", "look"]),
        ("ENDED DUE TO PREEMPTION", ["elsewhere", "requeue", "look"]),
        ("ENDED", ["elsewhere", "look"]),
        # What another line of the log says, which is none of the diagnosis, chooses nothing.
        ("DUE TO PREEMPTION\n" + "fine\n" * 30 + "ENDED", ["elsewhere", "look"]),
    ],
)
def test_the_variant_chooses_the_steps(small_pack, log, steps):
    (found,) = run_log(prepared(small_pack(PIPELINE, FIXES, CAUSES, ENDED)), log).diagnoses
    assert [fix.do.en for fix in found.fixes] == steps


CLEARING = ENDED.replace(
    "fixes: [longer, elsewhere,",
    "fixes: [{do: clear, run: rm -rf c, risk: destructive}, {do: unlock, run: rm l, risk: destructive, where: LIMIT},",
)


def test_what_destroys_comes_last_unless_the_log_speaks_of_it(small_pack):
    (found,) = run_log(prepared(small_pack(PIPELINE, FIXES, CAUSES, CLEARING)), "ENDED DUE TO TIME LIMIT").diagnoses
    assert [fix.do.en for fix in found.fixes] == ["unlock", "look", "clear"]


def test_where_no_step_is_for_the_variant_all_are_shown(small_pack):
    (found,) = run_log(prepared(small_pack(PIPELINE, FIXES, CAUSES, ONLY_TIME)), "ENDED").diagnoses
    assert [fix.do.en for fix in found.fixes] == ["longer"]


def test_a_variant_is_a_pattern(small_pack):
    with pytest.raises(AssertionError, match=r"`fixes\.2\.where`: not a valid pattern"):
        small_pack(PIPELINE, FIXES, CAUSES, ENDED.replace("PREEMPTION|SIGNAL)", "PREEMPTION"))


ROOM = """
id: toy/no-room
cause: preempted
title: no room
why: w
signals: {full: {contains: no room, pattern: 'no room(?: beyond (?P<fits>\\d+))?'}}
fixes:
  - {do: 'Ask for {fits}.', flags: ['--length {fits}', '--eager'], where: beyond}
  - {do: Ask for less., flags: ['--length {fits}', '--eager']}
  - {do: Load less., where: 'in load_weights$'}
examples: {fires: no room, silent: fine}
"""
TRACES = (shipped_rules() / "frameworks" / "traceback.yaml").read_text(encoding="utf-8")
TRACEBACK = """
Traceback (most recent call last):
  File "/app/model.py", line 7, in load_weights
    param.copy_(loaded)
RuntimeError: no room
"""


@pytest.mark.parametrize(
    ("log", "steps"),
    [
        (
            "no room beyond 17",
            [("Ask for 17.", ("--length 17", "--eager")), ("Ask for less.", ("--length 17", "--eager"))],
        ),
        # A step or a flag that speaks of a number which the log does not say is left out.
        ("no room", [("Ask for less.", ("--eager",))]),
        # The frames of its traceback say which variant it is, too.
        (TRACEBACK, [("Ask for less.", ("--eager",)), ("Load less.", ())]),
    ],
)
def test_what_the_log_says_chooses_and_fills_the_steps(small_pack, log, steps):
    found = run_log(prepared(small_pack(PIPELINE, FIXES, CAUSES, TRACES, ROOM)), log).diagnoses[0]
    assert [(fix.do.en, fix.flags) for fix in found.fixes] == steps


@pytest.mark.parametrize("function", ["from_pretrained", "init_model", "fully_shard", "_configure_distributed_model"])
def test_no_batch_is_made_smaller_where_the_model_itself_does_not_fit(shipped, function):
    frames = f'  File "/w/train.py", line 9, in main\n  File "/w/build.py", line 80, in {function}\n'
    log = f"Traceback (most recent call last):\n{frames}torch.OutOfMemoryError: CUDA out of memory."
    steps = run_log(prepared(shipped), log).diagnoses[0].fixes
    assert "so that a smaller batch changes nothing" in steps[0].do.en
    assert not any("batch size" in step.do.en or "samples" in step.do.en for step in steps)
