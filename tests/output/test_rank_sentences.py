"""Many ranks in few words: as ranges, by who is missing, lines that are alike once."""

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.cli.main import main
from logrules.model.report import Evidence
from logrules.output.numbers import other_ranks_said, ranks_said
from logrules.output.rank_sentences import grouped, same_of


@pytest.mark.parametrize(
    ("ranks", "en", "zh"),
    [
        ([3], "rank 3", "rank 3"),
        ([0, 1], "ranks 0-1", "rank 0-1"),
        ([0, 1, 2, 8], "ranks 0-2, 8", "rank 0-2, 8"),
        (set(range(512)) - {37}, "ranks 0-511 except 37", "rank 0-511（37 除外）"),
        (set(range(64)) - {8, 9, 10}, "ranks 0-63 except 8-10", "rank 0-63（8-10 除外）"),
        ([0, 2], "ranks 0, 2", "rank 0, 2"),
        (range(512), "ranks 0-511", "rank 0-511"),
        (
            range(0, 512, 2),
            "ranks 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, … (256 in all)",
            "rank 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22……（共 256 个）",
        ),
    ],
)
def test_ranks_as_one_says_them(ranks, en, zh):
    assert ranks_said(ranks, "en") == en
    assert ranks_said(ranks, "zh") == zh


def read_back(text: str) -> set[int]:
    def numbers(part: str) -> set[int]:
        runs = re.findall(r"(\d+)(?:-(\d+))?", part)
        return {rank for low, high in runs for rank in range(int(low), int(high or low) + 1)}

    named, _, missing = text.replace("（", " except ").partition(" except ")
    return numbers(named) - numbers(missing)


@given(ranks=st.sets(st.integers(0, 1_100), min_size=1, max_size=60) | st.integers(2, 600).map(lambda n: set(range(n))))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_is_lost_in_few_words(language, ranks):
    text = ranks_said(ranks, language)
    if "…" in text:
        assert str(len(ranks)) in text
    else:
        assert read_back(text) == ranks
    assert len(text) < 160


@given(size=st.integers(8, 4_096), data=st.data())
def test_all_but_one_are_told_by_the_one(size, data):
    odd = data.draw(st.integers(1, size - 2))
    assert ranks_said(set(range(size)) - {odd}, "en") == f"ranks 0-{size - 1} except {odd}"


def line(rank: int | None, text: str) -> Evidence:
    return Evidence("log", 1, text, "main" if rank is None else f"rank {rank}")


def test_five_hundred_equal_lines_are_one():
    caught = "[rank{0}]:[E601 10:10:0{1}.1234] [Rank {0}] caught timeout: SeqNum=41, ran for {2} milliseconds"
    lines = [line(rank, caught.format(rank, rank % 10, 600_000 + rank)) for rank in range(500) if rank != 37]
    ((first, ranks),) = grouped(lines)
    assert first is lines[0]
    assert same_of(ranks, "en") == "the same of ranks 1-499 except 37"
    assert same_of(ranks, "zh") == "rank 1-499（37 除外）相同"


def test_of_as_many_lines_as_evidence_has_nobody_knows_who_else_printed_them():
    lines = [line(rank, "caught timeout") for rank in (0, 1, 2, 3, 5, 6, 7, 9)]
    ((_, ranks),) = grouped(lines)
    assert same_of(ranks, "en", lines[:4]) == "the same of ranks 1-3, 5-7, 9"
    assert same_of(ranks, "en", lines) == "the same of ranks 1-3, 5-7, 9 and perhaps others"
    assert same_of(ranks, "zh", lines) == "rank 1-3, 5-7, 9 相同，可能还有其他 rank"


def test_lines_that_tell_ranks_apart_stay():
    assert len(grouped([line(0, "SeqNum=41, OpType=ALLREDUCE"), line(1, "SeqNum=42, OpType=ALLREDUCE")])) == 2
    assert len(grouped([line(None, "the same"), line(None, "the same")])) == 2, "nobody knows whose they are"
    assert same_of(grouped([line(0, "a")])[0][1], "en") == ""


@given(seen=st.sets(st.integers(0, 40)), world=st.integers(1, 40))
def test_those_that_are_missing_of_a_world_are_said_as_if_listed(seen, world):
    missing = set(range(world)) - seen
    assert other_ranks_said(seen, world, "en") == (ranks_said(missing, "en") if missing else "")


def test_a_world_that_a_log_made_up_is_listed_nowhere():
    tracemalloc.start()
    try:
        assert other_ranks_said({0, 7}, 1_000_000, "en") == "ranks 1-999999 except 7"
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 100_000


def test_where_the_odd_rank_was_last_is_told_in_short_too(tmp_path, capsys):
    for rank in range(8):
        lines = [f"2026-11-27 03:00:{second:02d} INFO [rank{rank}] step {second}/900 loss 1.5" for second in range(9)]
        if rank == 5:
            lines.pop()
        else:
            lines.append(
                f"[rank{rank}]:[E1127 03:10:12.000001 9 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective "
                "operation timeout: WorkNCCL(SeqNum=88, OpType=ALLREDUCE, NumelIn=26, NumelOut=26, Timeout(ms)=600000) "
                "ran for 600012 milliseconds before timing out."
            )
        (tmp_path / f"rank_{rank}.log").write_text("\n".join(lines) + "\n")
    assert main(["diagnose", str(tmp_path)]) == 1
    assert (
        "ranks 0-7 except 5 wait in collective #88 (ALLREDUCE)\n  rank_5.log:8  2026-11-27 03:00:07 INFO"
        in capsys.readouterr().out
    )
    assert main(["diagnose", str(tmp_path), "--lang", "zh"]) == 1
    assert (
        "rank 0-7（5 除外）在等集合通信 #88（ALLREDUCE）\n  rank_5.log:8  2026-11-27 03:00:07 INFO"
        in capsys.readouterr().out
    )
