"""Completes the evidence of a live log: a line is diagnosed before those after it are written."""

from collections.abc import Callable, Mapping

from logrules.model.record import replace
from logrules.model.report import Consequence, Diagnosis, Evidence, Report, StackView, Status

# Beyond so many remembered lines, those that no report shows are dropped.
_MAX_BELOW = 4_096


class LinesBelow:
    """The lines that came after lines read before, by source and line."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, int], tuple[str, ...]] = {}

    def keep(self, source: str, came: dict[int, tuple[str, ...]], report: Callable[[], Report]) -> None:
        """Take new lines of a log; if there are many, only those that the report shows."""
        self.known.update(((source, number), lines) for number, lines in came.items())
        came.clear()
        if len(self.known) > _MAX_BELOW:
            shown = {(line.source, line.line) for line in report().shown}
            self.known = {key: lines for key, lines in self.known.items() if key in shown}


def with_lines_below(report: Report, below: Mapping[tuple[str, int], tuple[str, ...]]) -> Report:
    """The report with the lines that have since come after its evidence; ``below`` is by source and line."""

    def line(one: Evidence) -> Evidence:
        lines = below.get((one.source, one.line), ())
        return replace(one, after=lines) if len(lines) > len(one.after) else one

    def lines(found: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
        return tuple(line(one) for one in found)

    def consequence(one: Consequence) -> Consequence:
        return replace(one, evidence=lines(one.evidence))

    def diagnosis(one: Diagnosis) -> Diagnosis:
        return replace(one, evidence=lines(one.evidence), consequences=tuple(map(consequence, one.consequences)))

    if not below:
        return report
    return replace(report, diagnoses=tuple(map(diagnosis, report.diagnoses)), unusual=lines(report.unusual))


def with_stacks(report: Report, stacks: StackView | None) -> Report:
    """The report with where the processes are: in a stalled job, the odd one is the suspect."""
    first = report.diagnoses[0] if report.diagnoses else None
    if stacks is None or first is None or not stacks.apart or first.ranks or report.status is not Status.STALLED:
        return replace(report, stacks=stacks)
    return replace(report, stacks=stacks, diagnoses=(replace(first, ranks=stacks.apart), *report.diagnoses[1:]))
