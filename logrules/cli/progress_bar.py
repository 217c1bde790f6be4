"""A bar on standard error while many logs are read, where somebody watches."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(what: str, count: int) -> Iterator[Callable[[], None]]:
    """What is called after each of ``count`` pieces of work; on a terminal a bar named ``what`` moves on."""
    if count < 2 or not sys.stderr.isatty():  # noqa: PLR2004 (one needs no bar)
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=count)
        yield lambda: bar.advance(task)
