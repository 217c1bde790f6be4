"""When a live job is taken for stalled, said again, and taken back: on an injected clock."""

from collections.abc import Iterable
from functools import cache

import pytest

from logrules.engine.quiet_notice import QuietNotice
from logrules.engine.run import Prepared, prepared
from logrules.inference import cadence, step_time
from logrules.inference.cadence import SHORTEST_S
from logrules.inference.session import Session
from logrules.model.change import Change, QuietEnded, QuietNoticed, Raised, StallProlonged, Withdrawn
from logrules.model.report import Status
from logrules.model.stream import BytesArrived, End, Tick
from logrules.parsing.reader import Reader
from logrules.parsing.window import Window
from logrules.ruleset.apply_settings import with_patience
from logrules.ruleset.load import load_pack

pytestmark = pytest.mark.unmeasured

START = 1_700_000_000.0
OVERDUE, LAGGING, SILENT = "detectors/overdue", "detectors/lagging", "detectors/silent"


@cache
def made_ready(patience: float) -> Prepared:
    """The shipped rules and what finds their lines: making that ready takes longer than a whole test."""
    return prepared(with_patience(load_pack(), patience))


class Job:
    """A session fed by hand: lines at moments, and silence."""

    def __init__(self, patience: float = 1.0) -> None:
        on = made_ready(patience)
        self._scanners = on.scanners
        self.session = Session(on.pack, index=on.index)
        self._reader = Reader(on.pack, on.scanners.signals_of)
        self._line = 0
        self.changes: list[Change] = list(self.session.feed(Tick(START)))

    def says(self, at: float, text: str, source: str = "log") -> "Job":
        from dataclasses import replace

        self._line += 1
        self.changes += self.session.feed(BytesArrived(source, START + at))
        found = self._scanners.find(Window(source, 0, 0, text.encode()))
        for event in self._reader.events(found, self._line):
            self.changes += self.session.feed(replace(event, arrived=START + at))
        return self

    def is_quiet_until(self, at: float, step: float = 5.0) -> "Job":
        now = self.session.now or START
        while now < START + at:
            now = min(now + step, START + at)
            self.changes += self.session.feed(Tick(now))
        return self

    def told(self, *rules: str) -> list[tuple[str, float]]:
        """What was said of these rules, and when."""
        kinds = (Raised, StallProlonged, Withdrawn)
        return [
            (type(change).__name__.lower(), change.at - START)
            for change in self.changes
            if isinstance(change, kinds) and change.rule in rules and change.at is not None
        ]


def stepping(job: Job, times: Iterable[float], prefix: str = "", source: str = "log") -> Job:
    for number, at in enumerate(times):
        job.says(at, f"{prefix}step {number} loss {0.9 - number / 1000:.4f}", source)
    return job


def test_a_loop_that_stops_is_overdue_by_its_own_rhythm():
    job = stepping(Job(), range(0, 40, 2)).is_quiet_until(38 + SHORTEST_S + 1)
    assert job.told(OVERDUE) == [("raised", 38 + SHORTEST_S)]
    report = job.session.report()
    assert report.status is Status.STALLED
    assert report.diagnoses[0].rule == OVERDUE
    assert report.diagnoses[0].phase == "train_step"


def test_slow_steps_are_given_longer():
    job = stepping(Job(), range(0, 600, 30)).is_quiet_until(570 + 599)
    assert job.told(OVERDUE) == []
    assert job.is_quiet_until(570 + 601, 1).told(OVERDUE) == [("raised", 570 + 600)]


def test_a_pause_as_long_as_an_earlier_one_is_no_stall():
    job = stepping(Job(), [*range(0, 20, 2), 318, 320, 322])
    earlier = job.told(OVERDUE)
    assert job.is_quiet_until(322 + 3 * 300 - 10).told(OVERDUE) == earlier
    assert job.is_quiet_until(322 + 3 * 300 + 1).told(OVERDUE) != earlier


