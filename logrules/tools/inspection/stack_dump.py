"""What `py-spy dump --json` prints of a process: the stack of its main thread, and of its own threads that wait.

Pure functions.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from logrules.model.package_path import is_own
from logrules.model.record import record

# A dump may claim what it likes.
MAX_FRAMES = 256
_MAX_THREADS = 64
_MAX_NAME = 60
MAIN = "MainThread"
_ADDRESS = re.compile(r"0x[0-9a-f]+|\?*")
# What CPython calls the C functions in which it sleeps, and those in which it takes a lock or joins a thread.
_SLEEP = re.compile(r"pysleep|time_sleep\w*|time\.sleep")
_LOCK = re.compile(r"\w*PyThread_acquire_lock\w*|_threading_R?Lock_acquire\w*|rlock_acquire\w*|acquire_timed\w*")
_JOIN = re.compile(r"\w*ThreadHandle_join\w*|_?PyEvent_Wait\w*")
# Those in which it waits for a process, and the Python functions that do.
_WAITPID = re.compile(r"os_wait(?:pid|id|4)?(?:_impl)?|wait(?:pid|id|4)")
_CHILD = re.compile(
    r"(?:\w+\.)*(?:_?wait|_try_wait|poll|_?communicate|join|get|map|starmap|apply|next|run|call|check_\w+)"
    r" \((?:torch/)?(?:subprocess|multiprocessing/(?:popen_\w+|process|pool|spawn))\.py"
    r"|(?:\w+\.)*(?:get|get_objects|wait) \(ray/_private/worker\.py"
)
# What installed programs are started by lies in such a folder, without the ending of a source file.
_SCRIPT = re.compile(r"[/\\](?:bin|Scripts)[/\\][^/\\.]+$")
# A decorator's function, which only calls what it wraps.
_WRAPPER = ".<locals>."
# Where a process that multiprocessing started begins: what a forked one has further out is its parent's stack.
_BEGIN, _BEGIN_FILE = ("BaseProcess._bootstrap", "_bootstrap"), "multiprocessing/process.py"
# The modules in whose waits one thread waits for another.
_BETWEEN_THREADS = ("threading.py", "queue.py", "concurrent/futures/")


@record
class StackFrame:
    """A frame: ``function`` with its class where that is known, ``file`` in full, ``line`` or 0.

    A ``native`` one is of the interpreter or of a library that is not written in Python.
    """

    function: str
    file: str
    line: int
    short: str = ""
    native: bool = False

    @property
    def own(self) -> bool:
        """Whether it is the user's code: no installed package and no standard library."""
        return not self.native and is_own(self.file) and _SCRIPT.search(self.file) is None

    @property
    def place(self) -> str:
        """Where it is, as a person writes it."""
        if self.native:
            return self.function
        return f"{(self.short or self.file).rpartition('/')[2]}:{self.line} {self.function}"

    @property
    def printed(self) -> str:
        """The frame as py-spy prints it."""
        where = self.short or self.file
        return f"    {self.function} ({where})" if self.native else f"    {self.function} ({where}:{self.line})"


