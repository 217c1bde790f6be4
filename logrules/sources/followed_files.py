"""Files, patterns and folders followed as one job."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from logrules.model.stream import Block, End, Skipped, Tick
from logrules.sources.backlog import Backlog
from logrules.sources.queue import EventQueue
from logrules.sources.tail import Anew, Tail
from logrules.sources.wall_clock import now
from logrules.sources.watch_paths import Roots

# All files are looked at this often: quickly enough for a person, and the same on network file systems.
POLL_S = 0.5
_ABSENT = ("no such file or directory", "not a directory", "the system cannot find the file specified")


@dataclass(slots=True)
class _Followed:
    tail: Tail
    name: str
    told: str | None = None


class Files:
    """A live source over what is behind ``paths``, until `stop`; what does not exist yet may come.

    ``backlog`` is what is there already, to be read before this. ``pass_on`` is given every piece before anybody
    looks at it.
    """

    def __init__(self, paths: Sequence[str], pass_on: Callable[[bytes], None] = lambda _data: None) -> None:
        self.name = ", ".join(paths)
        # Nobody waits for us to read files, so nothing need be left out, and no time be kept free.
        self._buffer = EventQueue(self.name, busy_share=1.0)
        self._roots = Roots(paths)
        self._pass_on = pass_on
        self._followed: dict[str, _Followed] = {}
        self._stopped = Event()
        self._begun = False
        self._find()
        self.backlog = [Backlog(one.name, one.tail, pass_on, self._stopped) for one in self._followed.values()]

    def read(self, until: float | None) -> Block | Skipped | Tick | End:
        """What has come since the backlog was read, in the order in which it came."""
        if not self._begun and not self._stopped.is_set():
            self._begun = True
            for early in self.backlog:
                self._buffer.resume(early.name, early.offset)
            Thread(target=self._run, name="following files", daemon=True).start()
        return self._buffer.read(until)

    def missing(self) -> list[str]:
        """Those of the paths behind which there is nothing yet."""
        return self._roots.missing()

    def stop(self) -> None:
        """Read no further."""
        self._stopped.set()
        self._buffer.end(End())

    def give_up(self) -> None:
        """Nobody takes anything any more."""
        self.stop()
        self._buffer.give_up()

    def _run(self) -> None:
        """Look, sleep, look again."""
        while not self._stopped.is_set():
            self._find()
            for one in self._followed.values():
                self._look(one)
            self._stopped.wait(POLL_S)
        for one in self._followed.values():
            one.tail.close()

    def _find(self) -> None:
        for path, name in self._roots.logs():
            self._followed.setdefault(str(_real(path)), _Followed(Tail(path), name))

    def _look(self, one: _Followed) -> None:
        for item in one.tail.look():
            if self._stopped.is_set():
                return
            if isinstance(item, Anew):
                self._buffer.begin_anew(one.name, item.reason)
                continue
            self._pass_on(item.data)
            self._buffer.put_patiently(one.name, item.data, now())
        fault = one.tail.fault
        if fault is not None and fault not in _ABSENT and fault != one.told:
            self._buffer.note(one.name, fault)
        one.told = fault


def _real(path: Path) -> Path:
    """Where the name is, links in its folder followed, so that two ways to one folder are one."""
    return path.parent.resolve() / path.name
