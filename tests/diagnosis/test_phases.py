"""Where workers are: markers, waits, peers, runs."""

import pytest

from logrules.engine.run import prepared
from logrules.model.report import PhaseSource, Status
from logrules.ruletest.harness import run_log

PIPELINE = """
phases:
  - {id: launch, title: l, about: l}
  - {id: rendezvous, title: r, about: r}
  - {id: train_step, title: t, about: t, loop: true}
  - {id: eval, title: e, about: e, loop: true}
  - {id: checkpoint, title: c, about: c}
  - {id: serve, title: v, about: v, loop: true, part_of: eval}
  - {id: shutdown, title: s, about: s}
"""
CAUSES = """
tiers: [{id: process}, {id: symptom}]
causes:
  - {id: rendezvous-timeout, family: x, tier: process, title: x, about: x, fixes: [look]}
  - {id: checkpoint-stall, family: x, tier: process, title: x, about: x, fixes: [look]}
  - {id: dataloader-stall, family: x, tier: process, title: x, about: x, fixes: [look]}
  - {id: stopped-silently, family: x, tier: symptom, title: x, about: x, fixes: [look]}
  - {id: python-exception, family: x, tier: process, title: x, about: x, fixes: [look]}
"""
FIXES = """
fixes: [{id: look, do: look}]
"""
_CARD = """
    title: w
    why: w
    examples: {fires: x, silent: y}
"""
TOY = r"""
framework: toy
headers:
  - {id: rank, starts: "[", pattern: '\[rank(?P<rank>\d+)\]:\s?', samples: [{line: "[rank1]: x", expect: {rank: 1}}]}
  - {id: role, starts: "(", pattern: '\((?P<role>\w+)\)\s?', samples: [{line: "(a) x", expect: {role: a}}]}
markers:
  - {id: start, contains: "LAUNCH", enters: launch, starts: true, samples: [LAUNCH]}
  - {id: join, contains: "JOINING", opens: join, samples: [JOINING]}
  - {id: still, contains: "STILL JOINING", renews: join, samples: [STILL JOINING]}
  - {id: joined, contains: "JOINED", closes: join, samples: [JOINED]}
  - {id: epoch, contains: "EPOCH", opens: first, samples: [EPOCH 1]}
  - {id: bar, contains: "BAR", progress: true, samples: [BAR 1]}
  - {id: step, contains: "STEP", enters: train_step, progress: true, samples: [STEP 1]}
  - {id: guess, contains: "%|x", enters: train_step, progress: true, guess: true, samples: ["5%|x"]}
  - {id: begun, contains: "[?it", opens: first, guess: true, samples: ["[?it"]}
  - {id: measure, contains: "MEASURING", enters: eval, samples: [MEASURING]}
  - {id: answer, contains: "ANSWERED", enters: serve, progress: true, samples: [ANSWERED]}
  - {id: measured, contains: "MEASURED", leaves: eval, samples: [MEASURED]}
  - {id: save, contains: "SAVING", opens: save, samples: [SAVING]}
  - {id: saved, contains: "SAVED", leaves: checkpoint, samples: [SAVED]}
  - {id: done, contains: "FINISHED", enters: shutdown, completes: true, samples: [FINISHED]}
  - {id: prompt, contains: "PROMPT", ends: true, samples: [PROMPT]}
waits:
  - id: join
    phase: rendezvous
    patience: 5m
    cause: rendezvous-timeoutCARD
  - id: first
    phase: train_step
    patience: 5m
    first: true
    cause: dataloader-stallCARD
  - id: save
    phase: checkpoint
    patience: 10m
    cause: checkpoint-stallCARD
""".replace("CARD", _CARD)
SERVER = """
framework: server
present: {contains: [SERVER], headers: [line]}
loops: [serve]
headers:
  - {id: line, pattern: '<serve> ', starts: "<", samples: [{line: "<serve> up", expect: {message: up}}]}
  - {id: bare, pattern: '<any> ', starts: "<", samples: [{line: "<any> up", expect: {message: up}}]}
"""
TRAINER = """
framework: trainer
present: {contains: [TRAINER]}
loops: [train_step, serve]
"""
MEASURER = """
framework: measurer
present: {contains: [MEASURER]}
loops: [eval]
"""
KILLED = """
cause: python-exception
title: w
why: w
phase: here else train_step
signals: {killed: KILLED}
examples: {fires: KILLED, silent: fine}
"""
BROKEN = """
cause: python-exception
title: w
why: w
signals: {broken: BROKEN}
examples: {fires: BROKEN, silent: fine}
"""
ENDED = BROKEN.replace("why: w", "why: w\nphase: here else train_step\ncleared_by: completion").replace(
    "BROKEN", "ENDED"
)
STOPPED = """
cause: stopped-silently
title: w
why: w
detector: stopped
severity: info
stall: false
examples: {fires: STEP 1, silent: FINISHED}
"""


