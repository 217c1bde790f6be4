"""A live job gives the report that its saved log gives."""

import difflib
import io
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from threading import Barrier, BrokenBarrierError

from hypothesis import assume, given
from hypothesis import strategies as st

from logrules.cli.follow_loop import follow
from logrules.engine.extraction import Scanners
from logrules.engine.follow import Following
from logrules.engine.run import replay
from logrules.model.change import Raised
from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.model.report import Status
from logrules.model.stream import Block, End, Skipped, Tick
from logrules.notify.event_lines import Lines
from logrules.notify.listener import Listener
from logrules.notify.stall_tracker import StallTracker
from logrules.parsing.clean import clean
from logrules.parsing.growing_log import GrowingLog
from logrules.parsing.header import HeaderParser
from logrules.parsing.reader import Reader
from tests.conftest import COSTLY, fixtures
from tests.project.test_promises import Cut, document, lines

# A live source is known by its first byte: one log is of a rank that never spoke.
LOGS = sorted(path for path in fixtures().rglob("*") if path.suffix in {".log", ".txt"} and path.stat().st_size)
cuts = st.lists(st.integers(0, 1_000_000), max_size=12)


def followed(source, pack):
    following = Following(source, lambda: pack)
    for _ in following:
        pass
    return following.report()


class Asker(Listener):
    """Asks for the report at every update, twice."""

    def on_update(self, update, report):
        assert report() is report()


def test_the_report_on_an_update_is_made_once_for_all_who_ask(shipped, monkeypatch):
    made, steps = [], b"".join(b"step %d loss 0.5\n" % number for number in range(20))
    following = Following(Script(*blocks(steps, b"torch.OutOfMemoryError: CUDA out of memory.\n")), lambda: shipped)
    report = following.report
    monkeypatch.setattr(following, "report", lambda: made.append(1) or report())
    stalls = StallTracker(following.workers, tuple, lambda: None, lambda: None)
    assert follow(following, [Asker(), Asker(), Asker()], stalls, print) is not None
    assert len(made) <= 5  # two blocks, what was held back, the end, and the last word


class Failing(Listener):
    called = "--report out.json"

    def on_update(self, update, report):
        raise OSError("no room")


def test_a_listener_that_fails_is_named_as_its_user_knows_it(shipped):
    said = []
    following = Following(Script(*blocks(b"step 1\n")), lambda: shipped)
    stalls = StallTracker(following.workers, tuple, lambda: None, lambda: None)
    lines = Lines(io.StringIO(), "en")
    lines.on_update = Failing().on_update
    assert follow(following, [Failing(), lines], stalls, said.append) is not None
    assert said == [
        "--report out.json: failed, and nothing more goes there (OSError: no room)",
        "the lines of the diagnosis (output): failed, and nothing more goes there (OSError: no room)",
    ]


def test_rules_that_are_found_to_be_refused_once_the_job_runs_end_the_analysis_alone():
    said = []

    def refused():
        raise PackError([Problem(Position("shipped/torch/x.yaml", 3), "is torn")])

    following = Following(Script(*blocks(b"step 1\n")), refused)
    following.tell("job_pid", "77")
    stalls = StallTracker(following.workers, tuple, lambda: None, lambda: None)
    assert follow(following, [], stalls, said.append) is None
    assert said == [
        "the analysis failed and is off (PackError: shipped/torch/x.yaml:3:1: is torn); the log is passed on as before"
    ]


def test_rules_are_asked_for_once_whoever_asks_for_a_report_meanwhile(shipped):
    asked, both = [], Barrier(2)

    def rules():
        asked.append(1)
        with suppress(BrokenBarrierError):
            both.wait(0.2)  # whoever asks as well does so now
        return shipped

    following = Following(Ended(), rules, backlog=[Named("train.log", b"step 1\n")])
    with ThreadPoolExecutor(2) as pool:
        ended, report = pool.submit(list, following), pool.submit(following.report)
    assert report.result().lines <= 1
    assert ended.result()[-1].ended
    assert (asked, following.report().lines) == ([1], 1)


def test_a_stream_is_named_whatever_it_was_made_of():
    with open(2, "w", encoding="utf-8", closefd=False) as out:
        assert Lines(out, "en").called == "the lines of the diagnosis (stderr)"
    assert Lines(sys.__stderr__, "en").called == "the lines of the diagnosis (stderr)"


def behind_lines(data, places):
    """Places behind line ends: live sources give whole lines."""
    return [data.rfind(b"\n", 0, place % (len(data) + 1)) + 1 for place in places]


def assert_same(live, saved):
    difference = "\n".join(difflib.unified_diff(document(saved).splitlines(), document(live).splitlines(), lineterm=""))
    assert not difference, difference[:5_000]


