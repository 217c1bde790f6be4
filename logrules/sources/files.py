"""Files, patterns and folders followed as one job, in a thread."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from logrules.sources.buffer import Buffer
from logrules.sources.now import now
from logrules.sources.roots import Roots
from logrules.sources.tail import Anew, Tail
from logrules.sources.wake import POLL_S, Wake

_ABSENT = ("no such file or directory", "not a directory", "the system cannot find the file specified")


@dataclass(slots=True)
class _Followed:
    tail: Tail
    name: str
    told: str | None = None


class Files(Thread):
    """Follows what is behind ``paths`` into the buffer until `stop`; what does not exist yet may come.

    ``pass_on`` is given every piece before anybody looks at it.
    """

    def __init__(
        self, paths: Sequence[str], buffer: Buffer, pass_on: Callable[[bytes], None] = lambda _data: None
    ) -> None:
        super().__init__(name="following files", daemon=True)
        self._roots = Roots(paths)
        self._buffer = buffer
        self._pass_on = pass_on
        self._followed: dict[str, _Followed] = {}
        self._wake = Wake()
        self._stopped = Event()

    def run(self) -> None:
        """Look, sleep until something changes, look again; at all files a few times a second."""
        looked = 0.0
        changed: set[str] = set()
        while not self._stopped.is_set():
            if now() - looked >= POLL_S:
                looked = now()
                self._find()
                changed = set(self._followed)
            for path, one in self._followed.items():
                if path in changed:
                    self._look(one)
            changed = self._wake.wait()
        for one in self._followed.values():
            one.tail.close()

    def stop(self) -> None:
        """Read no further."""
        self._stopped.set()
        self._wake.stop()

    def _find(self) -> None:
        self._wake.watch(self._roots.folders())
        for path, name in self._roots.logs():
            self._followed.setdefault(str(_real(path)), _Followed(Tail(path), name))

    def _look(self, one: _Followed) -> None:
        for item in one.tail.look():
            if isinstance(item, Anew):
                self._buffer.begin_anew(one.name, item.reason)
                continue
            self._pass_on(item.data)
            # What was there before us came when its last byte was written, at the latest.
            self._buffer.put_patiently(one.name, item.data, min(item.written, now()))
            if self._stopped.is_set():
                return
        fault = one.tail.fault
        if fault is not None and fault not in _ABSENT and fault != one.told:
            self._buffer.note(one.name, fault)
        one.told = fault


def _real(path: Path) -> Path:
    """Where the name is, links in its folder followed: as changes are told."""
    return path.parent.resolve() / path.name
