"""Memory that is given back to the system: a server runs for days, and each log leaves tens of megabytes unused.

The C library keeps what was freed, in a heap per thread. Only GNU's can be asked for less; others are left alone.
"""

import ctypes
import gc
from functools import cache

# As <malloc.h> has them: blocks of so many bytes are the system's once they are freed, and threads share one heap.
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
_BLOCK_BYTES = 128 << 10


def spare() -> None:
    """Ask the C library to keep little of what is freed. Called once, before there are threads."""
    library = _library()
    if library is not None:
        library.mallopt(_MMAP_THRESHOLD, _BLOCK_BYTES)
        library.mallopt(_ARENA_MAX, 1)


def give_back() -> None:
    """Free what stands in cycles, and hand what is unused to the system."""
    gc.collect()
    library = _library()
    if library is not None:
        library.malloc_trim(0)


@cache
def _library() -> ctypes.CDLL | None:
    """The C library of this process, if it has these functions."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):
        return None
    return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None
