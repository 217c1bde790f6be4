"""Stacks of the threads of one process: which are shown, and which of them rules read."""

import json

import pytest

from logrules.tools.inspection.stack_dump import ProcessStack, stacks_of
from logrules.tools.inspection.stack_groups import grouped, odd_ones
from logrules.tools.inspection.stack_sentences import hang_sentences, stacks_for_rules

LOCK = ("lock_PyThread_acquire_lock", "/l/libpython3.11.so.1.0", "libpython3.11.so.1.0", 0, True)
SLEEP = ("time_sleep", "/l/libpython3.11.so.1.0", "libpython3.11.so.1.0", 0, True)
WAITPID = ("os_waitpid", "/l/libpython3.11.so.1.0", "libpython3.11.so.1.0", 0, True)
READ = ("read", "/l/libc.so.6", "libc.so.6", 0, True)
UPDATE = ("update", "/w/agent.py", "agent.py", 31, False)
SAVE = ("save", "/w/agent.py", "agent.py", 58, False)
BEAT = ("beat", "/w/agent.py", "agent.py", 70, False)
GET = ("Queue.get", "/usr/lib/python3.11/queue.py", "queue.py", 171, False)
JOIN = ("BaseProcess.join", "/usr/lib/python3.11/multiprocessing/process.py", "multiprocessing/process.py", 149, False)
RUN = ("BaseProcess.run", "/usr/lib/python3.11/multiprocessing/process.py", "multiprocessing/process.py", 108, False)
BOOT = ("BaseProcess._bootstrap", RUN[1], RUN[2], 314, False)
POLL = ("Monitor.run", "/e/site-packages/tqdm/_monitor.py", "tqdm/_monitor.py", 60, False)
NAMES = ("name", "filename", "short_filename", "line", "native")


def thread(name: str, *frames: tuple[object, ...], active: bool = False) -> dict[str, object]:
    told = [dict(zip(NAMES, frame, strict=True)) for frame in frames]
    shown = [{**one, "module": "/l/libpython3.11.so.1.0" if one.pop("native") else None} for one in told]
    return {"thread_name": name, "active": active, "frames": shown}


def stacks(*threads: dict[str, object], name: str = "process 7") -> list[ProcessStack]:
    return stacks_of(name, json.dumps(threads))


CROSSWISE = stacks(thread("saver", LOCK, SAVE), thread("MainThread", LOCK, UPDATE))


def test_a_thread_of_the_users_own_that_waits_is_shown_beside_the_main_one():
    assert [stack.name for stack in CROSSWISE] == ["process 7", "process 7 thread saver"]
    assert hang_sentences([CROSSWISE], ()) == [
        "process 7 is in agent.py:31 update → lock_PyThread_acquire_lock; "
        "process 7 thread saver is in agent.py:58 save → lock_PyThread_acquire_lock"
    ]


@pytest.mark.parametrize(
    "other",
    [
        thread("tqdm", LOCK, POLL),
        thread("beat", SLEEP, BEAT),
        thread("busy", SAVE, active=True),
        thread("empty"),
    ],
    ids=["a library's", "asleep", "at work", "no frames"],
)
def test_other_threads_are_not(other):
    assert [stack.name for stack in stacks(thread("MainThread", LOCK, UPDATE), other)] == ["process 7"]


def test_threads_of_one_name_are_told_apart():
    same = [{**thread("pump", LOCK, SAVE), "os_thread_id": number} for number in (8, 9)]
    names = [stack.name for stack in stacks(thread("MainThread", LOCK, UPDATE), *same)]
    assert names == ["process 7", "process 7 thread pump 8", "process 7 thread pump 9"]


def test_that_two_threads_wait_for_locks_is_a_line_for_rules():
    told = dict(stacks_for_rules([CROSSWISE, CROSSWISE]))
    assert told["process 7"].splitlines()[:2] == [
        "logrules: process 7: 2 threads wait for locks: MainThread (agent.py:31 update), saver (agent.py:58 save)",
        'Thread 0 (idle): "MainThread"',
    ]
    assert told["process 7 thread saver"].startswith('Thread 0 (idle): "saver"\n')


@pytest.mark.parametrize("call", [WAITPID, READ])
def test_rules_read_no_other_thread_where_the_main_one_waits_for_none(call):
    job = stacks(thread("MainThread", call, UPDATE), thread("saver", LOCK, SAVE))
    assert list(dict(stacks_for_rules([job]))) == ["process 7"]


def test_a_queue_shows_no_locks_taken_crosswise():
    job = stacks(thread("MainThread", LOCK, GET, UPDATE), thread("saver", LOCK, SAVE))
    assert not any("wait for locks" in text for _, text in stacks_for_rules([job]))


def test_what_a_forked_process_inherited_is_not_where_it_stands():
    (child,) = stacks(thread("MainThread", LOCK, SAVE, RUN, BOOT, JOIN, UPDATE))
    assert [frame.function for frame in child.frames] == ["lock_PyThread_acquire_lock", "save", "BaseProcess.run"]


def test_who_waits_for_its_children_is_not_the_one_that_they_wait_for():
    children = [stack for n in (8, 9) for stack in stacks(thread("MainThread", GET, SAVE), name=f"process {n}")]
    (parent,) = stacks(thread("MainThread", WAITPID, JOIN, UPDATE))
    assert odd_ones(grouped([parent, *children])) == ()
    (stuck,) = stacks(thread("MainThread", LOCK, UPDATE))
    assert [group.names for group in odd_ones(grouped([stuck, *children]))] == [("process 7",)]
