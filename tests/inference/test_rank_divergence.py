"""Ranks side by side: who is unlike the others, said with a line of each side; or why nobody is named."""

import io
from collections.abc import Mapping
from pathlib import Path

import pytest

from logrules.engine.run import replay
from logrules.inference import rank_divergence
from logrules.inference.observation import Observation
from logrules.inference.rank_divergence import RankDivergence, RankSnapshot
from logrules.inference.rank_table import Collective, GroupProgress, RankState, RankTable
from logrules.inference.unlike_calls import unlike_calls
from logrules.model.event import Worker
from logrules.model.report import DivergenceKind, Report
from logrules.output.markdown import render_markdown
from logrules.output.rank_sentences import coverage, declined, sentence
from logrules.output.report_json import render_json
from logrules.output.text import render_text
from logrules.ruleset.pack import Pack
from logrules.sources.discover import discover
from logrules.tools.page.html import render_html
from tests.conftest import event

LIMIT_S = 600.0


def told(rank: int, at: float = 0.0, host: str | None = None) -> Observation:
    return Observation(event(rank + 1, worker=Worker("log", host=host, rank=rank)), rank, at, None)


def waits_in(
    rank: int, seq: int, op: str = "ALLREDUCE", size: int | None = 4, *, at: float = 0.0, group: str | None = "0"
):
    """A rank whose watchdog reports the collective that it waits in."""
    call = Collective(seq, op, size, size, LIMIT_S, told(rank, at))
    return RankSnapshot(rank, RankState(told(rank, at), calls={group: call}))


def stands(rank: int, enqueued: int, completed: int, *, group: str = "0") -> RankSnapshot:
    progress = GroupProgress(enqueued, completed, told(rank))
    return RankSnapshot(rank, RankState(told(rank), standings={group: progress}))


def silent(rank: int) -> RankSnapshot:
    return RankSnapshot(rank, RankState(told(rank)))


