"""A bar on stderr while much is read, and silence where nobody watches."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Below this a report comes before a bar could be read.
_WORTH_A_BAR_BYTES = 200_000_000


@contextmanager
def reading_progress(total_bytes: int | None) -> Iterator[Callable[[int], None] | None]:
    """What ``replay`` calls with the bytes read so far; None where no bar is shown."""
    if total_bytes is None or total_bytes < _WORTH_A_BAR_BYTES or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=total_bytes)
        yield lambda done: bar.update(task, completed=done)
