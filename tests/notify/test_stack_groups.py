"""Stacks of many processes merged, and who stands elsewhere."""

import json
from dataclasses import replace

import pytest

from logrules.engine.live_log import with_stacks
from logrules.model.report import Diagnosis, Report, Restart, Severity, StackView, Status, Text
from logrules.model.timeline import ParallelSizes
from logrules.sources.flight_dump import read_dump
from logrules.tools.inspection.process_groups import (
    ProcessGroup,
    groups_of_job,
    groups_of_records,
    groups_of_sizes,
    sizes_of,
)
from logrules.tools.inspection.stack_dump import ProcessStack, StackFrame, dump_of, stacks_of
from logrules.tools.inspection.stack_groups import at_rest, grouped, odd_ones
from logrules.tools.inspection.stack_sentences import (
    apart,
    hang_sentences,
    slowness_sentences,
    stacks_for_rules,
    summary,
)

OWN = StackFrame("step", "/work/train.py", 90, "train.py")
REDUCE = StackFrame("all_reduce", "/env/site-packages/torch/distributed/distributed_c10d.py", 2501, "torch/distributed/distributed_c10d.py")  # fmt: skip
ITEM = StackFrame("Pages.__getitem__", "/work/dataset.py", 88, "dataset.py")
GET = StackFrame("get", "/env/site-packages/requests/api.py", 73, "requests/api.py")
# A launcher's own script lies where programs are installed.
STARTED = StackFrame("<module>", "/env/bin/torchrun", 8, "torchrun")
INVOKES = StackFrame("Agent._invoke_run", "/env/site-packages/torch/distributed/elastic/agent/server/api.py", 905, "torch/distributed/elastic/agent/server/api.py")  # fmt: skip
LAUNCHER = ProcessStack("process 5", (StackFrame("clock_nanosleep", "", 0, "libc.so.6", native=True), INVOKES, STARTED))
WAITING = (REDUCE, OWN)
FETCHING = (GET, ITEM, OWN)


def ranks(count: int, *odd: int) -> list[ProcessStack]:
    return [ProcessStack(f"rank {n}", FETCHING if n in odd else WAITING) for n in range(count)]


@pytest.mark.parametrize(
    ("stacks", "said", "odd"),
    [
        (ranks(64, 17), "63 ranks are in train.py:90 step → all_reduce; rank 17 is in dataset.py:88 Pages.__getitem__ → get", ["rank 17"]),
        (ranks(2, 1), "rank 0 is in train.py:90 step → all_reduce; rank 1 is in dataset.py:88 Pages.__getitem__ → get", []),
        (ranks(4), "4 ranks are in train.py:90 step → all_reduce", []),
        (ranks(4, 2, 3), "2 ranks are in train.py:90 step → all_reduce; 2 ranks are in dataset.py:88 Pages.__getitem__ → get", []),
        ([], "", []),
        ([*ranks(3, 1), LAUNCHER], "2 ranks are in train.py:90 step → all_reduce; rank 1 is in dataset.py:88 Pages.__getitem__ → get; 1 more process is in no code of yours", ["rank 1"]),
        ([ProcessStack("process 7", (GET,))], "process 7 is in api.py:73 get", []),
        ([LAUNCHER], "process 5 is in api.py:905 Agent._invoke_run → clock_nanosleep", []),
        ([ProcessStack("process 7", ())], "process 7 is in no Python frame", []),
    ],
)  # fmt: skip
def test_groups_and_the_odd_one_out(stacks, said, odd):
    groups = grouped(stacks)
    assert summary(groups) == said
    assert [name for group in odd_ones(groups) for name in group.names] == odd


def test_of_a_chain_of_workers_who_waits_for_nobody_is_read_and_told_first():
    wrapper = StackFrame("hook.<locals>.wrapper", "/env/site-packages/ray/_private/hook.py", 22, "ray/_private/hook.py")
    get = StackFrame("get", "/env/site-packages/ray/_private/worker.py", 3009, "ray/_private/worker.py")
    sleeps = StackFrame("time_sleep", "", 0, "libpython3.11.so", native=True)
    driver = ProcessStack("process 5", (get, wrapper, OWN))
    judge = ProcessStack("Judge.score (pid 7)", (sleeps, ITEM))
    monitor = ProcessStack("process 8", (sleeps, GET))
    rounds = [[driver, judge, monitor]] * 3
    assert [who for who, _ in stacks_for_rules(rounds)] == ["Judge.score (pid 7)"]
    assert summary(grouped(rounds[0])) == (
        "Judge.score (pid 7) is in dataset.py:88 Pages.__getitem__ → time_sleep; "
        "process 5 is in train.py:90 step → get; 1 more process is in no code of yours"
    )


