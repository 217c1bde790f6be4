"""Tracebacks, crashes and kernel messages as failure records: forms, chains, several writers, bounds, any cut."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.model.event import Event, Stance
from logrules.model.failure import Failure, FailureKind, Origin
from logrules.model.stream import Block
from logrules.parsing.deduplication import EntryRoles
from logrules.parsing.exception_chain import INNERMOST_FRAMES, OUTERMOST_FRAMES
from logrules.parsing.exception_line import exception_by_place, may_be_by_place, unglued
from logrules.parsing.growing_log import GrowingLog
from logrules.parsing.hit_lines import Found, hit_lines
from logrules.parsing.log_ends import RawLine
from logrules.parsing.reader import Reader
from logrules.parsing.sampler import Sampler
from logrules.parsing.scan import Scanner
from logrules.parsing.traceback import MAX_ALIKE, TracebackAssembler
from logrules.parsing.window import Window, windows
from logrules.parsing.window_sample import WindowSample
from logrules.ruleset.compile import compile_pack
from logrules.ruleset.load import rule_texts
from logrules.ruleset.pack import Pack

_RULES = Path(__file__).parents[2] / "rules"


@cache
def _pack() -> Pack:
    """The formats alone: what they recognise does not depend on any rule."""
    formats = ("frameworks", "pipeline.yaml", "causes.yaml", "fixes")
    return compile_pack(list(rule_texts([_RULES / name for name in formats])), "test")


@cache
def _scanner() -> Scanner:
    return Scanner(_pack().signals, trace=_pack().trace)


def _origin(file: str, function: str) -> Origin:
    return Origin(own="site-packages" not in file, component=function or None)


def _events(text: str, source: str = "train.log") -> Iterator[Event]:
    """The events of a saved log, its last line at the end."""
    reader = Reader(_pack(), _scanner().signals_of)
    line = 1
    data = text.encode()
    for window in windows(iter([Block(source, 0, data)])):
        found = hit_lines(window, _scanner().scan(window.data))
        yield from reader.events(found, line)
        line += found.line_count
    body = data.rstrip()
    if body:
        start = body.rfind(b"\n") + 1
        yield reader.unasked(source, RawLine(body.count(b"\n") + 1, start, body[start:]))


def _live(text: str, cuts: list[int], source: str = "train.log") -> Iterator[Event]:
    """The events of a log that grows, a piece at a time."""
    scanner = _scanner()
    reader = Reader(_pack(), scanner.signals_of)

    def found(window: Window, *, sample: WindowSample, known: int) -> Found:
        return hit_lines(window, scanner.scan(window.data), sample, known)

    log = GrowingLog(source, reader, found, lambda: Sampler(scanner.sampled, EntryRoles))
    data = text.encode()
    edges = [0, *sorted(cuts), len(data)]
    for begin, end in pairwise(edges):
        if begin < end:
            yield from log.read(Block(source, begin, data[begin:end]))
    yield from log.held()
    yield from sorted(log.ends(), key=lambda event: -event.line)[:1]


def _failures(events: Iterator[Event]) -> list[Failure]:
    assembler = TracebackAssembler(_pack().trace, _origin)
    found: dict[int, Failure] = {}
    for event in events:
        _, failure = assembler.feed(event)
        if failure is not None:
            found[failure.id] = failure
    return list(found.values())


def _told(text: str) -> list[Failure]:
    return _failures(_events(text))


def _chain(failure: Failure) -> list[tuple[str, str]]:
    return [(link.type.rpartition(".")[2], "wrapper" if link.wraps else "raised") for link in failure.chain]


_HANDLED = (
    "Traceback (most recent call last):\n",
    '  File "/job/train.py", line 7, in upload\n',
    "    send(batch)\n",
    "OSError: gone\n",
)
_PLAIN = """\
Traceback (most recent call last):
  File "/job/train.py", line 10, in <module>
    main()
  File "/job/train.py", line 7, in main
    step(batch)
{}
"""


@dataclass(frozen=True)
class _Case:
    id: str
    text: str
    type: str
    message: str = ""
    chain: tuple[str, ...] = ()
    function: str | None = None
    kind: FailureKind = FailureKind.EXCEPTION


_CASES = [
    _Case("plain", _PLAIN.format("ValueError: bad shape (4, 2)"), "ValueError", "bad shape (4, 2)", function="main"),
    _Case("no-message", _PLAIN.format("AssertionError"), "AssertionError", function="main"),
    _Case("dotted", _PLAIN.format("pyarrow.lib.ArrowInvalid: schema"), "pyarrow.lib.ArrowInvalid", "schema"),
    _Case("again", _PLAIN.format("zmq.error.Again: Resource temporarily unavailable"), "zmq.error.Again",
          "Resource temporarily unavailable"),
    _Case("queue", _PLAIN.format("queue.Empty"), "queue.Empty"),
    _Case("exit", _PLAIN.format("SystemExit: 1"), "SystemExit", "1"),
    _Case("keyboard", _PLAIN.format("KeyboardInterrupt"), "KeyboardInterrupt"),
    _Case("custom-last", _PLAIN.format("BadRewardShape: (4, 2) vs (4,)"), "BadRewardShape", "(4, 2) vs (4,)",
          function="main"),
    _Case("custom-in-the-middle", _PLAIN.format("BadRewardShape: (4, 2) vs (4,)") + "ready\nstep\nstep\nstep\n",
          "BadRewardShape", "(4, 2) vs (4,)", function="main"),
    _Case("custom-before-a-chain", _PLAIN.format("job.rok.BadReward: one") + "\nDuring handling of the above exception,"
          " another exception occurred:\n\n" + _PLAIN.format("ValueError: two"), "job.rok.BadReward", "one",
          ("BadReward/raised", "ValueError/raised")),
    _Case("carets", _PLAIN.format("    ~~~~^^^^^^^\nTooWide: x"), "TooWide", "x"),
    _Case("glued", _PLAIN.format("KeyErrorKeyError: : 'a''a'"), "KeyError", "'a'"),
    _Case("message-below", _PLAIN.format("subprocess.TimeoutExpired: \nfirst line of it"), "subprocess.TimeoutExpired"),
    _Case("context", _PLAIN.format("KeyError: 'a'") + "\nDuring handling of the above exception, another exception "
          "occurred:\n\n" + _PLAIN.format("RuntimeError: outer"), "KeyError", "'a'",
          ("KeyError/raised", "RuntimeError/raised")),
    _Case("cause", _PLAIN.format("OSError: [Errno 28] No space left on device") + "\nThe above exception was the direct "
          "cause of the following exception:\n\n" + _PLAIN.format("datasets.exceptions.DatasetGenerationError: while"),
          "OSError", "[Errno 28] No space left on device", ("OSError/raised", "DatasetGenerationError/raised")),
    _Case("syntax", '  File "/job/train.py", line 3\n    foo(\n       ^\nSyntaxError: invalid syntax\n', "SyntaxError",
          "invalid syntax", function=""),
    _Case("half-cut", '  File "/job/train.py", line 7, in main\n    step()\nKeyError: 4\n', "KeyError", "4",
          function="main"),
    _Case("ray-task", """\
