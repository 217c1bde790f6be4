"""What is said of a command that has ended well."""

from collections.abc import Sequence

from logrules.model.report import Text
from logrules.model.worker_status import WorkerNow
from logrules.notify.progress_counter import step_of

_FINISHED = Text("Finished: exit status 0{after}", "已结束：退出码 0{after}")
_AFTER = Text(" after {steps} steps", "，共 {steps} 步")


def finished(workers: Sequence[WorkerNow], language: str) -> str:
    """How a command ended whose exit status is 0, with the number of its last step where lines count them."""
    steps = max((step for one in workers if (step := step_of(one.step)) is not None), default=None)
    after = "" if steps is None else _AFTER.of(language).format(steps=steps)
    return _FINISHED.of(language).format(after=after)
