"""Stacks of many processes merged, and who stands elsewhere."""

import json

import pytest

from logrules.notify.stack_groups import (
    ProcessStack,
    StackFrame,
    at_rest,
    dump_of,
    grouped,
    odd_ones,
    stack_of,
    summary,
)

OWN = StackFrame("step", "/work/train.py", 90, "train.py")
REDUCE = StackFrame("all_reduce", "/env/site-packages/torch/distributed/distributed_c10d.py", 2501, "torch/distributed/distributed_c10d.py")  # fmt: skip
ITEM = StackFrame("Pages.__getitem__", "/work/dataset.py", 88, "dataset.py")
GET = StackFrame("get", "/env/site-packages/requests/api.py", 73, "requests/api.py")
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
        ([ProcessStack("process 7", (GET,))], "process 7 is in api.py:73 get", []),
        ([ProcessStack("process 7", ())], "process 7 is in no Python frame", []),
    ],
)  # fmt: skip
def test_groups_and_the_odd_one_out(stacks, said, odd):
    groups = grouped(stacks)
    assert summary(groups) == said
    assert [name for group in odd_ones(groups) for name in group.names] == odd


def test_what_moves_is_not_stuck():
    moved = ProcessStack("rank 0", (REDUCE, StackFrame("step", "/work/train.py", 91, "train.py")))
    assert at_rest(ranks(2), [moved, *ranks(2)[1:]]) == (ranks(2)[1],)
    assert at_rest([], ranks(2)) == ()


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
    stack = stack_of("rank 3", json.dumps(threads))
    assert stack is not None
    assert dump_of(grouped([stack])[0]).splitlines() == [
        'Thread 0 (idle): "MainThread"',
        "    Queue.get (queue.py:171)",
        "    main (/w/train.py:0)",
    ]


@pytest.mark.parametrize("dump", ["", "Error: no such process", "{}", "[]", "[1]", '[{"frames": 3}]', "[" * 100_000])
def test_anything_else_is_no_stack(dump):
    assert stack_of("rank 0", dump) is None