def test_it_is_said_again_when_twice_as_long_and_taken_back_when_it_moves():
    job = stepping(Job(), range(0, 40, 2)).is_quiet_until(38 + 8 * SHORTEST_S)
    job.says(38 + 8 * SHORTEST_S + 1, "step 500 loss 0.3").is_quiet_until(38 + 8 * SHORTEST_S + 2)
    said = job.told(OVERDUE)
    assert [what for what, _ in said] == ["raised", "stallprolonged", "stallprolonged", "stallprolonged", "withdrawn"]
    assert [at for _, at in said[:4]] == [38 + factor * SHORTEST_S for factor in (1, 2, 4, 8)]


def test_a_counter_that_is_printed_but_does_not_move_is_overdue():
    job = stepping(Job(), range(0, 40, 2))
    for at in range(40, 40 + int(SHORTEST_S) + 10, 5):
        job.says(at, "step 19 loss 0.8810")
    assert ("raised", 38 + SHORTEST_S) in [(what, round(at / 5) * 5 - 2) for what, at in job.told(OVERDUE)]


def test_a_log_that_grows_in_ways_that_nobody_knows_is_left_alone():
    job = stepping(Job(), range(0, 40, 2))
    for at in range(40, 900, 5):
        job.says(at, f"scored {at} answers of the benchmark")
    assert job.told(OVERDUE) == []


def test_too_few_steps_are_no_rhythm():
    assert stepping(Job(), range(0, 6, 2)).is_quiet_until(3_000, 50).told(OVERDUE) == []


@pytest.mark.parametrize(("intervals", "share"), [(3, 8 / 3), (4, 2), (7, 8 / 7), (8, 1)])
def test_a_rhythm_of_few_steps_is_given_the_longer(intervals, share):
    last = 2 * intervals
    job = stepping(Job(), range(0, last + 2, 2))
    assert job.is_quiet_until(last + share * SHORTEST_S - 2).told(OVERDUE) == []
    assert [what for what, _ in job.is_quiet_until(last + share * SHORTEST_S + 2).told(OVERDUE)] == ["raised"]


def test_a_run_that_completed_owes_nobody_a_step():
    job = stepping(Job(), range(0, 40, 2)).says(41, "{'train_runtime': 12.5, 'train_loss': 0.5, 'epoch': 1.0}")
    assert job.is_quiet_until(4_000, 50).told(OVERDUE, LAGGING) == []


def test_a_run_that_failed_is_not_stalled_as_well():
    job = stepping(Job(), range(0, 40, 2)).says(
        41, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB."
    )
    assert job.is_quiet_until(4_000, 50).told(OVERDUE, LAGGING) == []


def test_a_saved_log_has_no_silence_but_its_end():
    job = stepping(Job(), range(0, 40, 2)).is_quiet_until(39)
    job.changes += job.session.feed(End())
    assert job.told(OVERDUE, LAGGING, SILENT) == []


def two_ranks(until: int, stops: int) -> Job:
    job = Job()
    for number, at in enumerate(range(0, until, 5)):
        job.says(at, f"step {number} loss 0.5{number}", "rank0.log")
        if at < stops:
            job.says(at + 0.1, f"step {number} loss 0.5{number}", "rank1.log")
    return job


def test_the_worker_that_stays_behind_is_named():
    job = two_ranks(until=400, stops=100).is_quiet_until(396)
    assert [what for what, _ in job.told(LAGGING)] == ["raised"]
    (found,) = [one for one in job.session.report().diagnoses if one.rule == LAGGING]
    assert found.ranks == (1,)
    assert job.told(OVERDUE) == []


def test_where_all_stop_at_once_nobody_stays_behind():
    job = two_ranks(until=100, stops=100).is_quiet_until(300)
    assert job.told(LAGGING) == []
    assert [what for what, _ in job.told(OVERDUE)] == ["raised"]


def test_nothing_at_all_since_the_start():
    job = Job().is_quiet_until(301)
    assert job.told(SILENT) == [("raised", 300)]
    assert job.session.report().status is Status.STALLED
    job.says(305, "hello")
    assert job.told(SILENT) == [("raised", 300), ("withdrawn", 305)]


