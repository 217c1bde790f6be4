"""Descriptors: all of a piece written, pipes made wide, and how many may be open."""

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


# For modules that are loaded late, pipes of commands, databases, connections.
SPARE = 128


def room_for(count: int) -> int:
    """How many of so many files may be held open; the limit is raised as far as that takes, or the system lets us."""
    try:
        import resource
    except ImportError:  # Windows: what it limits are the files of the C library, which are not these
        return count
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + SPARE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
            soft = allowed
        except (OSError, ValueError):
            pass
    return count if soft == resource.RLIM_INFINITY or soft >= wanted else max(soft - SPARE, 1)
