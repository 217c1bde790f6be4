"""A stall that was told stays in the last report: on top, below a real error, or as a note."""

from dataclasses import replace

import pytest

from logrules.model.change import Change, Raised, Update, Withdrawn
from logrules.model.report import Diagnosis, Fix, Report, Restart, Severity, StackView, Status, Text
from logrules.model.timeline import WorkerNow
from logrules.notify.stall_tracker import LAST_WORDS_S, StallTracker, step_of


def diagnosis(rule: str, cause: str, severity: Severity, ranks: tuple[int, ...] = ()) -> Diagnosis:
    return Diagnosis(rule, cause, "train_step", severity, 0.9, Text(rule), Text("why"), Restart.RETRY, ranks)


STALL = diagnosis("steps stopped", "stopped-silently", Severity.WARNING)
STOPPED = diagnosis("interrupted", "interrupted", Severity.ERROR)
KILLED = diagnosis("rank killed", "worker-killed", Severity.ERROR, (3,))
BROKEN = diagnosis("out of memory", "cuda-oom", Severity.ERROR)
ENDINGS = {"interrupted", "worker-killed"}


def report(*found: Diagnosis) -> Report:
    return Report(Status.FAILED if found else Status.RUNNING, "train_step", found)


class Watched:
    """A job that stalls at 100 s, having been quiet for 60 s, after step 9."""

    def __init__(self, ended_by: str | None = None, exit_status: int | None = None) -> None:
        self.step = "step 9 loss 0.1"
        self.ended_by, self.signal = ended_by, None
        self.memory = StallTracker(self.workers, lambda: ENDINGS, lambda: self.signal, lambda: exit_status)
        self.hears(100.0, Raised(STALL.rule, 100.0, 60.0), shown=report(STALL))

    def workers(self) -> tuple[WorkerNow, ...]:
        return (WorkerNow("rank 0", "train_step", self.step, 1.0, 1.0, 60.0),)

    def hears(self, now: float, *changes: Change, shown: Report | None = None, ended: bool = False) -> "Watched":
        self.memory.on_update(Update(now, changes, 1, 1, 0, ended), lambda: shown or report())
        return self

    def ends(self, *found: Diagnosis) -> Report:
        self.signal = self.ended_by
        self.hears(220.0, Withdrawn(STALL.rule, 220.0), ended=True)
        return self.memory.told(report(*found))


@pytest.mark.parametrize(
    ("ended_by", "exit_status", "found", "title"),
    [
        ("SIGINT", 130, (STOPPED,), "steps stopped: nothing for 3m in train_step after step 9; then you ended it (SIGINT)"),
        ("SIGTERM", 143, (STOPPED,), "steps stopped: nothing for 3m in train_step after step 9; then it was told to end (SIGTERM)"),
        (None, 143, (STOPPED,), "steps stopped: nothing for 3m in train_step after step 9; then it was ended: interrupted"),
        ("SIGINT", 1, (KILLED,), "steps stopped: nothing for 3m in train_step after step 9; then you ended it (SIGINT)"),
        (None, 3, (), "steps stopped: nothing for 3m in train_step after step 9; then it ended with exit status 3"),
        (None, None, (), "steps stopped: nothing for 3m in train_step after step 9; it had not moved when the watching ended"),
    ],
)  # fmt: skip
def test_a_job_that_is_ended_in_a_stall_is_stalled(ended_by, exit_status, found, title):
    last = Watched(ended_by, exit_status).ends(*found)
    assert (last.status, last.diagnoses[0].rule) == (Status.STALLED, STALL.rule)
    assert last.diagnoses[0].title.en == title
    assert [one.rule for one in last.diagnoses[0].consequences] == [one.rule for one in found]
    assert len(last.diagnoses) == 1


def test_a_stall_is_as_long_as_it_was_watched():
    watched = Watched()
    watched.memory.on_update(Update(3_720.0, (), 1, 1, 0, ended=False, unwatched_s=3_600.0), report)
    watched.hears(3_820.0, Withdrawn(STALL.rule, 3_820.0), ended=True)
    title = watched.memory.told(report()).diagnoses[0].title.en
    assert title == "steps stopped: nothing for 3m in train_step after step 9; it had not moved when the watching ended"