@pytest.mark.parametrize(
    ("lines", "rule", "patience"),
    [
        ("[2024-05-06 10:00:00,123] [INFO] [comm.py:637:init_distributed] cdb=None", "waits/deepspeed/", 60),
        (
            "Loading checkpoint shards:  25%|██▌       | 1/4 [00:02<00:07,  2.41s/it]",
            "waits/transformers/load-shards",
            600,
        ),
    ],
)
def test_a_wait_is_told_of_when_its_patience_is_over(lines, rule, patience):
    job = Job().says(0, lines)
    raised: list[Raised] = []
    while not raised and (due := job.session.deadline) is not None:
        job.is_quiet_until(due - START, due - START)
        raised = [change for change in job.changes if isinstance(change, Raised)]
    assert any(change.rule.startswith(rule) for change in raised)
    assert raised[0].at is not None
    assert raised[0].at >= START + patience


def test_workers_are_not_gone_through_at_every_line(monkeypatch):
    calls = []
    deadlines = step_time._deadlines
    monkeypatch.setattr(step_time, "_deadlines", lambda *given: calls.append(1) or deadlines(*given))
    job, ranks = Job(), 50
    for step in range(20):
        for rank in range(ranks):
            job.says(step + rank / ranks, f"[rank{rank}]: step {step} loss {0.9 - step / 1000:.4f}", f"log {rank}")
            assert job.session.deadline is not None
    assert len(job.session.workers()) == ranks
    assert len(calls) <= 2 * ranks


def test_the_patience_of_a_rhythm_is_worked_out_once_a_step(monkeypatch):
    calls = []
    median = cadence.median
    monkeypatch.setattr(cadence, "median", lambda values: calls.append(1) or median(values))
    job = two_ranks(until=100, stops=100)
    steps = len(calls)
    assert 0 < steps <= 200
    job.is_quiet_until(150)
    assert len(calls) == steps


def test_where_all_hang_nobody_is_compared_to_all(monkeypatch):
    job, ranks = Job(), 50
    for step in range(12):
        for rank in range(ranks):
            job.says(step + rank / ranks, f"[rank{rank}]: step {step} loss {0.9 - step / 1000:.4f}")
    calls = []
    peers = step_time.peers
    monkeypatch.setattr(step_time, "peers", lambda *given: calls.append(1) or peers(*given))
    job.is_quiet_until(12 + SHORTEST_S, 12 + SHORTEST_S)
    assert [what for what, _ in job.told(OVERDUE)] == ["raised"]
    assert len(calls) <= ranks


def test_a_log_that_speaks_again_after_a_long_silence_is_judged_anew():
    job = stepping(Job(), range(0, 40, 2)).is_quiet_until(1_000, 5)
    job.says(1_001, "something else happened").is_quiet_until(1_002)
    due = 1_001 + SHORTEST_S
    while (next_due := job.session.deadline) is not None and next_due < START + due:
        job.is_quiet_until(next_due - START)
    assert job.session.deadline == START + due


def test_the_deadline_is_the_next_moment_at_which_silence_matters():
    job = stepping(Job(), range(0, 40, 2))
    moments = []
    while (due := job.session.deadline) is not None and due < START + 10 * SHORTEST_S:
        moments.append(due - START)
        job.changes += job.session.feed(Tick(due))
    assert 38 + SHORTEST_S in moments
    assert moments == sorted(set(moments))
    assert [what for what, _ in job.told(OVERDUE)] == ["raised", "stallprolonged", "stallprolonged", "stallprolonged"]


BAR = "Generating:  {percent}%|###       | {n}/100 [00:{n:02d}<01:40,  1.00s/it]"


def test_a_bar_that_no_rule_knows_is_overdue_when_it_stands_still():
    job = Job()
    for n in range(1, 31):
        job.says(n, BAR.format(percent=n, n=n))
    assert job.is_quiet_until(30 + SHORTEST_S + 1).told(OVERDUE) == [("raised", 30 + SHORTEST_S)]


def test_a_bar_that_is_drawn_anew_without_moving_has_not_moved():
    job = Job()
    for n in range(1, 31):
        job.says(n, BAR.format(percent=n, n=n))
    for at in range(40, 400, 10):
        job.says(at, f"Generating:  30%|###       | 30/100 [{at // 60:02d}:{at % 60:02d}<09:00,  {at / 30:.2f}s/it]")
        job.is_quiet_until(at + 1)
    assert [what for what, _ in job.told(OVERDUE)] == ["raised", "stallprolonged"]