class Arriving(Cut):
    """A live source whose bytes all come at one moment."""

    def __init__(self, data, cuts, arrived):
        super().__init__(data, cuts)
        self.arrived = arrived

    def read(self, until):
        item = super().read(until)
        return replace(item, arrived=self.arrived) if isinstance(item, Block) else item


def without_times(report):
    """Live, each line has a time, that of its arrival, by which the year is guessed that a saved log tells later."""
    return re.sub(r'"(time|start|end|year_guessed)": [^\n]*\n *', "", document(report))


def stamps_of(data, pack):
    """The times that the lines bear, in their order."""
    return [stamp for line in data.split(b"\n") if (stamp := HeaderParser(pack).peel(clean(line[:512])).stamp)]


def assert_followed_as_saved(data, places, pack):
    """What a live log says without a year is of the year in which it comes, a saved one is read with what follows."""
    stamps = stamps_of(data, pack)
    full = [stamp.seconds for stamp in stamps if stamp.year_known]
    saved, pieces = replay([Cut(data)], pack, threads=1), behind_lines(data, places)
    if full and not stamps[0].year_known:
        live = followed(Arriving(data, pieces, full[-1]), pack)
        assert without_times(live) == without_times(saved)
    else:
        assert_same(followed(Cut(data, pieces), pack), saved)


@COSTLY
@given(lines=lines, places=cuts, newline=st.booleans())
def test_any_cut_of_a_live_log_gives_the_saved_report(shipped, lines, places, newline):
    data = b"\n".join(lines) + (b"\n" if newline else b"")
    assume(data)
    # A line without a year above a full date is of another moment live than saved: of lines drawn by lot, months apart.
    years = {stamp.year_known for stamp in stamps_of(data, shipped)}
    assume(years != {True, False})
    assert_followed_as_saved(data, places, shipped)


@COSTLY
@given(path=st.sampled_from(LOGS), places=cuts)
def test_any_cut_of_a_captured_log_gives_the_saved_report(shipped, path, places):
    assert_followed_as_saved(path.read_bytes(), places, shipped)


class Ended:
    """A live source in which nothing comes."""

    name = "job"

    def read(self, until):
        return End()


class Named(Cut):
    """A saved log of its own name."""

    def __init__(self, name, data):
        super().__init__(data, behind_lines(data, range(0, len(data), 100)))
        self.name = name

    def read(self, until):
        item = super().read(until)
        return replace(item, source=self.name) if isinstance(item, Block) else item


def test_what_is_there_already_is_read_by_its_times_however_many_logs_there_are(shipped):
    folder = fixtures() / "captured" / "torch-two-logs-rank1-dies"
    texts = {path.name: path.read_bytes() for path in sorted(folder.glob("*.log"))}
    assert len(texts) == 2
    logs = [Named(name, data) for name, data in texts.items()]
    following = Following(Ended(), lambda: shipped, backlog=logs)
    assert [update.ended for update in following][-1]
    saved = replay([Named(name, data) for name, data in texts.items()], shipped)
    assert_same(following.report(), saved)


def blocks(*pieces, name="log", at=1000.0):
    """Pieces that come a second apart, then the end."""
    offset, items = 0, []
    for number, piece in enumerate(pieces):
        items.append(Block(name, offset, piece, at + number))
        offset += len(piece)
    return items


class Script:
    """A live source that says what it is told to say."""

    name = "job"

    def __init__(self, *items):
        self._items = iter(items)
        self.asked = []

    def read(self, until):
        self.asked.append(until)
        return next(self._items, End())


def test_a_line_that_comes_in_pieces_is_one_line_and_told_once(shipped):
    whole = b"[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    following = Following(Script(*blocks(b"first\n", whole[:30], whole[30:50], whole[50:], b"last\n")), lambda: shipped)
    raised = [change for update in following for change in update.changes if isinstance(change, Raised)]
    report = following.report()
    assert report.lines == 3
    assert report.diagnoses[0].evidence[0].line == 2
    assert report.diagnoses[0].evidence[0].before == ("first",)
    assert report.diagnoses[0].evidence[0].after == ("last",)
    assert len(raised) == len({change.rule for change in raised})