@pytest.mark.parametrize("found", [BROKEN, KILLED])
def test_an_error_that_explains_the_end_goes_first_and_the_stall_below_it(found):
    last = Watched(None, 1).ends(found)
    assert (last.status, last.diagnoses[0].rule) == (Status.FAILED, found.rule)
    assert [one.rule for one in last.diagnoses[0].consequences] == [STALL.rule]


def test_what_a_job_says_while_it_is_ended_does_not_undo_the_stall():
    watched = Watched("SIGINT", 130)
    watched.hears(218.0, Withdrawn(STALL.rule, 218.0), shown=report(STOPPED))
    assert watched.ends(STOPPED).status is Status.STALLED


def test_a_job_that_moved_on_keeps_a_note_of_it():
    watched = Watched("SIGINT", 130)
    watched.step = "step 10 loss 0.1"
    watched.hears(160.0, Withdrawn(STALL.rule, 160.0))
    last = watched.ends(STOPPED)
    assert last.status is Status.FAILED
    assert [one.note for one in last.notes] == [
        "steps stopped: nothing for 2m in train_step after step 9; then it went on"
    ]


def test_a_wait_that_nothing_but_its_end_closes_is_over_after_a_while():
    watched = Watched("SIGINT", 130)
    watched.hears(160.0, Withdrawn(STALL.rule, 160.0)).hears(160.0 + LAST_WORDS_S)
    assert watched.ends(STOPPED).status is Status.FAILED


@pytest.mark.parametrize("withdrawn_before_the_signal", [False, True])
def test_that_others_go_on_ends_no_stall_of_a_rank(withdrawn_before_the_signal):
    behind = diagnosis("left behind", "straggler", Severity.WARNING, (3,))
    steps = {0: 60, 3: 40}
    signalled: list[str | None] = [None]

    def workers() -> tuple[WorkerNow, ...]:
        return tuple(
            WorkerNow(f"rank {rank}", "train_step", f"step {step} loss 0.1", 1.0, 1.0, 60.0)
            for rank, step in steps.items()
        )

    watched = Watched()
    watched.memory = StallTracker(workers, lambda: ENDINGS, lambda: signalled[0], lambda: 130)
    watched.hears(100.0, Raised(behind.rule, 100.0, 60.0), shown=report(behind))
    steps[0] = 80
    signalled[0] = None if withdrawn_before_the_signal else "SIGINT"
    watched.hears(120.0, Withdrawn(behind.rule, 120.0), shown=report(STOPPED))
    steps[0], signalled[0] = 90, "SIGINT"
    watched.hears(120.0, ended=True)
    top = watched.memory.told(report(STOPPED)).diagnoses[0]
    assert top.title.en == "left behind: nothing for 1m 20s in train_step after step 40; then you ended it (SIGINT)"


LOOKS = Fix(Text("Compare the stacks"), run="py-spy dump --pid 4242")
KERNEL = Fix(Text("See the kernel's log"), run="dmesg | tail -n 424242")
VIEW = StackView(("process 4242 is in a.py:1 f",))


@pytest.mark.parametrize(
    ("exit_status", "stacks", "steps"),
    [
        (130, None, ["Watch it with `--inspect` next time", "See the kernel's log"]),
        (130, VIEW, ["See the kernel's log"]),
        (None, None, ["Compare the stacks", "See the kernel's log"]),
    ],
)
def test_a_process_that_has_ended_is_not_to_be_looked_at(exit_status, stacks, steps):
    stall = replace(STALL, fixes=(LOOKS, KERNEL))
    watched = Watched()
    watched.memory = StallTracker(
        watched.workers, lambda: ENDINGS, lambda: watched.signal, lambda: exit_status, lambda: 4242
    )
    watched.hears(100.0, Raised(STALL.rule, 100.0, 60.0), shown=report(stall))
    watched.signal = "SIGINT"
    watched.hears(220.0, ended=True)
    top = watched.memory.told(replace(report(STOPPED), stacks=stacks)).diagnoses[0]
    assert [fix.do.en.partition(":")[0] for fix in top.fixes] == steps