@pytest.fixture
def on(small_pack):
    return prepared(small_pack(PIPELINE, FIXES, CAUSES, TOY, SERVER, TRAINER, MEASURER, BROKEN, ENDED, KILLED, STOPPED))


@pytest.mark.parametrize(
    ("story", "log", "status", "cause"),
    [
        ("a wait that is open at the end is a stall", "JOINING", Status.STALLED, "rendezvous-timeout"),
        ("what was waited for came", "JOINING\nJOINED", Status.HEALTHY, None),
        (
            "who began bare and goes on with its rank",
            "JOINING\n[rank0]: JOINING\n[rank0]: JOINED",
            Status.HEALTHY,
            None,
        ),
        (
            "what a peer waited for came to it alone",
            "[rank0]: JOINING\n[rank1]: JOINING\n[rank0]: JOINED",
            Status.STALLED,
            "rendezvous-timeout",
        ),
        ("a step says that joining is over", "JOINING\nSTEP 1", Status.RUNNING, None),
        ("a line that renews keeps the wait", "JOINING\nSTILL JOINING", Status.STALLED, "rendezvous-timeout"),
        ("the next wait takes the place of the first", "JOINING\nSAVING", Status.STALLED, "checkpoint-stall"),
        (
            "a peer that waits is not freed by a peer that waits elsewhere",
            "[rank0]: JOINING\n[rank1]: SAVING",
            Status.STALLED,
            None,
        ),
        ("nobody steps while a peer is joining", "[rank1]: JOINING\n[rank0]: STEP 1", Status.RUNNING, None),
        ("a peer may still be saving", "[rank1]: SAVING\n[rank0]: SAVING\n[rank0]: STEP 2", Status.RUNNING, None),
        ("the driver's step ends its workers' waits", "(worker) SAVING\n(driver) STEP 2", Status.RUNNING, None),
        ("the run is over", "STEP 1\nFINISHED", Status.COMPLETED, None),
        ("figures of the whole run are no step", "STEP 1\nFINISHED after STEP 9", Status.COMPLETED, None),
        ("any bar that moves says that joining is over", "JOINING\nBAR 3", Status.HEALTHY, None),
        ("the first step never came", "EPOCH 1", Status.STALLED, "dataloader-stall"),
        (
            "once it has stepped, an epoch that begins is no stall",
            "STEP 1\nEPOCH 2",
            Status.RUNNING,
            "stopped-silently",
        ),
        ("the shell is back: nobody joins any more", "JOINING\nPROMPT", Status.COMPLETED, None),
        ("the shell comes back from what failed too", "BROKEN\nPROMPT", Status.FAILED, "python-exception"),
        ("and then the next command runs", "PROMPT\nJOINING", Status.STALLED, "rendezvous-timeout"),
        ("it ends in mid-run", "STEP 1\nSTEP 2", Status.RUNNING, "stopped-silently"),
        (
            "what is saved at the end may have been the last",
            "STEP 1\nFINISHED\nSAVING",
            Status.RUNNING,
            "checkpoint-stall",
        ),
        ("an error explains the open wait", "JOINING\nBROKEN", Status.FAILED, "python-exception"),
        ("an empty log is a log without trouble", "", Status.HEALTHY, None),
    ],
)
def test_status(on, story, log, status, cause):
    report = run_log(on, log)
    assert report.status is status
    if cause:
        assert report.diagnoses[0].cause == cause


