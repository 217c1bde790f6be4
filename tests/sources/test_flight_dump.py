"""Flight-recorder dumps beside the logs: who missed which collective; and what hostile dumps can do, which is nothing."""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.cli.main import main
from logrules.engine.follow import Following
from logrules.engine.run import replay
from logrules.inference.observation import Observation
from logrules.inference.rank_divergence import RankDivergence, unlike_in_kind
from logrules.inference.unlike_calls import RecordedCalls
from logrules.model.change import Raised
from logrules.model.collective import CollectiveCall
from logrules.model.errors import SourceError
from logrules.model.record import replace
from logrules.model.report import DivergenceKind, Report
from logrules.ruleset.pack import Pack
from logrules.sources import flight_dump
from logrules.sources.discover import discover
from logrules.sources.flight_dump import MAX_BYTES, MAX_GROUPS, NoDump, read_dump
from logrules.sources.flight_names import rank_of_name
from logrules.sources.followed_files import ComingDumps
from logrules.sources.plain_pickle import NotPlain, load
from tests.conftest import MemorySource

BEGAN_NS = 1_750_000_000 * 10**9


def call(
    seq: int, op: str = "nccl:all_reduce", size: int = 4, state: str = "completed", group: str = "0"
) -> dict[str, Any]:
    """An entry as c10d records it."""
    return {
        "record_id": seq, "pg_id": 0, "process_group": (group, "default_pg"), "collective_seq_id": seq, "p2p_seq_id": 0,
        "op_id": seq, "profiling_name": op, "time_created_ns": BEGAN_NS + seq * 10**9, "duration_ms": 1.5,
        "input_sizes": [[size]], "input_dtypes": ["Float"], "output_sizes": [[size]], "output_dtypes": ["Float"],
        "state": state, "time_discovered_started_ns": None, "time_discovered_completed_ns": None, "retired": False,
        "timeout_ms": 600_000, "is_p2p": False,
        "frames": [
            {"name": "all_reduce", "filename": "/opt/lib/site-packages/torch/distributed/distributed_c10d.py", "line": 9},
            {"name": "step", "filename": "/app/train.py", "line": 12},
        ],
    }  # fmt: skip


def dump(entries: list[dict[str, Any]], ranks: int = 4) -> dict[str, Any]:
    return {
        "version": "2.10",
        "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(ranks)))}},
        "pg_status": {
            "0": {"last_enqueued_collective": 1, "last_started_collective": 1, "last_completed_collective": 1}
        },
        "nccl_comm_state": {},
        "entries": entries,
    }


def as_json(plain: Any) -> bytes:
    return json.dumps(plain).encode()


def as_pickle(plain: Any) -> bytes:
    return pickle.dumps(plain, protocol=2)


def up_to(last: int, **stuck: Any) -> list[dict[str, Any]]:
    """The calls up to the last, which is not completed if it is said how it looks."""
    done = [call(seq) for seq in range(1, last if stuck else last + 1)]
    return [*done, call(last, **stuck)] if stuck else done


def partings(entries: Callable[[int], list[dict[str, Any]]]) -> Sequence[RankDivergence]:
    """Where four ranks part that recorded these entries."""
    compared = RecordedCalls()
    for rank in range(4):
        for record in read_dump(f"r{rank}", rank, as_json(dump(entries(rank)))):
            compared.add(record, Observation(record, 1, None, None))
    return compared.divergences


WAITS: dict[str, Any] = {"state": "started"}
JOBS: dict[str, tuple[Callable[[int], list[dict[str, Any]]], DivergenceKind | None, str]] = {
    "one never called it": (lambda rank: up_to(40) if rank == 2 else up_to(41, **WAITS), DivergenceKind.MISSED, "nccl-timeout"),
    "one called another operation": (
        lambda rank: up_to(41, op="nccl:broadcast" if rank == 2 else "nccl:all_reduce", **WAITS),
        DivergenceKind.OTHER_OPERATION,
        "collective-mismatch",
    ),
    "one brought another size": (
        lambda rank: up_to(41, size=9 if rank == 2 else 4, **WAITS), DivergenceKind.OTHER_SIZE, "collective-mismatch",
    ),
    "one called one more": (
        lambda rank: up_to(41, **WAITS) if rank == 2 else up_to(40), DivergenceKind.EXTRA, "collective-mismatch",
    ),
}  # fmt: skip


