"""Clocks that disagree: found by what several workers wrote down at the same moment, and set right before merging."""

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.engine.clock_sync import by_clock, skews
from logrules.engine.run import replay
from logrules.ruleset.pack import Pack
from logrules.sources.discover import discover

BEGAN = 1_750_000_000.0


def steps(
    behind_s: float = 0.0, every_s: float = 2.0, count: int = 10, first: int = 1, late: dict[int, float] | None = None
):
    """What a clock reads at the steps of a loop; ``late`` are steps that were logged some seconds late."""
    return {("step", n): BEGAN + n * every_s - behind_s + (late or {}).get(n, 0.0) for n in range(first, first + count)}


@pytest.mark.parametrize(
    ("story", "clocks", "behind_s"),
    [
        ("clocks that agree", {"a": steps(), "b": steps()}, {}),
        ("one is behind", {"a": steps(), "b": steps(4.8), "c": steps()}, {"b": 4.8}),
        ("one is ahead", {"a": steps(), "b": steps(-3.0), "c": steps()}, {"b": -3.0}),
        ("the first is the odd one", {"a": steps(4.8), "b": steps(), "c": steps()}, {"a": 4.8}),
        ("of two, the first is believed", {"a": steps(), "b": steps(2.0)}, {"b": 2.0}),
        ("a clock in another zone", {"a": steps(), "b": steps(-28_800.0), "c": steps()}, {"b": -28_800.0}),
        ("a late line or two do no harm", {"a": steps(), "b": steps(5.0, late={3: 90.0, 7: 12.0})}, {"b": 5.0}),
        ("half a second may be the way to the disk", {"a": steps(), "b": steps(0.4)}, {}),
        ("two shared moments are too few", {"a": steps(count=2), "b": steps(5.0, count=2)}, {}),
        ("nothing is shared", {"a": steps(first=1), "b": steps(5.0, first=100)}, {}),
        ("tied through a third", {"a": steps(), "b": steps(first=6), "c": steps(5.0, first=12, count=4)}, {"c": 5.0}),
        ("loops of their own pace", {"a": steps(), "b": steps(5.0, every_s=3.0)}, {}),
        ("a loop that was started an hour and a bit later", {"a": steps(), "b": steps(-3_600.0 - 400.0)}, {}),
        ("a clock alone", {"a": steps()}, {}),
        ("no clock", {}, {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_which_clocks_are_wrong(story, clocks, behind_s):
    assert {name: skew.behind_s for name, skew in skews(clocks).items()} == pytest.approx(behind_s)


@given(
    behind=st.lists(st.floats(-50, 50), min_size=2, max_size=8),
    noise=st.lists(st.floats(-0.05, 0.05), min_size=20, max_size=20),
)
def test_corrected_clocks_agree(behind, noise):
    clocks = {f"host{n}": {k: BEGAN + k - off + noise[(k + n) % 20] for k in range(12)} for n, off in enumerate(behind)}
    found = skews(clocks)
    moved = [BEGAN - off + (found[f"host{n}"].behind_s if f"host{n}" in found else 0.0) for n, off in enumerate(behind)]
    assert max(moved) - min(moved) <= 2 * (0.5 + 0.2)


def test_the_ranks_of_a_host_share_its_clock():
    clocks = by_clock([("a", steps()), ("a", steps(0.2)), ("r2.log", steps(5.0))])
    assert set(clocks) == {"a", "r2.log"}
    assert clocks["a"]["step", 1] == pytest.approx(BEGAN + 2.0 - 0.1)


def log(rank: int, behind_s: float, count: int = 12, *, fails: str | None = None) -> str:
    def line(at: float, text: str, level: str = "INFO") -> str:
        return f"{datetime.fromtimestamp(at - behind_s, UTC):%Y-%m-%d %H:%M:%S,%f}"[:-3] + f" {level} {text}\n"

    text = "".join(line(BEGAN + 2 * n + 0.01 * rank, f"step {n} loss 0.{n}") for n in range(count))
    if fails is not None:
        text += line(BEGAN + 2 * count + (0 if rank == 1 else 1.5), f"[rank{rank}]: {fails}", "ERROR")
    return text


OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
LOST = "torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error"


def report_on(folder: Path, pack: Pack):
    found = discover([str(folder)])
    return replay(found.sources, pack, threads=1)


def test_a_skew_is_said_and_set_right(shipped: Pack, tmp_path: Path):
    (tmp_path / "rank0.log").write_text(log(0, 0.0, fails=OOM))
    (tmp_path / "rank1.log").write_text(log(1, -4.8, fails=OOM))
    report = report_on(tmp_path, shipped)
    assert [(note.source, note.note) for note in report.notes] == [
        ("rank1.log", "its clock is 4.8 s ahead, by 12 moments that other logs share; corrected")
    ]
    first = report.diagnoses[0]
    assert first.ranks[0] == 1, "its clock says 3.3 s after rank 0, in truth it was 1.5 s before"
    assert first.evidence[0].source == "rank1.log"
    times = [line.time for line in first.evidence]
    assert times == sorted(times)


def test_clocks_that_agree_are_not_mentioned(shipped: Pack, tmp_path: Path):
    for rank in range(3):
        (tmp_path / f"rank{rank}.log").write_text(log(rank, 0.0))
    assert report_on(tmp_path, shipped).notes == ()


def test_compressed_logs_are_aligned_too(shipped: Pack, tmp_path: Path):
    (tmp_path / "rank0.log").write_text(log(0, 0.0))
    (tmp_path / "rank1.log.gz").write_bytes(gzip.compress(log(1, 3.0).encode()))
    assert [note.note[:23] for note in report_on(tmp_path, shipped).notes] == ["its clock is 3.0 s behi"]


def test_what_is_shared_only_at_the_end_counts_too(shipped: Pack, tmp_path: Path):
    noise = "nothing to see here, only words that fill the head of a log\n" * 6_000
    (tmp_path / "rank0.log").write_text(noise + log(0, 0.0))
    (tmp_path / "rank1.log").write_text(noise + log(1, 3.0))
    assert len(report_on(tmp_path, shipped).notes) == 1


def test_hosts_in_the_names_of_folders_are_clocks(shipped: Pack, tmp_path: Path):
    for rank in range(6):
        folder = tmp_path / f"node-{rank // 2}"
        folder.mkdir(exist_ok=True)
        (folder / f"rank-{rank:02}.txt").write_text(log(rank, 7.0 if rank // 2 == 1 else 0.0))
    assert [note.source for note in report_on(tmp_path, shipped).notes] == ["node-1"]