def test_a_stall_is_not_taken_back_because_the_bar_is_drawn_once_more():
    job = stepping(Job(), range(0, 40, 2)).is_quiet_until(38 + SHORTEST_S + 1)
    job.says(38 + SHORTEST_S + 5, "step 19 loss 0.8810").is_quiet_until(38 + SHORTEST_S + 20)
    assert [what for what, _ in job.told(OVERDUE)] == ["raised"]


@pytest.mark.parametrize("label", ["Generating", "Scoring"])
def test_a_full_bar_is_not_expected_to_move(label):
    job = Job()
    bar = BAR.replace("Generating", label)
    for n in range(1, 100):
        job.says(n, bar.format(percent=n, n=n))
    job.says(100, f"{label}: 100%|##########| 100/100 [01:40<00:00,  1.00s/it]")
    assert job.is_quiet_until(400).told(OVERDUE) == []
    for n in range(1, 60):
        job.says(400 + n, bar.format(percent=n, n=n))
    assert "raised" in [what for what, _ in job.is_quiet_until(3_000, step=10).told(OVERDUE)]


@pytest.mark.parametrize(
    "line",
    [
        "Still waiting to acquire lock on /c/.huggingface/.gitignore.lock (elapsed: {at}.1 seconds)",
        "20250505-10:00:00.001 RemoteInfEngine INFO: Waiting for server ready...",
    ],
)
def test_a_line_that_only_says_that_it_still_waits_gives_no_new_patience(line):
    job = Job()
    for at in range(0, 3600, 10):
        job.says(at, line.format(at=at)).is_quiet_until(at + 9, 9)
    told = [change for change in job.changes if isinstance(change, Raised) and change.quiet_s is not None]
    assert [change.rule.split("/")[0] for change in told] == ["waits"]
    assert (told[0].quiet_s or 0) > 60


def test_a_line_of_a_wait_that_says_more_than_the_last_gives_new_patience():
    job = Job()
    for at in range(0, 1200, 60):
        part = at // 60
        job.says(at, f"Loading checkpoint shards:  {part * 5:2d}%|██▌       | {part}/20 [00:02<00:07,  2.41s/it]")
        job.is_quiet_until(at + 59, 10)
    assert [change for change in job.changes if isinstance(change, Raised)] == []


def test_start_up_lines_and_then_nothing():
    job = Job().says(0, "created 3 workers").says(5, "reading settings")
    assert job.is_quiet_until(604).told("detectors/unstarted") == []
    assert job.is_quiet_until(606, 1).told("detectors/unstarted") == [("raised", 605)]
    job.says(700, "made the data set ready")
    assert job.told("detectors/unstarted")[-1] == ("withdrawn", 700)


def test_a_start_that_paused_for_long_before_is_given_longer():
    job = Job().says(0, "created 3 workers").says(500, "reading settings")
    assert job.is_quiet_until(500 + 1499, 5).told("detectors/unstarted") == []
    assert job.is_quiet_until(500 + 1501, 1).told("detectors/unstarted") == [("raised", 2000)]


def test_a_job_that_hangs_in_one_of_its_first_steps_is_not_waited_for_an_hour():
    job = Job().says(0, "step 1 loss 2.0").says(2, "step 2 loss 1.9")
    assert job.is_quiet_until(610, 1).told("detectors/unstarted") == [("raised", 602)]


def test_a_bar_that_a_spinner_turns_beside_stands_all_the_same():
    job = Job()
    for n in range(1, 400):
        percent = min(n, 41)
        job.says(n, f"{chr(0x2800 + n % 90)} Training epoch 1 ━━━━━━╺━━━━━━  {percent}% 0:00:{60 - percent:02d}")
        job.is_quiet_until(n + 0.5)
    ((what, at),) = job.told(OVERDUE)[:1]
    assert what == "raised"
    assert 41 + SHORTEST_S <= at <= 41 + SHORTEST_S + 10


