"""Whether threads may be started, asked before anything depends on them.

A pool whose threads are refused half way waits for ever, and a command that runs cannot be taken back.
"""

from threading import Event, Thread


def need_threads(count: int) -> None:
    """Raise RuntimeError where so many further threads, or processes of one, are not allowed."""
    tried = Event()
    begun: list[Thread] = []
    try:
        for _ in range(count):
            thread = Thread(target=tried.wait, daemon=True)
            thread.start()
            begun.append(thread)
    finally:
        tried.set()
        # Where there is room for no more, those that are needed find it only once these have gone.
        for thread in begun:
            thread.join()
