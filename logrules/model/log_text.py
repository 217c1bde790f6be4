"""The lines of a job's logs, as a page shows them beside the report."""

from dataclasses import dataclass

from logrules.model.event import Level


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line as people see it. ``line`` counts from 1 in its source; ``time`` may be that of a line above it."""

    source: str
    line: int
    worker: str
    time: float | None
    level: Level | None
    text: str


@dataclass(frozen=True, slots=True)
class LogText:
    """The lines that were kept, source by source, of ``total`` that the logs have."""

    lines: tuple[LogLine, ...]
    total: int