def test_a_loop_that_is_done_is_no_start():
    job = Job()
    for step in range(1, 11):
        job.says(2 * step, f"Scoring: {10 * step}%|###   | {step}/10 [00:{2 * step:02d}<00:10,  2.00s/it]")
    assert job.is_quiet_until(1200).told("detectors/unstarted", OVERDUE) == []


def test_half_the_patience_is_half_as_long():
    job = stepping(Job(patience=0.5), range(0, 40, 2)).is_quiet_until(38 + SHORTEST_S)
    assert job.told(OVERDUE) == [("raised", 38 + SHORTEST_S / 2), ("stallprolonged", 38 + SHORTEST_S)]
    assert Job(patience=0.5).is_quiet_until(151).told(SILENT) == [("raised", 150)]


def watched_with_a_break(break_s: float) -> Job:
    """A loop, a break in which neither it nor its watcher runs, a line that came before that, and the loop's end."""
    job = stepping(Job(), range(0, 40, 2))
    job.changes += job.session.feed(Tick(START + 39 + break_s, unwatched_s=break_s))
    job.says(38.9, "step 20 loss 0.88")
    job.says(40 + break_s, "step 21 loss 0.87")
    return job.is_quiet_until(40 + break_s + 3 * SHORTEST_S, 1)


def test_time_in_which_nobody_watched_is_no_silence_of_the_job():
    hour = 3_600.0
    job, other = watched_with_a_break(hour), watched_with_a_break(0.0)
    assert job.told(OVERDUE) == [("raised", 40 + SHORTEST_S), ("stallprolonged", 40 + 2 * SHORTEST_S)]
    assert job.changes == other.changes
    assert job.session.workers() == other.session.workers()


def test_time_in_which_nobody_watched_falsifies_no_time_that_is_shown():
    hour = 3_600.0
    job, other = watched_with_a_break(hour), watched_with_a_break(0.0)
    assert job.session.now == START + hour + 40 + 3 * SHORTEST_S
    assert job.session.deadline == other.session.deadline + hour
    assert job.session.report().diagnoses[0].evidence[-1].time == START + hour + 40


def test_a_silence_that_goes_on_is_counted_from_before_the_time_in_which_nobody_watched():
    job = stepping(Job(), range(0, 40, 2)).is_quiet_until(100)
    job.changes += job.session.feed(Tick(START + 3_700, unwatched_s=3_600.0))
    assert job.is_quiet_until(3_638 + SHORTEST_S - 1, 1).told(OVERDUE) == []
    assert job.is_quiet_until(3_638 + SHORTEST_S).told(OVERDUE) == [("raised", 38 + SHORTEST_S)]


def test_an_unusual_silence_is_noticed_long_before_it_is_a_stall():
    notice = QuietNotice()
    for at in range(20):
        assert notice.on_bytes(START + 4 * at) == ()
    last = START + 4 * 19
    assert notice.due == last + 60
    assert notice.pass_to(last + 59, owed=True) == ()
    assert notice.pass_to(last + 60, owed=True) == (QuietNoticed(last + 60, 60.0, 4.0),)
    assert notice.pass_to(last + 99, owed=True) == ()
    # What comes may be the job's last words: only one that goes on writes again.
    assert notice.on_bytes(last + 100) == ()
    assert notice.due == last + 105
    assert notice.on_bytes(last + 101) == ()
    assert notice.pass_to(last + 105, owed=True) == (QuietEnded(last + 100, 100.0),)
    assert notice.due == last + 101 + 300


def test_a_silence_in_which_nobody_watched_is_not_noticed():
    notice = QuietNotice()
    for at in range(20):
        notice.on_bytes(START + at)
    notice.pass_over(3_600.0)
    assert notice.pass_to(START + 3_600 + 30, owed=True) == ()
    assert notice.due == START + 19 + 60 + 3_600


def test_a_silence_is_noticed_where_its_seconds_say_something():
    notice = QuietNotice(shortest_s=0.1)
    for at in range(20):
        notice.on_bytes(START + at / 10)
    assert notice.due == START + 1.9 + 2


