"""`python -m logrules`, and the command `logrules`."""

import atexit
import os
import signal
import sys
import threading

from logrules.cli.main import EXIT_INTERRUPTED, main

# What schedulers, containers and lost terminals send. Windows has the first alone.
_ENDING = ("SIGTERM", "SIGHUP")
_ENDED_BY = 128  # as a shell tells it


def command() -> int:
    """Run the command in a process that is its own, and end that with its exit status."""
    _unwind_where_ended()
    try:
        status = main()
    except KeyboardInterrupt:  # in its last moments, when the streams are put back
        status = EXIT_INTERRUPTED
    # All that is left dies with the process: to take it apart takes a sixth of a short diagnosis. Where threads or
    # processes of ours were started, Python looks whether one has to be waited for.
    if threading.active_count() == 1 and "multiprocessing" not in sys.modules:
        os._exit(status)
    return status


def _unwind_where_ended() -> None:
    us = os.getpid()

    def unwind(number: int, _frame: object) -> None:
        """End by the signal, but first let what was put aside on disk be taken away; a second one ends us at once."""
        signal.signal(number, signal.SIG_DFL)
        if os.getpid() != us:  # forked: it has nothing to take away
            signal.raise_signal(number)
        atexit.register(signal.raise_signal, number)
        sys.exit(_ENDED_BY + number)

    for number in (getattr(signal, name) for name in _ENDING if hasattr(signal, name)):
        if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` has one ignored
            signal.signal(number, unwind)


if __name__ == "__main__":
    sys.exit(command())