def written(folder: Path, of_rank: Callable[[int], bytes], ranks: int = 4, name: str = "nccl_trace_rank_{}") -> Path:
    for rank in range(ranks):
        (folder / name.format(rank)).write_bytes(of_rank(rank))
    return folder


def report_on(pack: Pack, *paths: Path) -> Report:
    found = discover([str(path) for path in paths])
    return replay(found.sources, pack, threads=1, notes=found.notes)


@pytest.mark.parametrize("form", [as_json, as_pickle])
@pytest.mark.parametrize("story", JOBS)
def test_dumps_alone_name_the_culprit(shipped: Pack, tmp_path: Path, story, form):
    entries, _, cause = JOBS[story]
    report = report_on(shipped, written(tmp_path, lambda rank: form(dump(entries(rank)))))
    first = report.diagnoses[0]
    assert (first.cause, first.ranks[0]) == (cause, 2)
    odd = next(line for line in first.evidence if line.source == "nccl_trace_rank_2")
    assert "train.py:12 in step" in odd.text
    assert report.comparison is not None
    assert (report.comparison.seen, report.comparison.world) == ((0, 1, 2, 3), 4)


@pytest.mark.parametrize(
    "file",
    [
        "/opt/lib/site-packages/lightning/strategies/ddp.py",
        "/usr/lib/python3.11/contextlib.py",
        "<frozen runpy>",
        "<string>",
        "/src/pytorch/torch/distributed/distributed_c10d.py",
        "C:\\build\\torch\\distributed\\distributed_c10d.py",
        "../csrc/distributed/c10d/ProcessGroupNCCL.cpp",
    ],
)
def test_a_call_was_made_where_the_users_own_code_made_it(file):
    frames = [{"name": "call", "filename": file, "line": 3}, {"name": "step", "filename": "/app/train.py", "line": 12}]
    (record,) = read_dump("r0", 0, as_json(dump([{**call(1), "frames": frames}])))
    assert [one.place for one in record.calls] == ["train.py:12 in step"]


def test_both_sides_are_shown(shipped: Pack, tmp_path: Path):
    report = report_on(shipped, written(tmp_path, lambda rank: as_json(dump(JOBS["one never called it"][0](rank)))))
    assert {line.source for line in report.diagnoses[0].evidence} == {"nccl_trace_rank_0", "nccl_trace_rank_2"}


@pytest.mark.parametrize("story", JOBS)
def test_how_ranks_part(story):
    entries, parting, _ = JOBS[story]
    assert [(one.kind, one.facts["seq"], one.ranks) for one in partings(entries)] == [(parting, "41", (2,))]


