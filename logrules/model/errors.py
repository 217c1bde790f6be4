"""What can be wrong with the user's input or installation: one sentence, with a place where there is one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from logrules.model.position import Problem
from logrules.model.record import record


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


@record
class Extra:
    """An extra by its name in pyproject.toml, and what it brings in plain words."""

    name: str
    brings: str


HTML = Extra("html", "jinja2")
INSPECT = Extra("inspect", "psutil and py-spy")
MCP = Extra("mcp", "the MCP SDK")
METRICS = Extra("metrics", "prometheus-client")
RAY = Extra("ray", "Ray")


@contextmanager
def needed(extra: Extra, asked: str) -> Iterator[None]:
    """Guards imports from an extra that the option or verb ``asked`` needs. Raises LogrulesError if it is missing."""
    try:
        yield
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] == "logrules":
            raise
        raise LogrulesError(f"{asked} needs {extra.brings}: pip install 'logrules[{extra.name}]'") from None
