"""Descriptors that bytes are passed through: all of a piece written, pipes made wide."""

import os
import time
from contextlib import suppress

# As much as Linux lets anybody have; the default is a sixteenth of it.
_PIPE_BYTES = 1 << 20
# So much is read at once. A stream is read this often at most, unless it comes in large pieces: its pipe holds what
# comes meanwhile.
READ_BYTES, LARGE_BYTES = 1 << 20, 512 << 10
REST_S = 0.0005
# Where a descriptor does not block, it is written to again after so long.
_FULL_S = 0.0005


def write_all(descriptor: int, data: "bytes | memoryview") -> None:
    """Write all of it, however little is taken at once. Raises OSError where nobody takes any more."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:
            time.sleep(_FULL_S)


def widen(descriptor: int) -> None:
    """Let a pipe hold more, where the system knows how: its writer then waits less often."""
    try:
        from fcntl import F_SETPIPE_SZ, fcntl
    except ImportError:
        return
    with suppress(OSError):
        fcntl(descriptor, F_SETPIPE_SZ, _PIPE_BYTES)