@pytest.mark.parametrize(
    ("story", "entries"),
    [
        ("all wait in the same", lambda _: up_to(41, **WAITS)),
        ("all have completed", lambda _: up_to(41)),
        ("sizes that may differ", lambda rank: up_to(41, op="nccl:all_to_all", size=rank + 1, **WAITS)),
        ("the ring of one has dropped the start", lambda rank: [call(n) for n in range(rank * 5 + 1, 42)]),
        ("who has not called what all others have completed is only late to dump", lambda rank: up_to(40 + (rank > 0))),
        ("point to point has no partner in all", lambda rank: [{**call(n), "is_p2p": True} for n in range(rank)]),
        ("nothing was recorded", lambda _: []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nobody_is_odd(story, entries):
    assert partings(entries) == ()


def test_the_earliest_parting_comes_first():
    def entries(rank: int) -> list[dict[str, Any]]:
        late = [call(7, state="started", group="9")] if rank != 1 else []
        return [*(up_to(3) if rank == 2 else up_to(4, **WAITS)), *late]

    assert next((one.lines[0].event.group, one.ranks) for one in partings(entries)) == ("0", (2,))


def test_a_comparison_says_in_which_dump_and_where_each_call_stands():
    (parting,) = partings(JOBS["one never called it"][0])
    assert [(line.event.source, line.event.line, line.event.text) for line in parting.lines] == [
        ("r2", 40, "dump of rank 2: process group 0 (default_pg), nccl:all_reduce number 40, completed, called at train.py:12 in step"),
        ("r0", 41, "dump of rank 0: process group 0 (default_pg), nccl:all_reduce number 41, not completed, called at train.py:12 in step"),
    ]  # fmt: skip


def test_of_two_ranks_the_second_is_the_odd_one_by_dumps_and_none_by_lines():
    same = {0: CollectiveCall(1, "nccl:broadcast", None, None), 1: CollectiveCall(1, "nccl:all_reduce", None, None)}
    assert unlike_in_kind(same) is None
    assert unlike_in_kind(same, lower=lambda _: 0) == (DivergenceKind.OTHER_OPERATION, (1,), (0,))


def test_an_error_of_the_rank_itself_is_the_cause(shipped: Pack, tmp_path: Path):
    written(tmp_path, lambda rank: as_pickle(dump(JOBS["one never called it"][0](rank))))
    oom = "2025-06-15 15:06:30,000 [rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    (tmp_path / "rank2.log").write_text(oom)
    (tmp_path / "rank0.log").write_text("2025-06-15 15:06:00,000 INFO step 1 loss 0.5\n")
    report = report_on(shipped, tmp_path)
    assert (report.diagnoses[0].cause, report.diagnoses[0].ranks[0]) == ("cuda-oom", 2)
    others = [other.rule for other in report.diagnoses[0].consequences if other.cause != "cuda-oom"]
    assert others == ["torch/flight-recorder-missed"]


def test_dumps_of_a_live_job_are_told_as_they_come(shipped: Pack):
    entries, _, cause = JOBS["one never called it"]
    following = Following(MemorySource("train.log", "2025-06-15 15:06:00,000 INFO step 1 loss 0.5\n"), lambda: shipped)
    for rank in range(4):
        following.ingest_records(read_dump(f"r{rank}", rank, as_json(dump(entries(rank)))), BEGAN_NS / 1e9 + 60)
    raised = [change.rule for update in following for change in update.changes if isinstance(change, Raised)]
    report = following.report()
    assert "torch/flight-recorder-missed" in raised
    assert (report.diagnoses[0].cause, report.diagnoses[0].ranks[0]) == (cause, 2)
    assert report.sources == ("train.log", "r0", "r1", "r2", "r3")


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("nccl_trace_rank_3", 3),
        ("comm_lib_trace_rank_12", 12),
        ("rank_7", 7),
        ("nccl_trace_rank_3.json", 3),
        ("nccl_trace_rank_3.pkl", 3),
        ("_dump_3", 3),
        ("fr_dump_12.pkl", 12),
        ("_dump_rank_4", 4),
        ("core_dump_of_7", None),
        ("rank_7.json", None),
        ("rank7.log", None),
        ("nccl_trace_rank_", None),
        ("nccl_trace_rank_3.log", None),
    ],
)
def test_which_files_are_dumps(name, rank):
    assert rank_of_name(name) == rank


def test_dumps_may_be_named_and_other_files_of_such_names_are_none(shipped: Pack, tmp_path: Path):
    written(tmp_path, lambda rank: as_pickle(dump(JOBS["one never called it"][0](rank))))
    report = report_on(shipped, *(tmp_path / f"nccl_trace_rank_{rank}" for rank in range(4)))
    assert report.diagnoses[0].ranks == (2,)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "rank_1").write_text("not a dump at all")
    with pytest.raises(SourceError, match="no log in this folder"):
        discover([str(tmp_path / "other")])


# What a pickle might try.


class _Runs:
    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._what = function, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self._what


def deep(size: int) -> bytes:
    return b"\x80\x02" + b"]" * size + b"a" * (size - 1) + b"."


