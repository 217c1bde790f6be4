"""Test results for people: what failed and why, then a line that sums up."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from logrules.model.test_result import CaseFailure, Clause, Outcome, Result
from logrules.output.escape import safe

_MAX_LINE = 300


def render_results(results: Sequence[Result], out: TextIO) -> None:
    """A paragraph for each failed test, and the summary."""
    for result in results:
        if result.outcome is Outcome.FAILED:
            out.writelines(f"{line}\n" for line in paragraphs(result))
    out.write(f"{summary(results)}\n")


def paragraphs(result: Result) -> Iterator[str]:
    """Each fault of a test: what it is, the log line, the condition taken apart, the nearest rule that fired."""
    for fault in result.faults:
        yield from _paragraph(result, fault)


def summary(results: Iterable[Result]) -> str:
    """How many of each kind of test there were, and how many failed."""
    known = list(results)
    kinds = Counter(result.kind for result in known)
    outcomes = Counter(result.outcome for result in known)
    counted = ", ".join(f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in kinds.items()) or "no tests"
    missed = outcomes[Outcome.EXPECTED_MISS]
    expected = f", {missed} missed as expected" if missed else ""
    return f"{counted}: {outcomes[Outcome.FAILED]} failed{expected}"


def _paragraph(result: Result, fault: CaseFailure) -> Iterator[str]:
    yield f"{result.place}: {safe(result.name)} {safe(fault.message)}"
    if fault.line is not None:
        yield f"    line: {safe(fault.line)[:_MAX_LINE]}"
    yield from (f"    {line}" for line in explanation(fault.clauses))
    if fault.nearest is not None:
        yield f"    nearest rule that fired: {fault.nearest}"


def explanation(clauses: Iterable[Clause]) -> Iterator[str]:
    """The condition, a part a line: whether it held, and why."""
    for clause in clauses:
        mark = "holds" if clause.holds else "fails"
        yield f"{mark}  {'  ' * clause.depth}{safe(clause.text)}  ({safe(clause.reason)})"
