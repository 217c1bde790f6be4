"""Sleeps until a folder changes, or for a while where nobody can tell: on NFS, or without the library's support."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from threading import Event, Thread

# Network file systems tell of no change that another machine made, so there is a look at all files this often.
POLL_S = 0.5
_STEP_MS = 20
_GATHER_MS = 20


class Wake:
    """Wakes whoever waits when something changes in the watched folders."""

    def __init__(self) -> None:
        self._changed: set[str] = set()
        self._woken = Event()
        self._stop = Event()
        self._watched: Mapping[Path, bool] = {}

    def watch(self, folders: Mapping[Path, bool]) -> None:
        """Watch these folders from now on; True stands for those below as well."""
        if folders == self._watched:
            return
        self._stop.set()
        self._stop, self._watched = Event(), dict(folders)
        shallow = [path for path, with_those_below in folders.items() if not with_those_below]
        deep = [path for path, with_those_below in folders.items() if with_those_below]
        for paths, recursive in ((shallow, False), (deep, True)):
            if paths:
                work = partial(self._listen, paths, self._stop, recursive=recursive)
                Thread(target=work, name="watching folders", daemon=True).start()

    def wait(self) -> set[str]:
        """The paths that changed, as soon as one has; none where `POLL_S` passed without."""
        self._woken.wait(POLL_S)
        self._woken.clear()
        changed, self._changed = self._changed, set()
        return changed

    def stop(self) -> None:
        """Watch nothing any more, and wake whoever waits."""
        self._stop.set()
        self._woken.set()

    def _listen(self, paths: list[Path], stop: Event, *, recursive: bool) -> None:
        try:
            from watchfiles import watch

            for changes in watch(
                *paths, watch_filter=None, debounce=_GATHER_MS, step=_STEP_MS, stop_event=stop, recursive=recursive,
                raise_interrupt=False, ignore_permission_denied=True,
            ):  # fmt: skip
                # A new set, not a larger one: the waiting thread takes the old one away without a lock.
                self._changed = self._changed | {path for _, path in changes}
                self._woken.set()
        except Exception:  # noqa: BLE001 (no inotify, no more watches, a folder that went: the polls remain)
            return
