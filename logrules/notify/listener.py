"""What is asked of anything that is told of a live job."""

from collections.abc import Callable

from logrules.model.change import Update
from logrules.model.report import Report


class Listener:
    """Takes every update in order. It may take its time only in a thread of its own.

    ``called`` is what complaints call it: the option that asks for it, or what of it a user sees.
    """

    called: str = "a listener"

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Take an update; ``report`` gives all that is known, and is worth calling only where something changed."""

    def close(self, limit_s: float) -> None:
        """The job is over, or nobody listens any more: let go, within ``limit_s``, for its exit status waits."""