def test_a_launcher_and_helpers_are_not_compared_with_ranks():
    beside = [
        ProcessStack("process 7", (GET, OWN)),
        ProcessStack("process 8", (GET,)),
        ProcessStack("process 9", (OWN,)),
    ]
    odd = odd_ones(grouped([*ranks(4, 2), *beside]))
    assert [name for group in odd for name in group.names] == ["rank 2"]


def test_actors_of_a_class_are_compared_with_each_other_and_not_with_the_driver():
    actors = [ProcessStack(f"node-{n} Trainer.step (pid {n})", FETCHING if n == 1 else WAITING) for n in range(3)]
    readers = [ProcessStack(f"node-{n} Reader.read (pid {n + 9})", (GET,)) for n in range(4)]
    driver = ProcessStack("process 7", (OWN,))
    odd = odd_ones(grouped([*actors, *readers, driver]))
    assert [group.names for group in odd] == [("node-1 Trainer.step (pid 1)",)]


def test_where_stages_wait_in_different_calls_the_few_that_are_in_none_of_them_are_odd():
    send = (StackFrame("send_forward", "/work/pipe.py", 5, "pipe.py"), OWN)
    stages = [ProcessStack(f"rank {n}", WAITING if n < 4 else send) for n in range(8)]
    assert odd_ones(grouped(stages)) == ()
    stages[6] = ProcessStack("rank 6", FETCHING)
    assert [group.names for group in odd_ones(grouped(stages))] == [("rank 6",)]


GROUPS = groups_of_sizes(ParallelSizes(world=16, tensor=2, pipeline=4))


def test_the_groups_of_a_job_by_its_sizes():
    by_name = {group.name: group.ranks for group in GROUPS}
    assert by_name["tensor parallel group 3"] == (6, 7)
    assert by_name["data parallel group 1"] == (1, 3)
    assert by_name["pipeline parallel group 2"] == (2, 6, 10, 14)
    assert len(GROUPS) == 8 + 8 + 4
    for none in (ParallelSizes(16), ParallelSizes(None, 2), ParallelSizes(15, 2), ParallelSizes(1 << 20, 2)):
        assert groups_of_sizes(none) == ()


@pytest.mark.parametrize(
    ("words", "sizes"),
    [
        (["train.py", "--tensor-model-parallel-size", "4", "--pipeline-model-parallel-size=2"], ParallelSizes(8, 4, 1, 2)),
        (["vllm", "serve", "--tensor-parallel-size", "2"], ParallelSizes(8, 2)),
        (["x", "--context_parallel_size=2", "--tensor-parallel-size"], ParallelSizes(8, 1, 2)),
        (["--tensor-parallel-size", "9" * 30], ParallelSizes(8)),
        ([], ParallelSizes(8)),
    ],
)  # fmt: skip
def test_sizes_on_a_command_line(words, sizes):
    assert sizes_of(words, 8) == sizes


def test_the_groups_that_recorders_know():
    config = {
        "0": {"desc": "default_pg", "ranks": [0, 1, 2, 3]},
        "3": {"desc": "tp", "ranks": [2, 3]},
        "4": {"desc": "undefined", "ranks": [2]},
    }
    records = read_dump("d", 2, json.dumps({"entries": [], "pg_config": config}).encode())
    assert groups_of_records(records) == (ProcessGroup("process group 3 (tp)", (2, 3)),)