Traceback (most recent call last):
  File "/job/main.py", line 5, in <module>
    ray.get(refs)
ray.exceptions.RayTaskError(ValueError): ray::Worker.step() (pid=77, ip=10.0.0.1)
  File "/job/worker.py", line 10, in step
    raise ValueError("bad")
ValueError: bad
""", "ValueError", "bad", ("ValueError/raised", "RayTaskError(ValueError)/wrapper"), "step"),
    _Case("ray-creation", """\
Traceback (most recent call last):
  File "/job/main.py", line 5, in <module>
    ray.get(refs)
ray.exceptions.ActorDiedError: The actor died because of an error raised in its creation task, \
ray::Worker.__init__() (pid=77, ip=10.0.0.1)
  File "/job/worker.py", line 10, in __init__
    load()
OSError: no weights
""", "OSError", "no weights", ("OSError/raised", "ActorDiedError/wrapper"), "__init__"),
    _Case("ray-alone", """\
ray.exceptions.RayTaskError(KeyError): ray::f() (pid=77, ip=10.0.0.1)
  File "/job/worker.py", line 10, in f
    d[1]
KeyError: 1
""", "KeyError", "1", ("KeyError/raised", "RayTaskError(KeyError)/wrapper"), "f"),
    _Case("ray-no-inner", _PLAIN.format("ray.exceptions.RayTaskError(KeyError): told elsewhere"), "KeyError",
          "told elsewhere", ("RayTaskError(KeyError)/wrapper",)),
    _Case("pool", '''\
multiprocessing.pool.RemoteTraceback:
"""
Traceback (most recent call last):
  File "/usr/lib/python3.11/multiprocessing/pool.py", line 125, in worker
    result = (True, func(*args, **kwds))
  File "/job/data.py", line 4, in clean
    return int(x)