@pytest.mark.parametrize(
    ("story", "log", "phase"),
    [
        ("its own phase", "JOINING\nBROKEN", "rendezvous"),
        ("the driver's phase counts for a worker without markers", "(driver) STEP 1\n(worker) BROKEN", "train_step"),
        ("a peer's does not", "[rank0]: SAVING\n[rank1]: JOINING\n[rank0]: SAVING\n[rank1]: BROKEN", "rendezvous"),
        (
            "nobody is still joining once a peer steps",
            "[rank1]: JOINING\n[rank0]: STEP 1\n[rank1]: BROKEN",
            "train_step",
        ),
        ("what is being saved", "STEP 1\nSAVING\nBROKEN", "checkpoint"),
        ("unknown words come again behind a save", "STEP 1\nit 7 err 2\nSAVING\nit 8 err 1\nBROKEN", "train_step"),
        ("what is said of the save alone", "STEP 1\nit 7 err 2\nSAVING\nshard 8 of 9\nBROKEN", "checkpoint"),
        ("words without figures prove nothing", "STEP 1\nhello\nSAVING\nhello\nBROKEN", "checkpoint"),
        ("a save that is done leads back to the loop", "STEP 1\nSAVING\nSAVED\nBROKEN", "train_step"),
        ("a save that no loop led to leads nowhere", "SAVING\nSAVED\nBROKEN", "checkpoint"),
        ("a save that no loop led to, and is done, is not where it broke", "SAVING\nSAVED\nENDED", "train_step"),
        ("nor one long ago", "SAVING\n" + "\n" * 41 + "ENDED", "train_step"),
        ("an evaluation that no loop led to may be all there is", "MEASURING\n" + "\n" * 41 + "ENDED", "eval"),
        ("a word of a save while stepping changes nothing", "SAVING\nSTEP 1\nSAVED\nBROKEN", "train_step"),
        (
            "the loop's bar moves on behind a save",
            "STEP 1\nBAR 5%|=| 5/90 [\nSAVING\nBAR 6%|=| 6/90 [\nBROKEN",
            "train_step",
        ),
        ("another bar is of the save", "STEP 1\nBAR 5%|=| 5/90 [\nSAVING\nBAR 6%|=| 1/9 [\nBROKEN", "checkpoint"),
        ("a nameless bar in an evaluation is its own", "STEP 1\n5%|x| 5/90 [\nMEASURING\n9%|x| 1/9 [\nBROKEN", "eval"),
        ("its start too", "STEP 1\n5%|x| 5/90 [\nMEASURING\n0%|x| 0/9 [?it\nBROKEN", "eval"),
        ("the loop's own bar ends it", "STEP 1\n5%|x| 5/90 [\nMEASURING\n6%|x| 6/90 [\nBROKEN", "train_step"),
        ("where nothing trained a bar measures", "MEASURING\n6%|x| 6/90 [\nBROKEN", "eval"),
        ("a nameless bar behind it trains again", "STEP 1\nMEASURING\nMEASURED\n6%|x| 6/90 [\nBROKEN", "train_step"),
        ("nothing known", "BROKEN", "launch"),
        ("nothing known but what the rule says", "KILLED", "train_step"),
        ("nothing above it, so what the next marker says", "KILLED\nMEASURING", "eval"),
        ("how a job ends does not tell where it was", "KILLED\nFINISHED", "train_step"),
        ("a server does not train", "SERVER\nKILLED", "serve"),
        ("a server is seen by the prefix of its lines", "<serve> KILLED", "serve"),
        ("a prefix that it does not list shows nobody", "<any> KILLED", "train_step"),
        ("what answers serves", "SERVER\nANSWERED\nBROKEN", "serve"),
        ("in a job that asks a server it is part of that", "SERVER\nMEASURER\nANSWERED\nBROKEN", "eval"),
        ("a server that a trainer runs may", "SERVER\nTRAINER\nKILLED", "train_step"),
    ],
)
def test_phase_of_an_error(on, story, log, phase):
    assert run_log(on, log).diagnoses[0].phase == phase


# 0      5m             a wait with five minutes' patience
@pytest.mark.parametrize(("quiet_s", "status"), [(299.0, Status.HEALTHY), (300.0, Status.STALLED)])
def test_live_a_wait_is_a_stall_when_its_patience_is_over(on, quiet_s, status):
    assert run_log(on, "JOINING", quiet_s).status is status


def steps(count: int) -> str:
    return "\n".join(f"STEP {number}" for number in range(count))


