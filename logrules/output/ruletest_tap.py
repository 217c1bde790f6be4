"""Test results in the Test Anything Protocol, version 14."""

import json
from collections.abc import Iterator, Sequence
from typing import TextIO

from logrules.model.test_result import Outcome, Result
from logrules.output.escape import safe
from logrules.output.ruletest_text import explanation


def render_results(results: Sequence[Result], out: TextIO) -> None:
    """The plan, then a point a test; a miss that is expected is a TODO."""
    out.write(f"TAP version 14\n1..{len(results)}\n")
    for number, result in enumerate(results, start=1):
        good = "not ok" if result.faults else "ok"
        todo = f" # TODO {_plain(result.reason or '')}" if result.outcome is Outcome.EXPECTED_MISS else ""
        out.write(f"{good} {number} - {_plain(result.name)}{todo}\n")
        if result.outcome is Outcome.FAILED:
            out.writelines(f"  {line}\n" for line in _block(result))


def _plain(text: str) -> str:
    """Text in which nothing begins a directive."""
    return safe(text).replace("\\", "\\\\").replace("#", "\\#")


def _block(result: Result) -> Iterator[str]:
    """The YAML block of a failed point; JSON strings are YAML too."""
    yield "---"
    yield f"at: {json.dumps(safe(str(result.place)))}"
    yield "faults:"
    for fault in result.faults:
        yield f"  - message: {json.dumps(safe(fault.message))}"
        if fault.line is not None:
            yield f"    line: {json.dumps(safe(fault.line))}"
        if fault.clauses:
            yield "    condition:"
            yield from (f"      - {json.dumps(line)}" for line in explanation(fault.clauses))
        if fault.nearest is not None:
            yield f"    nearest: {json.dumps(fault.nearest)}"
    yield "..."
