"""Threads that scan windows ahead of the reader, started if there are more windows than those of a head.

Scanning few windows takes less time than starting a thread, or importing what starts them.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, Self, TypeAlias, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
# Returns the result of submitted work once it is done; raises what the work raised.
Pending: TypeAlias = Callable[[], _Result]


class ScanPool:
    """Does work on ``threads``, if any, or in the caller's."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._executor: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_fault: object) -> None:
        if self._executor is not None:
            self._executor.shutdown()

    def submit(
        self, work: Callable[_Parameters, _Result], *args: _Parameters.args, **kwargs: _Parameters.kwargs
    ) -> Pending[_Result]:
        """Start the work, or do it now; what it raises in this thread is raised here."""
        if not self.threads:
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