def evil(folder: Path) -> Mapping[str, bytes]:
    touched = folder / "touched"
    return {
        "calls a function": pickle.dumps(_Runs(touched.write_text, "here")),
        "calls exec": pickle.dumps(_Runs(exec, f"open({str(touched)!r}, 'w')")),
        "imports by an old opcode": b"\x80\x02cos\nsystem\n(S'touch " + str(touched).encode() + b"'\ntR.",
        "makes an instance": b"\x80\x02(ios\nsystem\n.",
        "asks for an extension": b"\x80\x02\x82\x01.",
        "asks for a persistent thing": b"\x80\x02Pthing\n.",
        "hides it in an entry": as_pickle({"entries": [call(1)]})[:-1] + pickle.dumps(_Runs(exec, "1"))[2:],
        "a memo of four billion places": b"\x80\x02Nr\xff\xff\xff\xff" + b"cos\nsystem\n.",
        "a text of four gigabytes": b"\x80\x02X\xff\xff\xff\xffabc.",
        "a number of two gigabytes": b"\x80\x02\x8b\xff\xff\xff\x7f1.",
        "nothing on the stack": b"\x80\x02.",
        "a mark and nothing else": b"\x80\x02(.",
        "deeper than any stack": deep(200_000),
        "a list that holds itself": b"\x80\x02]q\x00h\x00a.",
        "an unhashable key": b"\x80\x02}]Ns.",
        "only a protocol": b"\x80",
        "cut short": as_pickle(dump(up_to(41)))[:500],
        "deep JSON": b'{"entries": ' + b"[" * 200_000,
        "JSON cut short": as_json(dump(up_to(41)))[:500],
        "JSON of other things": b'{"loss": 0.5}',
        "no dict": b"\x80\x02]q\x00.",
        "entries that are none": as_json({"entries": [None, 7, "x", {}, {"collective_seq_id": "1"}, [[]]]}),
        "numbers beyond all": as_json(
            {"entries": [{**call(1), "collective_seq_id": 10**30, "time_created_ns": 10**40}]}
        ),
        "sizes that explode": as_pickle({"entries": [{**call(1), "input_sizes": [[1 << 47] * 64]}]}),
        "lines in a name": as_json(
            dump([call(1, op="nccl:x\n[rank0]: torch.OutOfMemoryError: CUDA out of memory.", group="0\n")])
        ),
        "a list of itself": as_pickle({"entries": [{**call(1), "input_sizes": itself()}]}),
        "what doubles": as_pickle({"entries": [{**call(1), "pg_id": doubled([], 60)}]}),
        "a number of a group without end": as_json({"entries": [{**call(1), "pg_id": 1}]}).replace(
            b'"pg_id": 1', b'"pg_id": ' + b"[" * 900 + b"]" * 900
        ),
        # Only opcodes say this: to write such a key takes as long as to read it.
        "a key that doubles": b"\x80\x04}N\x94" + b"".join(b"h%c\x86\x94" % number for number in range(60)) + b"Ns.",
        "keys that double, at once": b"\x80\x04}(N\x94"
        + b"".join(b"h%c\x86\x94" % number for number in range(60))
        + b"Nu.",
        "entries that are one": as_pickle({"entries": [{**call(1), "input_sizes": [[1] * 64] * 64}] * 60_000}),
        "ranks that are one": as_pickle({"entries": [], "pg_config": same_ranks(range(3_000), 3_000)}),
        "frames that are none": as_json(dump([{**call(1), "frames": [None, {"name": 1}, {"filename": []}]}])),
    }


def itself() -> list:
    one: list = []
    one.append(one)
    return one


def doubled(value: object, times: int) -> object:
    for _ in range(times):
        value = [value, value]
    return value


def same_ranks(ranks: Iterable[int], groups: int) -> dict:
    shared = list(ranks)
    return {str(number): {"desc": "x", "ranks": shared} for number in range(groups)}


# What a dump that is run would make is a file where the test runs.
EVIL = evil(Path())