def test_a_silence_is_not_noticed_where_nothing_is_usual_or_nobody_owes_a_line():
    fresh = QuietNotice()
    fresh.on_bytes(START)
    assert fresh.due is None
    for at in range(20):
        fresh.on_bytes(START + at)
    assert fresh.pass_to(START + 1_000, owed=False) == ()
    assert fresh.due is None
    assert fresh.pass_to(START + 1_001, owed=True) == (QuietNoticed(START + 1_001, 982.0, 1.0),)


POLLING = "detectors/polling"


def polling(job: Job, line: str, until: int, begin: int = 0, every: int = 15) -> Job:
    for at in range(begin, until, every):
        job.says(at, line.format(at=at, n=at // every)).is_quiet_until(at + every - 1, every)
    return job


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("still waiting for the reward model", POLLING),
        ("the buffer is not ready yet, checked {n} times", POLLING),
        ("connection refused, retrying (attempt {n} of 900)", POLLING),
        ("the broker is down; trying again in 15 seconds", POLLING),
        ("[rank0]: waiting for 1 of 4 workers to register ({at} s)", "detectors/polling-others"),
        ("node 10.0.0.4:8000 is not ready yet", "detectors/polling-others"),
        ("正在等待其他节点加入，已等待 {at}s", "detectors/polling-others"),
        (
            "2024-05-06 10:00:00,123 - fleet - INFO - Blocked on the parameter server, waited {at}s",
            "detectors/polling-service",
        ),
        ("Waiting for the router to be ready at http://10.0.0.4:3000/health", "detectors/polling-service"),
    ],
)
def test_lines_that_only_say_that_they_wait_are_told_of_once_in_whatever_words(line, rule):
    job = polling(Job(), line, 660)
    assert [what for what, _ in job.told(rule)] == ["raised", "stallprolonged"]
    assert job.told(rule)[0] == ("raised", 300)
    others = {POLLING, "detectors/polling-others", "detectors/polling-service"} - {rule}
    assert [job.told(other) for other in sorted(others)] == [[], []]
    job.says(660, "step 1 loss 0.5").is_quiet_until(662)
    assert job.told(rule)[-1][0] == "withdrawn"


@pytest.mark.parametrize(
    "line",
    [
        "waiting for {n} of 400 workers to register",
        "waiting for new tasks",
        "heartbeat {n}: queue 3, waiting 0, served {at} requests",
        "still waiting, fetched {n} of 900 shards",
        "retrying shard {n}",
    ],
)
def test_lines_that_count_and_those_of_who_is_idle_are_left_alone(line):
    assert polling(Job(), line, 1_200).told(POLLING) == []


def test_whoever_makes_steps_meanwhile_does_not_only_wait():
    job = Job()
    for at in range(0, 1_200, 15):
        job.says(at, "[rank0]: still waiting for a free slot").says(at + 5, f"[rank1]: step {at} loss 0.5{at}")
        job.is_quiet_until(at + 14, 5)
    assert job.told(POLLING) == []


def test_a_log_that_says_much_else_is_left_alone():
    job = Job()
    for at in range(0, 1_200, 15):
        job.says(at, "still waiting for a free slot")
        for n in range(6):
            job.says(at + 1 + n, f"scored answer {n} of page {at}")
    assert job.told(POLLING) == []


def test_it_is_withdrawn_where_the_lines_end_and_others_come():
    job = polling(Job(), "still waiting for the reward model", 450)
    job.says(451, "the reward model is there").is_quiet_until(490)
    assert [what for what, _ in job.told(POLLING)] == ["raised", "withdrawn"]


def test_a_wait_that_was_lived_through_gives_longer_patience():
    job = polling(Job(), "still waiting for the reward model", 290)
    job.says(291, "step 1 loss 0.5")
    polling(job, "still waiting for the reward model", 291 + 800, begin=300)
    assert job.told(POLLING) == []


def test_many_ranks_that_wait_in_one_log_are_one_stall():
    job = Job()
    for at in range(0, 400, 20):
        for rank in range(16):
            job.says(
                at + rank / 100, f"[rank{rank}]: rank {rank} waits no more than it must: still waiting for rank 17"
            )
        job.is_quiet_until(at + 19, 5)
    assert [what for what, _ in job.told("detectors/polling-others")] == ["raised"]
