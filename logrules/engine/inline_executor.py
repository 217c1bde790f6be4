"""Work done where it is asked for, for logs so small that starting a thread takes as long as reading them."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class InlineExecutor(Executor):
    """Runs each call at once, in the caller's thread; what it raises is raised by the future's ``result``."""

    def submit(
        self, fn: Callable[_Parameters, _Result], /, *args: _Parameters.args, **kwargs: _Parameters.kwargs
    ) -> Future[_Result]:
        """The call's future, done already."""
        future: Future[_Result] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as fault:  # noqa: BLE001 (it is the caller's to handle)
            future.set_exception(fault)
        return future