ValueError: not a number
"""

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/job/main.py", line 8, in <module>
    pool.map(clean, xs)
ValueError: not a number
''', "ValueError", "not a number", ("ValueError/raised", "RemoteTraceback/wrapper", "ValueError/raised"), "clean"),
    _Case("futures", '''\
concurrent.futures.process._RemoteTraceback:
"""
Traceback (most recent call last):
  File "/job/data.py", line 4, in clean
    return int(x)
KeyError: 'x'
"""
''', "KeyError", "'x'", ("KeyError/raised", "_RemoteTraceback/wrapper"), "clean"),
    _Case("dataloader", """\
Traceback (most recent call last):
  File "/job/train.py", line 9, in main
    for batch in loader:
OSError: Caught OSError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "/job/data.py", line 12, in __getitem__
    return decode(path)
OSError: image file is truncated
""", "OSError", "image file is truncated", ("OSError/raised", "OSError/wrapper"), "__getitem__"),
    _Case("spawn", """\
Traceback (most recent call last):
  File "/job/train.py", line 9, in <module>
    mp.spawn(main)
torch.multiprocessing.spawn.ProcessRaisedException:

-- Process 1 terminated with the following error:
Traceback (most recent call last):
  File "/job/train.py", line 4, in main
    setup(rank)