def test_sizes_of_the_log_go_before_those_of_command_lines():
    words, env = ["--tensor-parallel-size", "4"], {"WORLD_SIZE": "8"}
    assert {len(one.ranks) for one in groups_of_job(ParallelSizes(), [[], words], [{}, env])} == {4, 2}
    assert {len(one.ranks) for one in groups_of_job(ParallelSizes(16, 8), [words], [env])} == {8, 2}
    assert groups_of_job(ParallelSizes(), [words], [{"WORLD_SIZE": "9" * 50}]) == ()


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ((6, 7), "rank 6-7 stand apart, all of tensor parallel group 3 (rank 6-7): look for the fault in that group"),
        ((2, 14), "rank 2, 14 stand apart, all of pipeline parallel group 2 (rank 2, 6, 10, 14): look for the fault in that group"),
        ((1, 6), "rank 1, 6 stand apart, and no process group holds all of them"),
        ((5,), None),
    ],
)  # fmt: skip
def test_a_report_says_which_group_the_odd_ones_share(odd, said):
    assert hang_sentences([ranks(16, *odd)] * 3, GROUPS)[1:] == ([said] if said else [])
    assert len(hang_sentences([ranks(16, *odd)], ())) == 1


def test_who_still_moves_while_the_others_wait_is_apart_too():
    moving = [ProcessStack(f"rank {n}", (StackFrame("f", "/w/x.py", at),)) for at, n in ((1, 6), (2, 7))]
    first = [*ranks(16)[:6], *moving, *ranks(16)[8:]]
    said = hang_sentences([ranks(16), first], GROUPS)
    assert "rank 6-7 moving, in x.py:1 f" in said[0]
    assert "tensor parallel group 3" in said[1]


def test_who_is_apart():
    assert apart([ranks(16, 6)] * 3) == [6]
    moved = [*ranks(4)[:3], ProcessStack("rank 3", (OWN,))]
    assert apart([ranks(4), moved]) == [3]
    assert apart([ranks(4), [ProcessStack(f"rank {n}", (OWN,)) for n in range(4)]]) == []
    assert apart([]) == []


def test_of_a_stall_that_names_nobody_who_stands_apart_is_the_suspect():
    one = Diagnosis("a/b", "deadlock-user-code", "train_step", Severity.WARNING, 0.8, Text("t", "t"), Text("w", "w"), Restart.NO, (), (), (), ())  # fmt: skip
    view = StackView(apart=(6,))
    told = with_stacks(Report(Status.STALLED, "train_step", (one,)), view)
    assert (told.diagnoses[0].ranks, told.stacks) == ((6,), view)
    named = replace(one, ranks=(2,))
    assert with_stacks(Report(Status.STALLED, "train_step", (named,)), view).diagnoses == (named,)
    assert with_stacks(Report(Status.FAILED, "train_step", (one,)), view).diagnoses == (one,)


def test_of_a_slow_job_the_group_with_most_of_the_late_ones_is_named():
    rounds = [ranks(16, 2, 6), ranks(16, 6, 14), ranks(16, 2, 10), ranks(16, 3), ranks(16, 10, 14)]
    assert slowness_sentences(rounds, GROUPS) == [
        "most of those who stood apart were of pipeline parallel group 2 (rank 2, 6, 10, 14), in 4 of 5 samples"
    ]
    assert slowness_sentences([ranks(16)] * 5, GROUPS) == ["nobody stood apart in most of 5 samples"]
    assert slowness_sentences([], GROUPS) == []


def test_what_moves_is_not_stuck():
    moved = ProcessStack("rank 0", (REDUCE, StackFrame("step", "/work/train.py", 91, "train.py")))
    assert at_rest([ranks(2), [moved, *ranks(2)[1:]]]) == (ranks(2)[1],)
    assert at_rest([[], ranks(2)]) == ()
    assert at_rest([]) == ()


def test_a_dump_is_read_and_printed_as_py_spy_prints_it():
    threads = [
        {"thread_name": "pump", "frames": [{"name": "run", "filename": "/a.py", "line": 1}]},
        {
            "thread_name": "MainThread",
            "frames": [
                {"name": "Queue.get", "filename": "/usr/lib/python3.12/queue.py", "short_filename": "queue.py", "line": 171},
                {"name": "main", "filename": "/w/train.py", "short_filename": None, "line": "?"},
            ],
        },
    ]  # fmt: skip
    stack, *_ = stacks_of("rank 3", json.dumps(threads))
    assert dump_of(stack).splitlines() == [
        'Thread 0 (idle): "MainThread"',
        "    Queue.get (queue.py:171)",
        "    main (/w/train.py:0)",
    ]


@pytest.mark.parametrize("dump", ["", "Error: no such process", "{}", "[]", "[1]", '[{"frames": 3}]', "[" * 100_000])
def test_anything_else_is_no_stack(dump):
    assert stacks_of("rank 0", dump) == []