@record
class ProcessStack:
    """A thread of a process, the innermost frame first; ``name`` is the process's rank or its id in words.

    That of a thread other than the main one ends in its name.
    """

    name: str
    frames: tuple[StackFrame, ...]
    thread: str = MAIN

    @property
    def key(self) -> tuple[object, ...]:
        """What equal stacks have in common, wherever in its lines a function stands."""
        return (self.is_main, *((frame.function, frame.file) for frame in self.frames))

    @property
    def place(self) -> str:
        """The innermost frame of the user's code and what it calls; without one, the innermost of Python."""
        at = self._own_at
        if at is None:
            at = next((n for n, frame in enumerate(self.frames) if not frame.native), None)
        if at is None:
            return self.frames[0].place if self.frames else "no Python frame"
        inner = self.frames[:at][::-1]
        called = next((frame for frame in inner if _WRAPPER not in frame.function), inner[0] if inner else None)
        return self.frames[at].place + (f" → {called.function}" if called is not None else "")

    @property
    def process(self) -> str:
        """The process by its name, whichever of its threads this is."""
        return self.name if self.is_main else self.name.removesuffix(_thread_suffix(self.thread))

    @property
    def is_main(self) -> bool:
        """Whether it is the main thread."""
        return self.thread == MAIN

    @property
    def own(self) -> StackFrame | None:
        """The innermost frame of the user's code."""
        return None if self._own_at is None else self.frames[self._own_at]

    @property
    def takes_lock(self) -> bool:
        """Whether the user's code itself waits for a lock; only native frames show it."""
        inner = self._inner
        return self.own is not None and all(one.native for one in inner) and _has(inner, _LOCK)

    @property
    def waits_within(self) -> bool:
        """Whether it may wait for a thread of its own process: for a lock, a queue, an end, or asleep."""
        inner = self._inner
        python = [frame for frame in inner if not frame.native]
        if python:
            return any((frame.short or frame.file).startswith(_BETWEEN_THREADS) for frame in python)
        return not inner or any(_has(inner, one) for one in (_LOCK, _JOIN, _SLEEP))

    @property
    def awaits_process(self) -> bool:
        """Whether it waits for a process that it started, or for one of Ray's workers."""
        python = (f"{frame.function} ({frame.short}" for frame in self._inner if not frame.native)
        return _has(self._inner, _WAITPID) or any(map(_CHILD.match, python))

    @property
    def sleeps(self) -> bool:
        """Whether it is asleep for a time of its own choice."""
        return _has(self._inner, _SLEEP)

    @property
    def _own_at(self) -> int | None:
        return next((n for n, frame in enumerate(self.frames) if frame.own), None)

    @property
    def _inner(self) -> Sequence[StackFrame]:
        """What the innermost frame of the user's code has called."""
        return self.frames[: self._own_at]


def _has(frames: Sequence[StackFrame], kind: re.Pattern[str]) -> bool:
    return any(frame.native and kind.fullmatch(frame.function) for frame in frames)


def stacks_of(name: str, dump: str) -> list[ProcessStack]:
    """The main thread in what ``py-spy dump --json`` prints, and the others that wait in the user's own code.

    A thread without a frame of the user's is a library's; one that sleeps does so until it is time for its work.
    """
    try:
        threads = json.loads(dump)
    except (ValueError, RecursionError):
        return []
    if not isinstance(threads, list):
        return []
    found = [one for one in threads if isinstance(one, Mapping) and isinstance(one.get("frames"), list)]
    if not found:
        return []
    main = next((one for one in found if one.get("thread_name") == MAIN), found[0])
    others = [one for one in found[:_MAX_THREADS] if one is not main and not one.get("active")]
    return [ProcessStack(name, _frames(main)), *_waiting(name, others)]


def _waiting(name: str, threads: Sequence[Mapping[str, object]]) -> Iterator[ProcessStack]:
    names = [str(one.get("thread_name") or "without a name")[:_MAX_NAME] for one in threads]
    same = Counter(names)
    for called, thread in zip(names, threads, strict=True):
        unique = called if same[called] == 1 else f"{called} {thread.get('os_thread_id') or thread.get('thread_id')}"
        stack = ProcessStack(name + _thread_suffix(unique), _frames(thread), unique)
        if stack.own is not None and not stack.sleeps:
            yield stack


def _thread_suffix(thread: str) -> str:
    return f" thread {thread}"


def _frames(thread: Mapping[str, object]) -> tuple[StackFrame, ...]:
    """The frames of a thread itself, without native ones that only carry Python's, or that have no name."""
    told = thread["frames"]
    known = told[:MAX_FRAMES] if isinstance(told, list) else []
    frames = [_frame(one) for one in known if isinstance(one, Mapping)]
    first = next((n for n, frame in enumerate(frames) if not frame.native), len(frames))
    innermost = [frame for frame in frames[:first] if _ADDRESS.fullmatch(frame.function) is None]
    python = [frame for frame in frames[first:] if not frame.native]
    began = (n for n, frame in enumerate(python) if frame.function in _BEGIN and frame.short == _BEGIN_FILE)
    return (*innermost, *python[: next(began, len(python))])


def _frame(told: Mapping[str, object]) -> StackFrame:
    line = told.get("line")
    short = told.get("short_filename")
    return StackFrame(
        str(told.get("name", "")),
        str(told.get("filename", "")),
        line if isinstance(line, int) else 0,
        short if isinstance(short, str) else "",
        bool(told.get("module")),
    )


def dump_of(stack: ProcessStack) -> str:
    """The stack as py-spy prints one, for the rules to read."""
    frames = "\n".join(frame.printed for frame in stack.frames)
    return f'Thread 0 (idle): "{stack.thread}"\n{frames}\n'
