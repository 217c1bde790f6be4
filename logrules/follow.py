"""A live job, step by step: the same extract and the same session as for saved logs, fed as the bytes come.

Signatures first; see `Following`.
"""

from collections.abc import Iterator
from typing import Protocol

from logrules.model.report import Report
from logrules.model.update import Update
from logrules.pack.pack import Pack
from logrules.sources.source import Source


class Following:
    """Follows one job. Iterating gives an `Update` after each block, each tick and the end.

    ``source`` is live: it may carry many logs, each block names its own. ``beat_s`` is how long, by the source's
    clock, it may stay without an update. Iterate, ``report`` and ``hear`` may be used from different threads.
    """

    def __init__(self, source: Source, pack: Pack, beat_s: float = 1.0) -> None: ...

    def __iter__(self) -> Iterator[Update]: ...

    def report(self) -> Report:
        """Everything that is known now. Changes nothing."""
        ...

    def hear(self, source: str, text: str, at: float) -> None:
        """Take further lines as a log of their own, such as what an inspection command said at ``at``.

        They are read with the next update.
        """
        ...