def test_a_bar_that_is_drawn_anew_for_long_on_one_line_never_goes_back(shipped):
    scanners = Scanners(shipped)
    growing = GrowingLog("job", Reader(shipped, scanners.signals_of), scanners.find, scanners.sampler)
    drawn = [b"\rSampling " + b"\xe2\x94\x81" * 80 + b" %d%% 0:00:18" % min(1 + n // 4, 41) for n in range(200)]
    told: list[int] = []
    for n, part in enumerate(drawn):
        told += [event.offset for event in growing.read(Block("job", sum(map(len, drawn[:n])), part, 1_000.0 + n))]
        told += [event.offset for event in growing.held() if n % 3 == 0]
    assert len(told) > 50
    assert told == sorted(told)


def test_what_is_known_of_the_job_beside_its_logs_stands_in_the_steps(shipped):
    following = Following(Script(*blocks(b"Initializing process group\n")), lambda: shipped)
    following.tell("job_pid", "77")
    for _ in following:
        pass
    runs = [fix.run for fix in following.report().diagnoses[0].fixes]
    assert "py-spy dump --subprocesses --pid 77" in runs


def test_bytes_that_nobody_analysed_are_told_and_counted(shipped):
    gap = Skipped("log", 6, 5_000, "came too fast", lines=40)
    following = Following(Script(*blocks(b"first\n"), gap, Block("log", 5_006, b"last\n", 1002.0)), lambda: shipped)
    assert [update.skipped for update in following][-1] == 5_000
    report = following.report()
    assert [note.note for note in report.notes] == ["came too fast (5,000 bytes)"]


def test_lines_behind_a_gap_keep_their_numbers(shipped):
    oom = b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    gap = Skipped("log", 6, 5_000, "came too fast", lines=40)
    report = followed(Script(*blocks(b"first\n"), gap, Block("log", 5_006, oom, 1002.0)), shipped)
    assert report.diagnoses[0].evidence[0].line == 42


def test_lines_of_a_new_file_count_from_its_start(shipped):
    oom = b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    report = followed(Script(*blocks(b"one\n", b"two\n"), Block("log", 0, oom, 1002.0)), shipped)
    assert (report.diagnoses[0].evidence[0].line, report.lines) == (1, 3)


def test_silence_is_measured_by_arrival_whatever_the_lines_own_times(shipped):
    line = b"[2025-03-01 10:00:00,250] [INFO] Initializing process group\n"
    script = Script(Block("log", 0, line, 5_000.0), Tick(5_001.0), Tick(5_000.0 + 7200))
    following = Following(script, lambda: shipped)
    stages = [(update.now, following.report().status) for update in following]
    assert stages[1] == (5_001.0, Status.HEALTHY)
    assert stages[2] == (12_200.0, Status.STALLED)


def test_a_job_that_was_stopped_with_its_watcher_is_not_told_as_stalled(shipped):
    steps = [b"step %d loss 0.5\n" % number for number in range(20)]
    later = Block("log", 20 * 17, b"step 20 loss 0.5\n", 9_001.0)
    following = Following(
        Script(*blocks(*steps), Tick(1_020.0), Tick(9_000.0, 7_979.0), later, Tick(9_002.0)), lambda: shipped
    )
    updates = list(following)
    raised = [change for update in updates for change in update.changes if isinstance(change, Raised)]
    assert not [change for change in raised if change.quiet_s is not None]
    assert [update.now for update in updates[-4:]] == [9_000.0, 9_001.0, 9_002.0, 9_002.0]
    assert sum(update.unwatched_s for update in updates) == 7_979.0


def test_the_source_is_asked_to_wait_for_the_deadline_of_silence_alone(shipped):
    line = b"Initializing process group\n"
    script = Script(Block("log", 0, line, 5_000.0))
    list(Following(script, lambda: shipped, beat_s=None))
    assert script.asked[0] is None
    assert script.asked[1] > 5_000.0


class Silence(Script):
    """A live source that falls silent after its script: time passes to the moment that it is asked to wait for."""

    def __init__(self, *items, lasts_s):
        super().__init__(*items)
        self._now = items[-1].arrived
        self._over = self._now + lasts_s
        self.ticks = 0

    def read(self, until):
        item = super().read(until)
        if not isinstance(item, End) or self._now >= self._over:
            return item
        self._now = min(until, self._over)
        self.ticks += 1
        return Tick(self._now)


def test_a_silence_that_nobody_minds_is_looked_at_no_more_often_than_any(shipped):
    steps = [b"step %d loss 0.5\n" % number for number in range(20)]
    source = Silence(*blocks(*steps, b"training finished after 20 steps\n"), lasts_s=600)
    for _ in Following(source, lambda: shipped, beat_s=1.0):
        assert source.ticks < 700


def test_what_others_say_is_read_as_a_log_of_its_own(shipped):
    following = Following(Script(*blocks(b"one\n"), Tick(1001.0), Tick(1002.0)), lambda: shipped)
    for update in following:
        if update.now == 1000.0:
            following.ingest(
                "nvidia-smi", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1 GiB", 1000.5
            )
    assert following.report().sources == ("log", "nvidia-smi")
    assert following.report().diagnoses[0].evidence[0].source == "nvidia-smi"


def test_a_flood_of_the_same_is_read_in_shares(shipped):
    steps = b"".join(b"{'loss': 0.%d, 'grad_norm': 1.0, 'epoch': 0.1}\n" % n for n in range(100_000))
    session = Following(Script(*blocks(steps, b"torch.OutOfMemoryError: CUDA out of memory.\n")), lambda: shipped)
    list(session)
    assert session.report().diagnoses[0].cause == "cuda-oom"
    assert session._session._job.order < 1_000