@pytest.mark.parametrize(
    ("story", "log", "status"),
    [
        ("an error at the end", f"{steps(9)}\nBROKEN", Status.FAILED),
        ("a run that steps on has survived it", f"BROKEN\n{steps(9)}", Status.RUNNING),
        ("a few steps prove nothing", f"BROKEN\n{steps(3)}", Status.FAILED),
        (
            "eight ranks in one step are one step",
            "BROKEN\n" + "\n".join(f"[rank{n}]: STEP 1" for n in range(8)),
            Status.FAILED,
        ),
        ("the same step again is no step", "BROKEN\n" + "STEP 1\n" * 20, Status.FAILED),
        ("completion clears it", "BROKEN\nSTEP 1\nFINISHED", Status.COMPLETED),
        ("what comes after the end does not undo it", "STEP 1\nFINISHED\nBROKEN", Status.COMPLETED),
        ("who has left its start behind survived it", f"JOINING\nBROKEN\n{steps(2)}", Status.RUNNING),
        ("the first step may be the one that it broke", f"JOINING\nBROKEN\n{steps(1)}", Status.FAILED),
        ("a peer's steps do not", "[rank0]: JOINING\n[rank0]: BROKEN\n[rank1]: STEP 1\n[rank1]: STEP 2", Status.FAILED),
        ("survived once, fatal the second time", f"BROKEN\n{steps(9)}\nBROKEN", Status.FAILED),
    ],
)
def test_what_a_run_survived(on, story, log, status):
    assert run_log(on, log).status is status


@pytest.mark.parametrize(
    ("story", "log", "status"),
    [
        ("others may step on for a while", f"ENDED\n{steps(15)}", Status.FAILED),
        ("who was ended and steps on is a new run", f"ENDED\n{steps(40)}", Status.RUNNING),
        (
            "another writer's steps are its own",
            "[rank0]: ENDED\n" + "\n".join(f"[rank1]: STEP {n}" for n in range(40)),
            Status.FAILED,
        ),
        ("steps without a name may be its own", f"[rank0]: ENDED\n{steps(40)}", Status.RUNNING),
        ("the new run may end as the old one did", f"ENDED\n{steps(40)}\nENDED", Status.FAILED),
    ],
)
def test_only_a_new_run_clears_what_ended_a_process(on, story, log, status):
    assert run_log(on, log).status is status


def items(count: int, lead: str = "item ") -> str:
    return "\n".join(f"{lead}{number} of the second command" for number in range(count))


@pytest.mark.parametrize(
    ("story", "log", "status"),
    [
        ("another command's output was appended", f"ENDED\n{items(250)}", Status.HEALTHY),
        ("a few lines more are its own", f"ENDED\n{items(60)}", Status.FAILED),
        ("a dump is its own however long", f"ENDED\n{items(250, '    frame ')}", Status.FAILED),
        ("that command may fail as well", f"ENDED\n{items(250)}\nBROKEN", Status.FAILED),
        ("who has made a step did not fail while it started", f"STEP 1\nSTEP 2\nENDED\n{items(250)}", Status.FAILED),
        ("ranks go on while one of them is dead", f"[rank0]: ENDED\n{items(250, '[rank1]: item ')}", Status.FAILED),
    ],
)
def test_a_failed_start_is_past_where_its_log_goes_on_for_long(on, story, log, status):
    assert run_log(on, log).status is status


def test_of_several_runs_the_last_one_counts_and_the_earlier_are_listed(on):
    report = run_log(on, f"LAUNCH\nBROKEN\nLAUNCH\n{steps(3)}\nFINISHED\nLAUNCH\n{steps(2)}")
    assert report.status is Status.RUNNING
    assert [(run.status, run.cause, run.first_line, run.last_line) for run in report.earlier_runs] == [
        (Status.FAILED, "python-exception", 1, 2),
        (Status.COMPLETED, None, 3, 7),
    ]


@pytest.mark.parametrize(
    ("story", "begun", "status"),
    [
        ("the log ends as it starts", "LAUNCH\nJOINING", Status.FAILED),
        ("it steps", f"LAUNCH\n{steps(2)}", Status.RUNNING),
        ("it is through", "LAUNCH\nFINISHED", Status.COMPLETED),
        ("it says much that no marker knows", f"LAUNCH\n{items(250)}", Status.HEALTHY),
    ],
)
def test_a_run_that_only_began_is_no_answer_to_the_failure_before_it(on, story, begun, status):
    assert run_log(on, f"LAUNCH\nBROKEN\n{begun}").status is status


