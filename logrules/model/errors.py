"""What can be wrong with the user's input or installation: one sentence, with a place where there is one."""

from collections.abc import Sequence

from logrules.model.position import Problem


class LogrulesError(Exception):
    """The command cannot do what was asked; the text is one sentence for the user."""


class SourceError(LogrulesError):
    """A log cannot be read: missing, unreadable, a folder without logs."""


class PackError(LogrulesError):
    """Rule files are unusable; carries every problem found, not only the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def reason_of(fault: OSError) -> str:
    """The system's reason for a fault, phrased to continue a sentence."""
    return (fault.strerror or str(fault)).lower()
