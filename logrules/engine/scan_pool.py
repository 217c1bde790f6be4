"""Threads that scan windows ahead of who reads them, started where there is more than one window.

A log of one window is scanned in less time than it takes to start a thread, or to import what starts them.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, Self, TypeAlias, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
# Gives what work came to that was handed on, once it is done; raises what the work raised.
Pending: TypeAlias = Callable[[], _Result]


class ScanPool:
    """Does the first work at once in the caller's thread and what follows on ``threads``; with none, all of it."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._begun = False
        self._executor: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_fault: object) -> None:
        if self._executor is not None:
            self._executor.shutdown()

    def submit(
        self, work: Callable[_Parameters, _Result], *args: _Parameters.args, **kwargs: _Parameters.kwargs
    ) -> Pending[_Result]:
        """The work, to be done or done already; what it raises in this thread is raised here."""
        if not self.threads or not self._begun:
            self._begun = True
            return self.done(work, *args, **kwargs)
        if self._executor is None:
            from concurrent.futures import ThreadPoolExecutor

            self._executor = ThreadPoolExecutor(self.threads)
        return self._executor.submit(work, *args, **kwargs).result

    def done(
        self, work: Callable[_Parameters, _Result], *args: _Parameters.args, **kwargs: _Parameters.kwargs
    ) -> Pending[_Result]:
        """The work, done in the caller's thread."""
        made = work(*args, **kwargs)
        return lambda: made
