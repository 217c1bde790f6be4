"""`python -m logrules`, and the command `logrules`."""

import os
import sys
import threading

from logrules.cli.main import main


def command() -> int:
    """Run the command in a process that is its own, and end that with its exit status."""
    status = main()
    # All that is left dies with the process: to take it apart takes a sixth of a short diagnosis. Where threads or
    # processes of ours were started, Python looks whether one has to be waited for.
    if threading.active_count() == 1 and "multiprocessing" not in sys.modules:
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(command())