# Those that are made of as much as a dump may hold.
LARGEST = ("deeper than any stack", "ranks that are one")
HOSTILE = [pytest.param(EVIL[name], id=name, marks=[pytest.mark.fuzz] * (name in LARGEST)) for name in EVIL]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("dumped", HOSTILE)
def test_a_hostile_dump_gives_a_note_or_nothing_and_runs_nothing(
    shipped: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dumped: bytes
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nccl_trace_rank_0").write_bytes(dumped)
    (tmp_path / "rank0.log").write_text("2025-06-01 10:00:00 INFO step 1 loss 0.5\n")
    report = report_on(shipped, tmp_path)
    assert not (tmp_path / "touched").exists()
    assert report.diagnoses == () or report.diagnoses[0].cause != "cuda-oom"
    assert all(one.cause == "interrupted" or one.severity.value == "info" for one in report.diagnoses)
    for note in report.notes:
        assert note.source == "nccl_trace_rank_0"
        assert "dump" in note.note


def test_a_dump_of_any_size_is_not_read(tmp_path: Path):
    with (tmp_path / "nccl_trace_rank_0").open("wb") as file:
        file.write(b"\x80\x02")
        file.truncate(MAX_BYTES + 2)
    notes = discover([str(tmp_path)]).notes
    assert [note.note for note in notes] == ["is more than 18 MB, too much for a flight-recorder dump, and was skipped"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "dumped",
    [
        b'{"entries":[' + b"[]," * 1_000_000 + b"[]]}",
        b'{"entries":[' + b'"a1",' * 2_000_000 + b"1]}",
        b'{"entries":["' + b"a" * (13 << 20) + '😀"]}'.encode(),
        b"\x80\x04}\x8c\x07entries](" + b"]" * 800_000 + b"es.",
        b"\x80\x04}" + b"(" * 1_500_000 + b".",
        # To read so many opcodes takes ten seconds on a busy machine.
        pytest.param(b"\x80\x04}\x8c\x07entries](" + b"K\x01" * 3_100_000 + b"es.", marks=pytest.mark.fuzz),
    ],
    ids=["lists", "texts", "one wide letter", "pickled lists", "marks", "opcodes"],
)
def test_a_dump_whose_values_memory_has_no_room_for_is_not_read(dumped: bytes):
    with pytest.raises(NoDump, match="it holds too many values"):
        read_dump("r", 0, dumped)


def test_a_rank_of_very_many_groups_has_those_in_which_it_called_last():
    entries = [call(1, group=f"g{number}") for number in range(1_000)]
    kept = [record.group for record in read_dump("r", 0, as_json(dump(entries)))]
    assert kept == [f"g{number}" for number in range(1_000 - MAX_GROUPS, 1_000)]


def test_of_very_many_dumps_each_has_fewer_calls_and_all_say_the_same_ranks_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = written(tmp_path, lambda _: as_json(dump(up_to(40), ranks=300)))
    monkeypatch.setattr(flight_dump, "MAX_CALLS", 20)
    records = [record for source in discover([str(folder)]).sources for record in source.records]
    assert [[one.seq for one in record.calls] for record in records] == [list(range(36, 41))] * 4
    assert len({id(record.members) for record in records}) == 1


class Counted(int):
    """A number that counts how often it is compared."""

    compared = 0

    def __lt__(self, other: int) -> bool:
        Counted.compared += 1
        return int(self) < int(other)

    def __gt__(self, other: int) -> bool:
        Counted.compared += 1
        return int(self) > int(other)


def comparisons(ranks: int) -> int:
    """How often numbers of calls are compared to find that so many ranks went alike."""
    recorded, Counted.compared = RecordedCalls(), 0
    for rank in range(ranks):
        (record,) = read_dump(f"r{rank}", rank, as_json(dump(up_to(48))))
        counted = replace(record, calls=tuple(replace(one, seq=Counted(one.seq)) for one in record.calls))
        recorded.add(counted, Observation(counted, 1, None, None))
    assert recorded.divergences == ()
    return Counted.compared


def test_ranks_are_compared_in_work_in_proportion_to_their_number():
    assert comparisons(100) < 5 * comparisons(25)


plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 90), 1 << 90) | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(value=plain_values, protocol=st.integers(0, 5))
def test_plain_pickles_are_read_as_the_standard_library_does(value, protocol):
    data = pickle.dumps(value, protocol)
    assert load(data) == pickle.loads(data)  # noqa: S301 (made here)


