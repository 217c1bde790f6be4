"""Threads that scan windows ahead of who reads them, started where there is more than one window.

A log of one window is scanned in less time than it takes to start a thread, or to import what starts them.
"""

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Generic, ParamSpec, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_Made_co = TypeVar("_Made_co", covariant=True)


class Pending(Protocol[_Made_co]):
    """Work that was handed on."""

    def result(self) -> _Made_co:
        """What it came to, once it is done; raises what the work raised."""
        ...


class _Done(Generic[_Result]):
    def __init__(self, made: _Result) -> None:
        self._made = made

    def result(self) -> _Result:
        return self._made


class ScanPool:
    """Does the first work at once in the caller's thread and what follows on ``threads``; with none, all of it."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._begun = False
        self._executor: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        return self._executor.submit(work, *args, **kwargs)

    def done(
        self, work: Callable[_Parameters, _Result], *args: _Parameters.args, **kwargs: _Parameters.kwargs
    ) -> Pending[_Result]:
        """The work, done in the caller's thread."""
        return _Done(work(*args, **kwargs))
