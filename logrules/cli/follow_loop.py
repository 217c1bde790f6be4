"""Following a job and telling listeners, neither of which may ever harm the job."""

from collections.abc import Callable, Sequence

from logrules.cli.analysis_priority import by_priority
from logrules.engine.follow import Following
from logrules.model.change import Update
from logrules.model.report import Report
from logrules.notify.listener import Listener
from logrules.notify.stall_memory import StallMemory
from logrules.sources.wall_clock import now

Complain = Callable[[str], None]
# For all listeners together: whoever waits for the job waits for its exit status, which is held back so long.
_CLOSING_S = 0.3


def follow(
    following: Following, listeners: Sequence[Listener], stalls: StallMemory, complain: Complain
) -> Report | None:
    """Follow to the end; the last report, or None where the analysis broke down, which is said in one sentence."""
    told = list(listeners)

    update = Update(0.0, (), 0, 0, 0, ended=False)
    known: Report | None = None  # what this update has come to, for all who ask

    def report() -> Report:
        nonlocal known
        if known is None:
            found = following.report()
            known = stalls.told(found) if update.ended else found
        return known

    try:
        for update in by_priority(following):
            known = None
            stalls.on_update(update, following.report)
            for listener in tuple(told):
                try:
                    listener.on_update(update, report)
                except Exception as fault:  # noqa: BLE001 (one that fails is dropped, whatever it was)
                    told.remove(listener)
                    complain(f"{listener.called}: failed, and nothing more goes there ({_reason(fault)})")
        known = None
        return report()
    except Exception as fault:  # noqa: BLE001 (the job runs on, whatever it was)
        complain(f"the analysis failed and is off ({_reason(fault)}); the log is passed on as before")
        return None
    finally:
        _close(listeners, complain)


def _close(listeners: Sequence[Listener], complain: Complain) -> None:
    until = now() + _CLOSING_S
    for listener in listeners:
        try:
            listener.close(max(until - now(), 0.0))
        except Exception as fault:  # noqa: BLE001 (the others are closed all the same)
            complain(f"{listener.called}: failed at the end ({_reason(fault)})")


def _reason(fault: BaseException) -> str:
    text = " ".join(str(fault).split())
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__