@pytest.mark.parametrize(
    ("story", "places", "world", "expected"),
    [
        ("all wait in the same", [waits_in(0, 7), waits_in(1, 7)], None, []),
        ("one is idle", [waits_in(0, 7), waits_in(1, 7), stands(2, 6, 6)], None, [(DivergenceKind.IDLE, (2,), (0, 1))]),
        ("one is idle by the standings alone", [stands(0, 7, 6), stands(1, 6, 6)], None, [(DivergenceKind.IDLE, (1,), (0,))]),
        ("who has finished the same is not idle", [waits_in(0, 7), waits_in(1, 7), stands(2, 7, 7)], None, []),
        ("one is behind", [waits_in(0, 9), waits_in(1, 7), waits_in(2, 9)], None, [(DivergenceKind.BEHIND, (1,), (0, 2))]),
        ("one is ahead", [waits_in(0, 7), waits_in(1, 9), waits_in(2, 7)], None, [(DivergenceKind.AHEAD, (1,), (0, 2))]),
        ("so far apart, the groups differ", [waits_in(0, 900), waits_in(1, 70), waits_in(2, 900)], None, []),
        ("of two the one behind", [waits_in(0, 9), waits_in(1, 7)], None, [(DivergenceKind.BEHIND, (1,), (0,))]),
        (
            "the line of one rank names the group that the others are in too",
            [waits_in(1, 7, group=None), waits_in(2, 7, group=None), waits_in(3, 7, "BROADCAST", group="0")],
            None,
            [(DivergenceKind.OTHER_OPERATION, (3,), (1, 2)), (DivergenceKind.NEVER_ARRIVED, (0,), (1, 2, 3))],
        ),
        (
            "of two named groups neither is that of who names none",
            [waits_in(0, 7, group=None), waits_in(1, 9, group="0"), waits_in(2, 5, group="1")],
            None,
            [],
        ),
        (
            "another operation",
            [waits_in(0, 7), waits_in(1, 7, "BROADCAST"), waits_in(2, 7)],
            None,
            [(DivergenceKind.OTHER_OPERATION, (1,), (0, 2))],
        ),
        (
            "another size",
            [waits_in(0, 7), waits_in(1, 7), waits_in(2, 7, size=8)],
            None,
            [(DivergenceKind.OTHER_SIZE, (2,), (0, 1))],
        ),
        ("of two sizes nobody's is odd", [waits_in(0, 7), waits_in(1, 7, size=8)], None, []),
        (
            "a send and its receive are no mismatch",
            [waits_in(0, 7, "SEND"), waits_in(1, 7, "RECV"), waits_in(2, 7, "SEND")],
            None,
            [],
        ),
        (
            "sizes that may differ",
            [waits_in(0, 7, "ALLTOALL", None), waits_in(1, 7, "ALLTOALL", None)],
            None,
            [],
        ),
        ("a silent rank", [waits_in(0, 7), waits_in(1, 7), silent(2)], None, [(DivergenceKind.NEVER_ARRIVED, (2,), (0, 1))]),
        (
            "a silent rank before those without a log",
            [waits_in(0, 7), silent(1), waits_in(2, 7)],
            4,
            [(DivergenceKind.NEVER_ARRIVED, (1,), (0, 2))],
        ),
        ("a rank without a log", [waits_in(0, 7), waits_in(1, 7)], 3, [(DivergenceKind.NEVER_ARRIVED, (2,), (0, 1))]),
        ("more are silent than not", [waits_in(0, 7), silent(1), silent(2)], None, []),
        ("nobody waits", [silent(0), silent(1)], 8, []),
        (
            "numbers of different groups are not compared",
            [waits_in(0, 7, group="1"), waits_in(1, 7, group="1"), waits_in(2, 90, group="2"), waits_in(3, 90, group="2")],
            None,
            [],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_in_collectives(story, places, world, expected):
    assert brief(rank_divergence.in_collectives(places, world)) == expected


@pytest.mark.parametrize(
    ("story", "calls", "expected"),
    [
        ("all wait in the same", {0: (7, "ALLREDUCE", 4), 1: (7, "ALLREDUCE", 4)}, ()),
        ("one in another, then one of the others", {0: (7, "REDUCE", 4), 1: (7, "ALLREDUCE", 4), 2: (7, "ALLREDUCE", 4)}, (0, 1)),
        ("of two the one without the lowest rank", {0: (7, "ALLGATHER", 4), 1: (7, "REDUCE", 4)}, (1, 0)),
        ("another size", {0: (7, "ALLREDUCE", 4), 1: (7, "ALLREDUCE", 8)}, (1, 0)),
        ("other numbers are not compared", {0: (7, "ALLREDUCE", 4), 1: (9, "BROADCAST", 8)}, ()),
        ("a send and its receive", {0: (7, "SEND", 4), 1: (7, "RECV", 4)}, ()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_calls_that_ranks_wait_in_by_their_lines(story, calls, expected):
    assert ranks_told(table_of(calls)) == expected


def test_who_told_out_of_order_is_compared_with_nobody():
    ranks = table_of({0: (7, "ALLREDUCE", 4), 1: (7, "REDUCE", 4)})
    ranks.states[None, 1].mixed = frozenset({"0"})
    assert ranks_told(ranks) == ()


def test_who_names_no_group_waits_in_the_only_one_that_is_named():
    ranks = table_of({0: (7, "ALLREDUCE", 4), 1: (7, "BROADCAST", 4)})
    ranks.states[None, 0].calls = {None: ranks.states[None, 0].calls["0"]}
    assert ranks_told(ranks) == (1, 0)


def table_of(calls: Mapping[int, tuple[int, str, int]]) -> RankTable:
    ranks = RankTable()
    ranks.states = {(None, rank): waits_in(rank, *call).state for rank, call in calls.items()}
    return ranks


def ranks_told(ranks: RankTable) -> tuple[int | None, ...]:
    """The ranks of the lines that show it."""
    match = unlike_calls(ranks)
    return () if match is None else tuple(one.event.worker.rank for one in match.first)


def brief(found) -> list[tuple[DivergenceKind, tuple[int, ...], tuple[int, ...]]]:
    return [(one.kind, one.ranks, one.others) for one in found]


def inside(rank: int, wait: str = "init") -> RankSnapshot:
    return RankSnapshot(rank, RankState(told(rank)), waits={wait: told(rank)})


@pytest.mark.parametrize(
    ("story", "places", "expected"),
    [
        ("one never came", [inside(0), inside(1), silent(2)], [(DivergenceKind.NEVER_ARRIVED, (2,), (0, 1))]),
        ("all came", [inside(0), inside(1)], []),
        (
            "who has left it has been there",
            [inside(0), inside(1), RankSnapshot(2, RankState(told(2)), passed=frozenset({"init"}))],
            [],
        ),
        ("half came", [inside(0), silent(1)], []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_in_a_wait(story, places, expected):
    assert brief(rank_divergence.in_wait(places, "init")) == expected


def steps(rank: int, step: int, step_s: float | None = None) -> RankSnapshot:
    return RankSnapshot(rank, RankState(told(rank), step=step, stepped=told(rank)), step_s=step_s)


def test_who_stopped_a_step_earlier():
    assert brief(rank_divergence.in_steps([steps(0, 41), steps(1, 40), steps(2, 41)])) == [
        (DivergenceKind.STEP_BEHIND, (1,), (0, 2))
    ]
    assert brief(rank_divergence.in_steps([steps(0, 41), steps(1, 41)])) == []
    assert brief(rank_divergence.in_steps([steps(0, 41), steps(1, 60), steps(2, 41)])) == [], (
        "further than others is no fault"
    )


def test_who_is_slow():
    assert brief(rank_divergence.in_pace([steps(0, 1, 2.0), steps(1, 1, 2.1), steps(2, 1, 4.0)])) == [
        (DivergenceKind.SLOW, (2,), (0, 1))
    ]
    assert brief(rank_divergence.in_pace([steps(0, 1, 2.0), steps(1, 1, 2.1), steps(2, 1, 2.5)])) == []
    assert brief(rank_divergence.in_pace([steps(0, 1, 2.0), steps(1, 1, 4.0)])) == [], (
        "of two, either may be the slow one"
    )


def fails(rank: int, at: float | None, host: str | None = None) -> RankSnapshot:
    return RankSnapshot(rank, RankState(told(rank), host), failed=None if at is None else told(rank, at, host))


def test_who_failed_first_and_where():
    assert brief(rank_divergence.in_errors([fails(0, 9.0), fails(1, 5.0), fails(2, None)])) == [
        (DivergenceKind.FIRST_ERROR, (1,), (0,))
    ]
    assert brief(rank_divergence.in_errors([fails(0, 5.2), fails(1, 5.0)])) == [], "closer than clocks can tell"
    on_b = [fails(0, None, "a"), fails(1, None, "a"), fails(2, 5.0, "b"), fails(3, 5.1, "b")]
    assert brief(rank_divergence.in_errors(on_b)) == [(DivergenceKind.SAME_HOST, (2, 3), (0, 1))]
    assert brief(rank_divergence.in_errors([fails(0, None, "a"), fails(2, 5.0, "b")])) == [], (
        "one failure is no pattern"
    )
    assert brief(rank_divergence.in_errors([fails(0, 5.0, "b"), fails(1, 5.1, "b")])) == [], "there is no other host"


def test_time_outs_wider_apart_than_the_time_out():
    assert rank_divergence.spread_of([waits_in(0, 7, at=0), waits_in(1, 7, at=LIMIT_S)]) is None
    assert rank_divergence.spread_of([waits_in(0, 7, at=0), waits_in(1, 7, at=LIMIT_S + 1)]) == (LIMIT_S + 1, LIMIT_S)
    assert rank_divergence.spread_of([silent(0), silent(1)]) is None


# From here on, whole logs.

READY = "gpu-1:{pid}:1 [0] NCCL INFO ncclCommInitRank comm 0x7f rank {rank} nranks {world} cudaDev 0 - Init COMPLETE"
CAUGHT = (
    "[rank{rank}]:[E601 10:{minute:02}:0{rank}.100000000 ProcessGroupNCCL.cpp:616] [PG ID 0 PG GUID 0(default_pg) "
    "Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={size}, "
    "NumelOut={size}, Timeout(ms)=600000) ran for 60001{rank} milliseconds before timing out."
)
IDLE = (
    "[rank{rank}]:[E601 10:10:05.100000000 ProcessGroupNCCL.cpp:1375] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] "
    "First PG on this rank that detected no heartbeat of its watchdog. Last enqueued NCCL work: {seq}, last completed "
    "NCCL work: {seq}."
)


def job(folder: Path, last: Mapping[int, str | None], world: int = 8) -> Path:
    """A log a rank: it sets up, makes step 40, and ends with this line or with nothing more."""
    for rank, line in last.items():
        lines = [READY.format(pid=100 + rank, rank=rank, world=world), "2025-06-01 10:00:00 INFO step 40 loss 0.5"]
        (folder / f"rank{rank}.log").write_text("\n".join([*lines, *([line] if line else [])]) + "\n")
    return folder


def caught(rank: int, seq: int = 41, op: str = "ALLREDUCE", size: int = 4, minute: int = 10) -> str:
    return CAUGHT.format(rank=rank, seq=seq, op=op, size=size, minute=minute)


def report_on(folder: Path, pack: Pack) -> Report:
    return replay(discover([str(folder)]).sources, pack, threads=1)


ALL = range(8)
FAULTS = {
    "is silent": lambda rank, odd: None if rank == odd else caught(rank),
    "never entered": lambda rank, odd: IDLE.format(rank=rank, seq=40) if rank == odd else caught(rank),
    "is behind": lambda rank, odd: caught(rank, 39 if rank == odd else 41),
    "is ahead": lambda rank, odd: caught(rank, 45 if rank == odd else 41),
    "runs another operation": lambda rank, odd: caught(rank, op="BROADCAST" if rank == odd else "ALLREDUCE"),
    "brings another size": lambda rank, odd: caught(rank, size=9 if rank == odd else 4),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("odd", [0, 3, 7])
@pytest.mark.parametrize("fault", FAULTS)
def test_the_odd_rank_is_the_culprit(shipped: Pack, tmp_path: Path, fault, odd):
    report = report_on(job(tmp_path, {rank: FAULTS[fault](rank, odd) for rank in ALL}), shipped)
    assert report.diagnoses[0].ranks[0] == odd
    assert report.comparison is not None
    first = report.comparison.differences[0]
    assert (first.ranks, first.others) == ((odd,), tuple(rank for rank in ALL if rank != odd))
    assert [line.worker == f"rank {odd}" for line in first.evidence] == [True, False], "a line of either side"
    assert coverage(report.comparison, "en") == "8 of 8 ranks seen"


def test_coverage_is_said_and_a_rank_that_left_nothing_is_named(shipped: Pack, tmp_path: Path):
    report = report_on(job(tmp_path, {rank: caught(rank) for rank in range(7)}), shipped)
    assert report.comparison is not None
    assert coverage(report.comparison, "en") == "7 of 8 ranks seen; no line of rank 7"
    assert coverage(report.comparison, "zh") == "看到 8 个 rank 中的 7 个；没有 rank 7 的输出"
    assert report.diagnoses[0].ranks == (7,)


def test_nobody_is_named_where_the_time_outs_are_not_of_one_hang(shipped: Pack, tmp_path: Path):
    last = {rank: caught(rank, minute=10 if rank < 4 else 35) for rank in range(7)}
    report = report_on(job(tmp_path, {**last, 7: None}), shipped)
    assert report.diagnoses[0].cause == "nccl-timeout"
    assert report.diagnoses[0].ranks == ()
    assert report.comparison is not None
    assert not any(one.kind is DivergenceKind.NEVER_ARRIVED for one in report.comparison.differences)
    assert declined(report.comparison, "en") == (
        "The time-outs of the ranks lie 25m 6s apart, more than the time-out itself (10m): they are not of one hang, "
        "so no rank is named."
    )


def test_the_rank_that_never_came_to_the_wait(shipped: Pack, tmp_path: Path):
    for rank in range(4):
        text = "INFO:root:Initializing process group\n" if rank != 2 else "Loading checkpoint shards:   0%|   | 0/4\n"
        (tmp_path / f"rank{rank}.log").write_text(f"2025-06-01 10:00:00 INFO {text}")
    report = report_on(tmp_path, shipped)
    assert report.comparison is not None
    assert report.diagnoses[0].ranks[0] == 2
    assert sentence(report.comparison.differences[0], "en") == (
        "rank 2: never came to the wait that ranks 0-1, 3 are in (torch/init-process-group)"
    )


def test_a_log_of_one_rank_is_compared_with_nobody(shipped: Pack, tmp_path: Path):
    assert report_on(job(tmp_path, {0: caught(0)}), shipped).comparison is None


@pytest.mark.parametrize("form", [render_text, render_markdown, render_html])
def test_every_form_says_who_is_unlike_the_others(shipped: Pack, tmp_path: Path, form):
    hostile = caught(3, op="BROADCAST") + " \x1b[31m<b>bold"
    last = {rank: caught(rank) if rank != 3 else hostile for rank in ALL}
    out = io.StringIO()
    form(report_on(job(tmp_path, last), shipped), out, "en", "bash")
    text = out.getvalue().replace("\\_", "_").replace("\\#<!-- -->", "#")
    assert "8 of 8 ranks seen" in text
    assert "rank 3: runs BROADCAST as collective #41, but ranks 0-7 except 3 run ALLREDUCE" in text
    assert "\x1b" not in text
    assert form is not render_html or "<b>bold" not in text


def test_threads_and_cuts_do_not_matter_to_many_logs(shipped: Pack, tmp_path: Path):
    job(tmp_path, {rank: None if rank == 3 else caught(rank) for rank in ALL})
    reports = {
        document(replay(discover([str(tmp_path)], block_bytes=block).sources, shipped, threads=threads))
        for block, threads in ((1 << 20, 1), (64, 1), (1 << 20, 4), (300, 3))
    }
    assert len(reports) == 1


def document(report: Report) -> str:
    out = io.StringIO()
    render_json(report, out)
    return out.getvalue()


@pytest.mark.parametrize("kind", DivergenceKind)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_difference_has_its_sentence(kind, language):
    facts = dict.fromkeys(
        ("seq", "theirs", "op", "their_op", "size", "their_size", "step", "their_step", "before_s", "host", "step_s",
         "their_step_s"), "1",
    )  # fmt: skip
    one = RankDivergence(kind, (3,), (0, 1), (), facts)
    assert "{" not in sentence(one, language)  # type: ignore[arg-type]
