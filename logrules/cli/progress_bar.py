"""Bars on standard error while much is read, where somebody watches."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logrules.sources.discover import Discovered

# Below this a report comes before a bar could be read.
_WORTH_A_BAR_BYTES, _WORTH_A_BAR_LOGS = 200_000_000, 500


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


@contextmanager
def reading_progress(found: "Discovered") -> Iterator[Callable[[int], None] | None]:
    """What ``replay`` calls with the bytes read so far; None where no bar is shown."""
    total_bytes, logs = found.total_bytes, len(found.sources)
    is_long = (total_bytes or 0) >= _WORTH_A_BAR_BYTES or logs >= _WORTH_A_BAR_LOGS
    if total_bytes is None or not is_long or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=total_bytes)
        yield lambda done: bar.update(task, completed=done)
