"""Files, patterns and folders followed as one job, and the dumps of flight recorders that come to lie there."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event, Thread
from time import thread_time

from logrules.model.record import mutable_record
from logrules.model.report import SourceNote
from logrules.model.stream import Block, End, Skipped, Tick
from logrules.sources.descriptors import room_for
from logrules.sources.flight_names import MAX_DUMPS
from logrules.sources.queue import EventQueue, PendingLines
from logrules.sources.source import BLOCK_BYTES, RecordSource, SavedSource
from logrules.sources.tail import ROTATED, Anew, Grown, Tail, first_names
from logrules.sources.wall_clock import now
from logrules.sources.watch_paths import WatchedPaths

# New files are looked for this often, and known ones at the least: the same on every file system.
POLL_S = 0.5
# What grew a moment ago will grow on, so it is looked at again soon; a log in which nothing happens is to cost nothing
# that anybody sees. For how long nothing has grown, the shortest pause, and the part of a core that looking may take.
_PACES = ((10.0, 0.1, 0.005), (0.25, 0.03, 0.005), (0.0, 0.01, 0.05))
# A file without a name is written to by nobody but those who have it open; of one that is still silent after so long
# nothing is expected.
DELETED_S = 60.0
_NO_ROOM = "is not followed: this process may hold no further files open; raise `ulimit -n`"
_ABSENT = ("no such file or directory", "not a directory", "the system cannot find the file specified")


class Backlog(SavedSource):
    """What a file already holds when following begins, read as a saved log: whole lines, to where it now ends.

    What was there before us came when the file was last written, at the latest. ``rest`` is what came of the log and
    was not read here. ``stopped`` ends it early.
    """

    def __init__(self, name: str, tail: Tail, pass_on: Callable[[bytes], None], stopped: Event) -> None:
        self.rest = PendingLines(name)
        super().__init__(name, self._blocks(tail, pass_on, stopped))

    def _blocks(self, tail: Tail, pass_on: Callable[[bytes], None], stopped: Event) -> Iterator[Block]:
        for item in tail.look():
            if stopped.is_set():
                return
            if isinstance(item, Grown):
                pass_on(item.data)
                self.rest.add(item.data, min(item.written, now()), 0.0)
            while self.rest.has_line_end or self.rest.length >= BLOCK_BYTES:
                yield self.rest.take()


@mutable_record
class _Followed:
    tail: Tail
    name: str
    grew: float
    told: str | None = None


class FollowedFiles:
    """A live source over what is behind ``paths``, until `stop`; what does not exist yet may come.

    ``backlog`` is what is there already, to be read before this. ``pass_on`` is given every piece before anybody
    looks at it, ``take_dump`` what the dump of a flight recorder holds and when it was read, if anybody wants that.
    What was deleted is followed while it grows; no more files are held open than there are.
    """

    def __init__(self, paths: Sequence[str], pass_on: Callable[[bytes], None] = lambda _data: None) -> None:
        self.name = ", ".join(paths)
        # What comes between two looks is gathered already.
        self._buffer = EventQueue(self.name, gather_s=0.0)
        self._roots = WatchedPaths(paths)
        self._pass_on = pass_on
        self.take_dump: Callable[[RecordSource, float], None] | None = None
        self._dumps = ComingDumps()
        self._followed: dict[str, _Followed] = {}
        self._deleted: dict[str, _Followed] = {}
        self._refused: set[str] = set()
        self._stopped = Event()
        self._begun = False
        self._find()
        self.backlog = [Backlog(one.name, one.tail, pass_on, self._stopped) for one in self._followed.values()]

    def read(self, until: float | None) -> Block | Skipped | Tick | End:
        """What has come since the backlog was read, in the order in which it came."""
        if not self._begun:
            self._begun = True
            for early in self.backlog:
                self._buffer.resume(early.rest)
            Thread(target=self._run, name="following files", daemon=True).start()
        return self._buffer.read(until)

    def missing(self) -> list[str]:
        """Those of the paths behind which there is nothing yet."""
        return self._roots.missing()

    def path_of(self, name: str) -> Path | None:
        """Where the log of this name lies."""
        known = (*tuple(self._followed.values()), *tuple(self._deleted.values()))
        return next((one.tail.path for one in known if one.name == name), None)

    def stop(self) -> None:
        """Read no further."""
        self._stopped.set()
        self._buffer.stop()

    def give_up(self) -> None:
        """Nobody takes anything any more."""
        self.stop()
        self._buffer.give_up()

    def _run(self) -> None:
        found = grew = now()
        cost_s = float("inf")
        while not self._stopped.is_set():
            begun, before_s = thread_time(), cost_s
            if now() >= found + POLL_S:
                self._find()
                found = now()
            grew = now() if self._look_at_all() else grew
            cost_s = thread_time() - begun
            self._stopped.wait(next_pause(cost_s, before_s, now() - grew))
        for one in self._followed.values():
            one.tail.close()

    def _look_at_all(self) -> bool:
        """Take what came, and let go of what was deleted; whether anything came."""
        came = [self._look(one) for one in self._followed.values()]
        before = now() - DELETED_S
        for key, one in tuple(self._followed.items()):
            if one.tail.is_deleted and one.grew <= before:
                one.tail.close()
                self._deleted[key] = self._followed.pop(key)
                self._refused.clear()
        return any(came)

    def _find(self) -> None:
        logs, dumps = self._roots.files()
        folders: dict[Path, str] = {}
        for path, name in logs:
            key = _key(path, folders)
            if key not in self._followed and key not in self._refused and not self._was_read(path, folders):
                self._follow(key, path, name)
        records, notes = self._dumps.look(dumps)
        for record in records:
            if self.take_dump is not None:
                self.take_dump(record, now())
        for note in notes:
            self._buffer.note(note.source, note.note)

    def _follow(self, key: str, path: Path, name: str) -> None:
        """Follow one more log, if so many files may be held open."""
        count = len(self._followed) + 1
        if room_for(count) < count:
            self._refused.add(key)
            self._buffer.note(name, _NO_ROOM)
            return
        known = self._deleted.pop(key, None)
        if known is not None:
            self._buffer.begin_anew(name, ROTATED)
        self._followed[key] = known or _Followed(Tail(path), name, now())

    def _was_read(self, path: Path, folders: dict[Path, str]) -> bool:
        """Whether it is a log that was read under its first name before rotation: `train.log` as `train.log.1`."""
        keys = [_key(path.with_name(name), folders) for name in first_names(path.name)]
        firsts = (known[key] for known in (self._followed, self._deleted) for key in keys if key in known)
        return any(first.tail.has_read(path) for first in firsts)

    def _look(self, one: _Followed) -> bool:
        """Take what came; whether anything did."""
        came = False
        for item in one.tail.look():
            if self._stopped.is_set():
                return came
            came, one.grew = True, now()
            if isinstance(item, Anew):
                self._buffer.begin_anew(one.name, item.reason)
                continue
            # What is shown is read as well, also where we are told to stop in between.
            self._buffer.put(one.name, item.data, now())
            self._pass_on(item.data)
        fault = one.tail.fault
        if fault is not None and fault not in _ABSENT and fault != one.told:
            self._buffer.note(one.name, fault)
        one.told = fault
        return came


def next_pause(cost_s: float, before_s: float, still_s: float) -> float:
    """Until all files are looked at again, after looks that took ``cost_s`` and before it ``before_s`` of a core.

    For ``still_s`` none of the files has grown. All are seconds.
    """
    # To look costs what the cheaper of two looks did: the other one read what had come, or searched for new files.
    cost_s = min(cost_s, before_s)
    shortest_s, share = next((pause_s, share) for since_s, pause_s, share in _PACES if still_s >= since_s)
    return min(max(shortest_s, cost_s / share), POLL_S)


def _key(path: Path, folders: dict[Path, str]) -> str:
    """Where the name is, links in its folder followed, so that two ways to one folder are one."""
    # Not Path.resolve: before Python 3.13 it raises RuntimeError for links in a loop.
    folder = folders.get(path.parent) or folders.setdefault(path.parent, os.path.realpath(path.parent))
    return os.path.join(folder, path.name)  # noqa: PTH118 (a Path of each costs more than the look)


# When a file was last written, and its size.
_State = tuple[float, int]


class ComingDumps:
    """Reads each dump once it is whole: when it has not grown since the last look; anew, when it was written anew."""

    def __init__(self) -> None:
        self._seen: dict[Path, _State] = {}
        self._read: dict[Path, _State] = {}
        self._told = False

    def look(self, dumps: Sequence[tuple[Path, str]]) -> tuple[list[RecordSource], list[SourceNote]]:
        """What those of the dumps (path, name in the report) hold that are whole now; what is to be said of them."""
        whole: list[tuple[Path, str]] = []
        for path, name in dumps[:MAX_DUMPS]:
            state = _state_of(path)
            if state is None or state == self._read.get(path):
                continue
            if state == self._seen.get(path):
                self._read[path] = state
                whole.append((path, name))
            self._seen[path] = state
        if not whole:
            return [], []
        # Loaded where there are dumps: most folders have none.
        from logrules.sources.flight_dump import passed_over, read_dumps

        read, notes = read_dumps(whole, among=len(dumps))
        if len(dumps) > MAX_DUMPS and not self._told:
            self._told = True
            notes.append(passed_over(dumps[MAX_DUMPS][1]))
        return read, notes


def _state_of(path: Path) -> _State | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime, status.st_size