@pytest.mark.parametrize("key", [(1 << 61) - 1, -(1 << 61), 1 << 40, 2.0**61, (1, 2)])
def test_keys_that_can_be_made_to_collide_are_refused(key):
    with pytest.raises(NotPlain, match="it has a key that is no plain one"):
        load(pickle.dumps({key: "x"}))


def test_numbers_of_ranks_and_groups_are_keys():
    plain = {0: "a", 99_999: "b", "text": 3}
    assert load(pickle.dumps(plain)) == plain


@given(data=st.binary(max_size=200))
def test_any_bytes_are_a_value_or_not_plain(data):
    try:
        load(b"\x80\x02" + data)
    except NotPlain as fault:
        assert str(fault)


@given(data=st.binary(max_size=200))
def test_any_bytes_are_a_dump_or_none(data):
    for head in (b"\x80\x02", b"{"):
        try:
            assert all(record.worker.rank == 0 for record in read_dump("r", 0, head + data))
        except NoDump as fault:
            assert str(fault)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_dumps_that_lie_in_a_followed_folder_and_those_that_come_are_read(tmp_path: Path):
    folder = written(tmp_path, lambda rank: as_json(dump(up_to(40) if rank == 2 else up_to(41, state="scheduled"))))
    for rank in range(4):
        (folder / f"rank{rank}.log").write_text(f"2025-06-15 15:07:20 INFO [rank{rank}] step 40 loss 0.5\n")
    late = folder / "nccl_trace_rank_2"
    kept = late.read_bytes()
    late.unlink()
    watch = [sys.executable, "-m", "logrules", "watch", "--panel", "off", "--format", "jsonl", str(folder)]
    with subprocess.Popen(watch, stdout=subprocess.PIPE) as one:
        killer = threading.Timer(60, one.kill)
        killer.start()
        assert one.stdout is not None
        told = [json.loads(one.stdout.readline())]
        late.write_bytes(kept)
        for line in one.stdout:
            told.append(json.loads(line))
            if told[-1]["event"] == "diagnosis":
                one.send_signal(signal.SIGTERM)
        killer.cancel()
    assert told[-1]["report"]["comparison"]["differences"][0]["kind"] == "missed"


def test_a_dump_is_read_once_it_is_whole_and_anew_when_written_anew(tmp_path: Path):
    path = tmp_path / "nccl_trace_rank_1"
    dumps, coming = [(path, path.name)], ComingDumps()
    whole = as_json(dump(up_to(40)))
    path.write_bytes(whole[:20])
    assert coming.look(dumps) == ([], [])
    path.write_bytes(whole)
    assert coming.look(dumps) == ([], [])
    (read,), notes = coming.look(dumps)
    assert (read.lines, notes) == (40, [])
    assert coming.look(dumps) == ([], [])
    path.write_bytes(as_json(dump(up_to(41))))
    assert coming.look(dumps) == ([], [])
    (again,), _ = coming.look(dumps)
    assert again.lines == 41


def test_a_replay_reads_the_dumps_as_a_saved_folder_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = written(tmp_path, lambda rank: as_json(dump(up_to(40) if rank == 2 else up_to(41, state="scheduled"))))
    for rank in range(4):
        (folder / f"rank{rank}.log").write_text(f"2025-06-15 15:07:20 INFO [rank{rank}] step 40 loss 0.5\n")
    told = []
    for words in (["diagnose"], ["watch", "--quiet", "--panel", "off", "--replay", "max"]):
        main([*words, "--format", "json", str(folder)])
        report = json.loads(capsys.readouterr().out)
        first = report["diagnoses"][0]
        told.append((report["lines"], sorted(report["sources"]), report["comparison"], first["rule"], first["title"]))
    assert told[0] == told[1]
    assert told[0][2]["differences"][0]["kind"] == "missed"
