"""Holes of sparse files: a log that was emptied under its writer begins with one as long as all that it had written.

They read as NULs, a second for each few hundred megabytes, and say nothing.
"""

import os

from logrules.model.stream import MAX_LINE_BYTES

_SEEK_DATA = getattr(os, "SEEK_DATA", None)


def may_be_in_hole(data: bytes) -> bool:
    """Whether what was read last is nothing but NULs."""
    return data.endswith(b"\0") and not data.strip(b"\0")


def behind_hole(descriptor: int, at: int) -> int:
    """Where to read on behind NULs that end ``at`` this place: there, or further on where a hole goes on.

    What is passed over is a whole number of the lengths at which long lines are cut, so that the cuts stay where they
    would be. Where the system does not tell of holes it is nothing.
    """
    if _SEEK_DATA is None:
        return at
    try:
        size = os.fstat(descriptor).st_size
        try:
            found = os.lseek(descriptor, at, _SEEK_DATA)
        except OSError:  # no data behind it
            found = size
        finally:
            os.lseek(descriptor, at, os.SEEK_SET)
    except OSError:
        return at
    return at + max(found - at, 0) // MAX_LINE_BYTES * MAX_LINE_BYTES