def test_what_a_launcher_prints_late_begins_no_run(on):
    report = run_log(on, f"LAUNCH\n{steps(3)}\nBROKEN\nLAUNCH\nPROMPT")
    assert report.status is Status.FAILED
    assert report.earlier_runs == ()
    report = run_log(on, f"LAUNCH\n{steps(3)}\nBROKEN\nLAUNCH\n{steps(3)}\nPROMPT")
    assert report.status is not Status.FAILED
    assert len(report.earlier_runs) == 1


@pytest.mark.parametrize(
    ("story", "log", "earlier"),
    [
        ("nobody launched what stepped: it was said through a buffer", f"{steps(3)}\nLAUNCH\nJOINING", 0),
        ("a few lines more end what it printed", f"{steps(3)}\nLAUNCH\n{items(4)}", 0),
        ("a run that was launched had said so", f"LAUNCH\n{steps(3)}\nLAUNCH\nJOINING", 1),
        ("it goes on for long", f"{steps(3)}\nLAUNCH\n{items(60)}", 1),
        ("it steps", f"{steps(3)}\nLAUNCH\n{steps(1)}", 1),
    ],
)
def test_a_launcher_that_speaks_only_at_the_end_launched_the_run_above(on, story, log, earlier):
    report = run_log(on, log)
    assert len(report.earlier_runs) == earlier
    assert report.status is not Status.STALLED or earlier


def test_the_launch_lines_of_many_ranks_are_one_run(on):
    report = run_log(on, "[rank0]: LAUNCH\n[rank1]: LAUNCH\n[rank0]: JOINING\n[rank2]: LAUNCH")
    assert report.earlier_runs == ()


def test_the_timeline_has_every_workers_phases_with_their_lines(on):
    report = run_log(on, "[rank0]: JOINING\n[rank0]: STEP 1\n[rank0]: STEP 2\n[rank0]: SAVING")
    spans = [(span.worker, span.phase, span.first_line, span.last_line) for span in report.timeline]
    assert spans == [("rank 0", "rendezvous", 1, 2), ("rank 0", "train_step", 2, 4), ("rank 0", "checkpoint", 4, 4)]


@pytest.mark.parametrize(
    ("story", "log", "source"),
    [
        ("a marker before it", "STEP 1\nBROKEN", PhaseSource.MARKERS),
        ("what such a failure usually is in", "KILLED", PhaseSource.CAUSE),
        ("nothing at all", "BROKEN", PhaseSource.LAST),
    ],
)
def test_what_a_phase_is_inferred_from_is_said(on, story, log, source):
    assert run_log(on, log).diagnoses[0].phase_from is source


def test_a_pack_without_phases_tells_of_silence_all_the_same(small_pack):
    quiet = """
id: t/quiet
cause: python-exception
title: Nothing more comes
why: x
detector: quiet
longer_than: 1s
fixes: [{do: look}]
examples: {fires: [{log: x, quiet: 2s}], silent: [x]}
"""
    assert [one.rule for one in run_log(prepared(small_pack(quiet)), "x", 2.0).diagnoses] == ["t/quiet"]


def test_a_job_of_which_no_marker_is_there_is_where_its_warning_is(shipped):
    line = "Avg generation throughput: 6.1 tokens/s, Running: 1 reqs, Waiting: 9 reqs, GPU KV cache usage: 76.0%"
    log = "\n".join(
        f"INFO 06-05 11:{at}:07 [loggers.py:257] Engine 000: Avg prompt throughput: 0.0 tokens/s, {line}"
        for at in range(13, 17)
    )
    report = run_log(prepared(shipped), log)
    assert (report.phase, report.status) == ("serve", Status.HEALTHY)


@pytest.mark.parametrize(
    ("above", "phase", "source"),
    [
        ("2025-01-02 03:04:05 - INFO - prep - Loading features of the cached records", "data_load", PhaseSource.LAST),
        ("2025-01-02 03:04:05 - INFO - prep - Loading features took 3 s", "train_step", PhaseSource.CAUSE),
        ("2025-01-02 03:04:05 - INFO - prep - 40 features of the cached records", "train_step", PhaseSource.CAUSE),
        ("Cleaning up what is left", "train_step", PhaseSource.CAUSE),
    ],
)
def test_a_process_that_ended_without_a_traceback_did_what_the_line_above_says(shipped, above, phase, source):
    first = run_log(prepared(shipped), f"{above}\nSegmentation fault (core dumped)\n").diagnoses[0]
    assert (first.phase, first.phase_from) == (phase, source)