def test_a_good_end_is_no_stall_and_a_note_tells_of_it():
    last = Watched(None, 0).ends()
    assert last.status is Status.RUNNING
    assert [one.note for one in last.notes] == [
        "steps stopped: nothing for 3m in train_step after step 9; then it ended with exit status 0"
    ]


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("step 9 loss 0.1", 9),
        ("{'global_step': 12, 'loss': 1}", 12),
        ("Iteration 40/100 | loss", 40),
        (" 41%|████      | 41/100 [00:41<00:59, 1.0it/s]", 41),
        ("{'loss': 0.5, 'epoch': 0.1}", None),
        ("", None),
    ],
)
def test_the_number_of_a_step(text, step):
    assert step_of(text) == step


def test_what_the_job_says_when_it_is_ended_does_not_explain_its_stall():
    signalled: list[str | None] = [None]
    watched = Watched()
    watched.memory = StallTracker(watched.workers, lambda: ENDINGS, lambda: signalled[0], lambda: 1)
    watched.hears(100.0, Raised(STALL.rule, 100.0, 60.0), shown=report(STALL))
    signalled[0] = "SIGINT"
    watched.hears(210.0, Withdrawn(STALL.rule, 210.0), Raised(BROKEN.rule, 210.0), shown=report(BROKEN))
    last = watched.ends(BROKEN)
    assert (last.status, last.diagnoses[0].rule) == (Status.STALLED, STALL.rule)
    assert [one.rule for one in last.diagnoses[0].consequences] == [BROKEN.rule]


def test_an_error_that_came_before_the_signal_goes_first():
    signalled: list[str | None] = [None]
    watched = Watched()
    watched.memory = StallTracker(watched.workers, lambda: ENDINGS, lambda: signalled[0], lambda: 1)
    watched.hears(100.0, Raised(STALL.rule, 100.0, 60.0), shown=report(STALL))
    watched.hears(150.0, Raised(BROKEN.rule, 150.0), shown=report(BROKEN, STALL))
    signalled[0] = "SIGINT"
    assert watched.ends(BROKEN).diagnoses[0].rule == BROKEN.rule


def test_a_stall_is_what_a_closer_look_took_it_for():
    why = diagnosis("lock", "deadlock-user-code", Severity.WARNING)
    watched = Watched("SIGINT", 130)
    watched.memory = StallTracker(watched.workers, lambda: ENDINGS, lambda: None, lambda: None)
    watched.hears(100.0, Raised(STALL.rule, 100.0, 60.0), shown=report(STALL))
    stalled = Report(Status.STALLED, "train_step", (why, STALL))
    watched.hears(103.0, Raised(why.rule, 103.0), shown=stalled)
    last = watched.ends(STOPPED)
    assert last.diagnoses[0].rule == "lock"
    assert "lock: nothing for " in last.diagnoses[0].title.en
    assert STALL.rule not in [one.rule for one in last.diagnoses]


def test_a_closer_look_that_takes_back_the_silence_does_not_end_the_stall():
    why = diagnosis("lock", "deadlock-user-code", Severity.WARNING)
    stalled = Report(Status.STALLED, "train_step", (why,))

    def looked_at() -> Watched:
        watched = Watched("SIGINT", 130)
        watched.hears(103.0, Raised(why.rule, 103.0), shown=Report(Status.STALLED, "train_step", (why, STALL)))
        watched.hears(104.0, Withdrawn(STALL.rule, 104.0), shown=stalled)
        return watched.hears(104.0 + 2 * LAST_WORDS_S, shown=stalled)

    last = looked_at().ends(STOPPED)
    assert (last.status, last.diagnoses[0].rule) == (Status.STALLED, "lock")
    moved = looked_at()
    moved.step = "step 10 loss 0.1"
    last = moved.hears(130.0, shown=stalled).ends(STOPPED)
    assert (last.status, [one.note for one in last.notes]) == (
        Status.FAILED,
        ["lock: nothing for 1m 30s in train_step after step 9; then it went on"],
    )