RuntimeError: Address already in use
""", "RuntimeError", "Address already in use", ("RuntimeError/raised", "ProcessRaisedException/wrapper"), "main"),
    _Case("elastic-adds-nothing", _PLAIN.format("torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"),
          "torch.distributed.elastic.multiprocessing.errors.ChildFailedError", "", ("ChildFailedError/wrapper",)),
    _Case("group", """\
  + Exception Group Traceback (most recent call last):
  |   File "/job/serve.py", line 3, in <module>
  |     trio.run(main)
  | ExceptionGroup: Exceptions from Trio nursery (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/job/serve.py", line 9, in ask
    |     await reply()
    | ConnectionError: refused
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "/job/serve.py", line 12, in tick
    |     raise KeyError(1)
    | KeyError: 1
    +------------------------------------
""", "ConnectionError", "refused", ("ConnectionError/raised", "KeyError/raised", "ExceptionGroup/wrapper"), "ask"),
    _Case("vllm", "".join(f"ERROR 01-02 03:04:05 [core.py:58] {line}\n" for line in
          _PLAIN.format("RuntimeError: CUDA error").splitlines()), "RuntimeError", "CUDA error", function="main"),
    _Case("unknown-prefix", "".join(f"2025-01-02 | job 77/train | {line}\n" for line in
          _PLAIN.format("OSError: [Errno 5] Input/output error").splitlines()), "OSError",
          "[Errno 5] Input/output error", function="main"),
    _Case("rich", """\
╭───────────────────── Traceback (most recent call last) ──────────────────────╮
│ /job/train.py:12 in main                                                     │
│                                                                              │
│   9 │   loader = load()                                                      │
│ ❱ 12 │   step(loader)                                                        │
│ /job/train.py:30 in step                                                     │
╰──────────────────────────────────────────────────────────────────────────────╯
ValueError: bad shape
""", "ValueError", "bad shape", function="step"),
    _Case("rich-narrow", """\
╭───────────────────── Traceback (most recent call last) ──────────────────────╮
│ /opt/env/lib/python3.11/site-packages/acme/loaders/interleaved/shards.py:120 │
│ in __next__                                                                  │
│                                                                              │
│ ❱ 120 │   data = self._next()                                                │
╰──────────────────────────────────────────────────────────────────────────────╯
ValueError: bad shape
""", "ValueError", "bad shape", function=""),
    _Case("rich-windows", """\
╭───────────────────── Traceback (most recent call last) ──────────────────────╮
│ D:\\my job\\train.py:12 in <module>                                            │
│ ❱ 12 │   step(loader)                                                        │
│                                                                              │
│ D:\\my job\\steps.py:30 in step                                                │
│ ❱ 30 │   raise ValueError("bad shape")                                       │
╰──────────────────────────────────────────────────────────────────────────────╯
ValueError: bad shape
""", "ValueError", "bad shape", function="step"),
    _Case("ipython-windows", """\
KeyError                                  Traceback (most recent call last)
Cell In[3], line 1
----> 1 main(4)

File c:\\job\\train.py:9, in main(n)
----> 9     return table[n]

KeyError: 4
""", "KeyError", "4", function="main"),
    _Case("ipython-old-windows", """\
KeyError                                  Traceback (most recent call last)
<ipython-input-3-abc> in <module>
----> 1 main(4)

D:\\job\\train.py in main(n)
----> 9     return table[n]

KeyError: 4
""", "KeyError", "4", function="main"),
    _Case("ipython", """\
---------------------------------------------------------------------------
KeyError                                  Traceback (most recent call last)
Cell In[3], line 1
----> 1 main(4)

File ~/job/train.py:9, in main(n)
      8 def main(n):
----> 9     return table[n]

KeyError: 4
""", "KeyError", "4", function="main"),
    _Case("ipython-old", """\
KeyError                                  Traceback (most recent call last)
<ipython-input-3-abc> in <module>
----> 1 main(4)

/job/train.py in main(n)
----> 9     return table[n]

KeyError: 4
""", "KeyError", "4", function="main"),
    _Case("ipython-coloured", """\
\x1b[0;31m---------------------------------------------------------------------------\x1b[0m
\x1b[0;31mKeyError\x1b[0m                                  Traceback (most recent call last)
Cell \x1b[0;32mIn[3], line 1\x1b[0m
\x1b[0;32m----> 1\x1b[0m \x1b[43mmain\x1b[49m(\x1b[38;5;241m4\x1b[39m)

File \x1b[0;32m~/job/train.py:9\x1b[0m, in \x1b[0;36mmain\x1b[0;34m(n)\x1b[0m
\x1b[1;32m      8\x1b[0m \x1b[38;5;28;01mdef\x1b[39;00m main(n):
\x1b[0;32m----> 9\x1b[0m     \x1b[38;5;28;01mreturn\x1b[39;00m table[n]

\x1b[0;31mKeyError\x1b[0m: 4
""", "KeyError", "4", function="main"),
    _Case("ipython-coloured-9", """\
\x1b[31mKeyError\x1b[39m                                  Traceback (most recent call last)
\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32mIn[3]\x1b[39m\x1b[32m, line 1\x1b[39m
\x1b[32m----> \x1b[39m\x1b[32m1\x1b[39m main(\x1b[32m4\x1b[39m)

\x1b[36mFile \x1b[39m\x1b[32m~/job/train.py:9\x1b[39m, in \x1b[36mmain\x1b[39m\x1b[34m(n)\x1b[39m
\x1b[32m----> \x1b[39m\x1b[32m9\x1b[39m     \x1b[38;5;28;01mreturn\x1b[39;00m table[n]

\x1b[31mKeyError\x1b[39m: 4
""", "KeyError", "4", function="main"),
    _Case("pytest", """\
/job/rok.py:8: in step
    raise ValueError("bad")
E   ValueError: bad
""", "ValueError", "bad", function="step"),
    _Case("windows", _PLAIN.replace("/job/train.py", "C:\\job\\train.py").format("OSError: [WinError 1455] paging"),
          "OSError", "[WinError 1455] paging", function="main"),
    _Case("crlf", _PLAIN.format("OSError: gone").replace("\n", "\r\n"), "OSError", "gone", function="main"),
    _Case("faulthandler", """\
Fatal Python error: Segmentation fault

Thread 0x00007f10 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait

Current thread 0x00007f11 (most recent call first):
  File "/job/kernel.py", line 4 in launch
  File "/job/train.py", line 9 in main
""", "Segmentation fault", function="launch", kind=FailureKind.ABORT),
    _Case("terminate", """\
terminate called after throwing an instance of 'c10::Error'
  what():  CUDA error: an illegal memory access was encountered
Fatal Python error: Aborted
""", "c10::Error", "CUDA error: an illegal memory access was encountered", kind=FailureKind.ABORT),
    _Case("absl", "*** SIGSEGV received at time=1700000000 on cpu 3 ***\nPC: @ 0x7f  (unknown)\n", "SIGSEGV",
          kind=FailureKind.ABORT),
    _Case("ucx", "[gpu-04:77   :0:77] Caught signal 11 (Segmentation fault: address not mapped)\n", "SIGSEGV",
          "Segmentation fault: address not mapped)", kind=FailureKind.ABORT),
    _Case("assert", "gemm.cu:12: void run(int): Assertion `n > 0' failed.\n", "", "n > 0", kind=FailureKind.ABORT),
    _Case("glibc", "free(): double free detected in tcache 2\n", "", "free(): double free detected in tcache 2",
          kind=FailureKind.ABORT),
    _Case("oom", "[ 77.1] Out of memory: Killed process 4242 (python) total-vm:1kB\n", "Out of memory",
          kind=FailureKind.KERNEL),
    _Case("xid", "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 79, pid=4242, GPU has fallen off the bus.\n", "Xid 79",
          kind=FailureKind.KERNEL),
]  # fmt: skip


@pytest.mark.parametrize("case", _CASES, ids=[case.id for case in _CASES])
def test_every_form(case: _Case):
    failures = _told(case.text)
    assert len(failures) == 1
    failure = failures[0]
    assert (failure.kind, failure.type) == (case.kind, case.type)
    if case.message:
        assert failure.message.startswith(case.message) or failure.kind is FailureKind.KERNEL
    if case.chain:
        assert tuple(f"{kind}/{link}" for kind, link in _chain(failure)) == case.chain
    if case.function is not None:
        assert failure.frames[-1].function == case.function


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Fatal Python error: Segmentation fault\n", -11),
        ("Fatal Python error: Bus error\n", -7),
        ("terminate called without an active exception\n", -6),
        ("*** SIGTERM received at time=1 on cpu 5 ***\n", -15),
        ("[n1:77] *** Process received signal ***\n[n1:77] Signal: Segmentation fault (11)\n", -11),
        ("Memory cgroup out of memory: Killed process 7 (python)\n", -9),
        ("python[77]: segfault at 0 ip 00007f sp 00007f error 4 in libnccl.so\n", -11),
    ],
)
def test_crashes_have_a_code(text: str, code: int):
    (failure,) = _told(text)
    assert failure.code == code


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        (_PLAIN.format("ValueError: x"), Stance.FACT),
        ("".join(f"WARNING 01-02 03:04:05 [a.py:1] {line}\n" for line in _PLAIN.format("ValueError: x").splitlines()),
         Stance.CAUGHT),
        ("".join(f"ERROR 01-02 03:04:05 [a.py:1] {line}\n" for line in _PLAIN.format("ValueError: x").splitlines()),
         Stance.FACT),
        ("".join(f"2025-01-02 03:04:05,100 - app - INFO - {line}\n" for line in _PLAIN.format("ValueError: x").splitlines()),
         Stance.FACT),
        ("2025-01-02 03:04:05,100 - app - INFO - " + _PLAIN.format("ValueError: x"), Stance.CAUGHT),
        ("Exception ignored in: <function Pool.__del__ at 0x7f>\n" + _PLAIN.format("OSError: gone"), Stance.CAUGHT),
        ("--- Logging error ---\n" + _PLAIN.format("OSError: gone"), Stance.CAUGHT),
        ("WARNING upload failed, retrying\n" + "".join(_HANDLED), Stance.CAUGHT),
        # The interpreter prints what nobody caught from the script's own code on, whatever was said above it.
        ("WARNING upload failed, retrying\nthe upload was given up\n" + "".join(_HANDLED), Stance.FACT),
        ("WARNING upload failed, retrying\n" + _PLAIN.format("OSError: gone"), Stance.FACT),
        # What a program passes on of another one's output, line by line, is logged at the level of all of it.
        ("".join(f"INFO 01-02 03:04:05 [a.py:1] {line}\n" for line in _PLAIN.format("OSError: gone").splitlines()),
         Stance.FACT),
        ("INFO 01-02 03:04:05 [a.py:1] " + _PLAIN.format("OSError: gone"), Stance.CAUGHT),
    ],
)  # fmt: skip
def test_what_was_lived_through(text: str, stance: Stance):
    (failure,) = _told(text)
    assert failure.stance is stance


@pytest.mark.parametrize(
    "text",
    [
        "    raise ValueError: x\n",
        "INFO 01-02 03:04:05 [check.py:1] Check failed: retrying\n",
        "FutureWarning: this will change\n",
        "ERROR: something\nWARNING: else\n",
        'Thread 0x7f (most recent call first):\n  File "a.py", line 1 in f\n',
    ],
)
def test_what_is_no_failure(text: str):
    assert _told(text) == []


def test_an_exception_is_chained_to_no_crash():
    """Lines of several processes mix: what one says between two tracebacks may come behind another's crash."""
    chained = "During handling of the above exception, another exception occurred:\n\n"
    crash, raised = _told("Fatal Python error: Bus error\n\n" + chained + _PLAIN.format("ValueError: x"))
    assert (crash.kind, raised.kind, _chain(raised)) == (
        FailureKind.ABORT,
        FailureKind.EXCEPTION,
        [("ValueError", "raised")],
    )


def test_frames_below_a_head_are_those_of_no_crash_above_it():
    """Only the head's first line names its writer; a native stack of nobody's may stand right above it."""
    native = "Exception raised from recvBytes at /a/Utils.hpp:682 (most recent call first):\n" + "".join(
        f"frame #{number}: c10d::f{number}() + 0x1 (0xf in /a/libtorch.so)\n" for number in range(3)
    )
    head = "[2025-01-02 03:04:05 TP6] Scheduler hit an exception: "
    (raised,) = _told(native + "\n" + head + _PLAIN.format("ValueError: x"))
    assert (raised.kind, raised.type, raised.first.worker.rank) == (FailureKind.EXCEPTION, "ValueError", 6)


def test_ranks_with_names_do_not_mix():
    one, other = (_PLAIN.format(f"ValueError: rank {rank}").splitlines() for rank in (0, 1))
    text = "".join(f"[rank0]: {a}\n[rank1]: {b}\n" for a, b in zip(one, other, strict=True))
    failures = _told(text)
    assert [(failure.worker.rank, failure.message) for failure in failures] == [(0, "rank 0"), (1, "rank 1")]


@pytest.mark.parametrize("writers", [2, 4, 8])
def test_writers_without_a_name_are_told_apart(writers: int):
    lines = _PLAIN.format("ValueError: same").splitlines()
    failures = _told("".join(f"{line}\n" * writers for line in lines))
    assert failures
    assert {len(failure.frames) for failure in failures} == {2}
    assert {(failure.type, failure.message) for failure in failures} == {("ValueError", "same")}


def test_foreign_lines_may_stand_between():
    lines = _PLAIN.format("ValueError: x").splitlines()
    text = "\n 12%|#2        | 12/100 [01:00<07:20,  5.0s/it]\n".join(lines) + "\n"
    (failure,) = _told(text)
    assert [frame.function for frame in failure.frames] == ["<module>", "main"]


def test_frames_have_origins():
    (failure,) = _told(_PLAIN.format("ValueError: x"))
    assert failure.frames[-1].origin == Origin(component="main", own=True)
    assert (failure.frames[-1].line, failure.frames[-1].file) == (7, "/job/train.py")


def test_lines_belong_to_their_record():
    assembler = TracebackAssembler(_pack().trace, _origin)
    members = {assembler.feed(event)[0] for event in _events(_PLAIN.format("ValueError: x"))}
    assert len(members - {None}) == 1


def test_a_traceback_quoted_in_a_message_begins_no_record():
    """What a KeyError says is printed as a literal: the ends of its lines are escaped, and all of it is one line."""
    quoted = "KeyError: 'worker 3 caught KeyError with message:\\nTraceback (most recent call last):\\n  File \"a.py\"'"
    assembler = TracebackAssembler(_pack().trace, _origin)
    told = [assembler.feed(event) for event in _events(_PLAIN.format(quoted))]
    raised = {failure.id for _, failure in told if failure is not None}
    assert {member for member, _ in told if member is not None} == raised
    assert len(raised) == 1


def test_a_stack_dump_is_no_failure_but_has_frames():
    assembler = TracebackAssembler(_pack().trace, _origin)
    text = 'Thread 0x7f (most recent call first):\n  File "a.py", line 1 in inner\n  File "a.py", line 9 in outer\n'
    told = [assembler.feed(event) for event in _events(text)]
    record = next(member for member, _ in told if member is not None)
    assert [frame.function for frame in assembler.stacks.frames_of(record)] == ["outer", "inner"]


def test_deep_recursion_keeps_both_ends():
    frames = "".join(f'  File "a.py", line {number}, in f{number}\n    f()\n' for number in range(1, 121))
    (failure,) = _told(f"Traceback (most recent call last):\n{frames}RecursionError: too deep\n")
    assert len(failure.frames) == OUTERMOST_FRAMES + INNERMOST_FRAMES
    assert (failure.frames[0].function, failure.frames[-1].function) == ("f1", "f120")


def test_a_failure_told_without_end_does_not_hide_the_next():
    assembler = TracebackAssembler(_pack().trace, _origin)
    again = list(_events(_PLAIN.format("ValueError: again")))
    told = 0
    for turn in range(MAX_ALIKE + 50):
        shifted = (replace(event, line=event.line + turn * 500) for event in again)
        told += sum(assembler.feed(event)[1] is not None for event in shifted)
    assert told == MAX_ALIKE
    news = [assembler.feed(replace(event, line=event.line + 10**7)) for event in _events(_PLAIN.format("OSError: new"))]
    assert [failure.type for _, failure in news if failure is not None] == ["OSError"]


def test_a_chain_without_end_is_bounded():
    one = _PLAIN.format("ValueError: x") + "\nDuring handling of the above exception, another exception occurred:\n\n"
    (failure,) = _told(one * 100)
    assert len(failure.chain) <= 16
    assert not failure.chain[0].wraps


def test_a_chain_without_end_keeps_both_ends():
    said = "\nDuring handling of the above exception, another exception occurred:\n\n"
    (failure,) = _told(said.join(_PLAIN.format(f"ValueError: {number}") for number in range(100)))
    assert (failure.chain[0].message, failure.chain[-1].message, failure.last.message) == ("0", "99", "ValueError: 99")


def test_records_differ_where_frames_or_words_do():
    failures = _told(_PLAIN.format("ValueError: x is 4") + "done\n" * 80 + _PLAIN.format("ValueError: x is 5"))
    assert [failure.message for failure in failures] == ["x is 4", "x is 5"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("BadShape: x", ("BadShape", "x")),
        ("socket.timeout: timed out", ("socket.timeout", "timed out")),
        ("  | BadShape", ("BadShape", "")),
        ("My_Error_:", ("My_Error_", "")),
        ("train.py: error", None),
        ("ERROR: x", None),
        ("node01: x", None),
        ("Killed by user", None),
        ("Error: no answer", None),
    ],
)
def test_exceptions_by_their_place(line: str, told: tuple[str, str] | None):
    assert exception_by_place(line) == told
    # What is taken so has to be found first.
    assert told is None or may_be_by_place(f"[rank3]: {line}  ".encode())


def test_what_two_wrote_at_once():
    assert unglued("OSErrorOSError", ": a: ba: b") == ("OSError", "a: b")
    assert unglued("OSErrorOSErrorOSError", ": : a: ba: ba: b") == ("OSError", "a: b")
    assert unglued("OSErrorOSErrorOSError", ": : a: ba: c") == ("OSError", "a: ba: c")
    assert unglued("OSError", "a") == ("OSError", "a")


_TEXTS = st.lists(
    st.one_of(
        st.sampled_from([line for case in _CASES for line in case.text.splitlines()]),
        st.text(max_size=40).map(lambda text: text.replace("\n", " ")),
        st.sampled_from(["[rank0]: ", "(W pid=1) ", ""]).flatmap(
            lambda prefix: st.sampled_from(_PLAIN.splitlines()).map(lambda line: prefix + line)
        ),
    ),
    max_size=60,
)


@given(_TEXTS)
def test_no_text_raises(lines: list[str]):
    for failure in _told("\n".join(lines) + "\n"):
        assert len(failure.chain) <= 16
        assert len(failure.message) <= 2_000
        assert failure.workers


@given(st.data())
def test_live_tells_what_a_saved_log_tells(data: st.DataObject):
    case = data.draw(st.sampled_from(_CASES))
    noise = data.draw(st.sampled_from(["", "step 1\n", "INFO ready\nstep 2\n"]))
    text = noise + case.text + noise
    lines = [at + 1 for at, char in enumerate(text.encode()) if char == 10]
    cuts = data.draw(st.lists(st.sampled_from(lines), max_size=6))
    saved, live = _told(text), _failures(_live(text, cuts))
    assert [_plain(failure) for failure in live] == [_plain(failure) for failure in saved]


@pytest.mark.parametrize("case", _CASES, ids=[case.id for case in _CASES])
def test_line_by_line_tells_the_same(case: _Case):
    text = case.text + "ready\nset\ngo\nready\n"
    cuts = [at + 1 for at, char in enumerate(text.encode()) if char == ord("\n")]
    saved, live = _told(text), _failures(_live(text, cuts))
    assert [_plain(failure) for failure in live] == [_plain(failure) for failure in saved]


def _plain(failure: Failure) -> tuple[object, ...]:
    frames = [(frame.file, frame.line, frame.function) for frame in failure.frames]
    return failure.kind, failure.type, failure.message, failure.code, frames, _chain(failure), failure.first.line


def test_any_interleaving_of_two_named_workers_gives_both():
    rng = random.Random(4)
    for _ in range(20):
        queues = [[f"[rank{rank}]: {line}" for line in _PLAIN.format("ValueError: x").splitlines()] for rank in (0, 1)]
        mixed = []
        while any(queues):
            mixed.append(rng.choice([queue for queue in queues if queue]).pop(0))
        failures = _told("\n".join(mixed) + "\n")
        assert sorted(failure.worker.rank or 0 for failure in failures) == [0, 1]
        assert {len(failure.frames) for failure in failures} == {2}


def test_an_exception_ends_one_of_two_tracebacks_that_were_written_at_once():
    failures = _told(
        """\
Traceback (most recent call last):
  File "/app/train.py", line 9, in <module>
    main()
  File "/app/train.py", line 5, in main
    first(batch)
  File "/app/train.py", line 2, in first
Traceback (most recent call last):
  File "/app/train.py", line 9, in <module>
    return batch["rows"]
KeyError: 'rows'
    main()
  File "/app/train.py", line 5, in main
    first(batch)
  File "/app/train.py", line 2, in first
    return batch["rows"]
KeyError: 'rows'
"""
    )
    assert [(failure.type, [frame.line for frame in failure.frames]) for failure in failures] == [
        ("KeyError", [9, 5, 2]),
        ("KeyError", [9, 5, 2]),
    ]
