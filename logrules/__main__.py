"""`python -m logrules`, and the command `logrules`."""

import gc
import sys

from logrules.cli.main import main


def command() -> int:
    """Run the command in a process that is its own; the exit status."""
    status = main()
    # All that is left dies with the process: to look through it for cycles takes a tenth of a short diagnosis.
    gc.freeze()
    return status


if __name__ == "__main__":
    sys.exit(command())
