"""A failure that the table of exceptions knows is known as a whole, whichever exception of its chain names it."""

from collections.abc import Sequence

import pytest

from logrules import load_rules
from logrules.engine.run import prepared
from logrules.ruletest.harness import run_log

_ENGINE = "/opt/venv/lib/python3.12/site-packages/vllm/v1/engine/core.py"
_STEP = [
    "EngineCore encountered a fatal error.",
    "Traceback (most recent call last):",
    f'  File "{_ENGINE}", line 500, in run_engine_core',
    "    engine_core.run_busy_loop()",
]


def _log(lines: Sequence[str]) -> str:
    return "".join(f"ERROR 03-01 10:00:05 [core.py:502] {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("lines", "cause", "evidence"),
    [
        pytest.param(
            [
                *_STEP,
                "TimeoutError",
                "",
                "The above exception was the direct cause of the following exception:",
                "",
                "Traceback (most recent call last):",
                f'  File "{_ENGINE}", line 500, in run_engine_core',
                "    raise TimeoutError(f'RPC call to {method} timed out.') from e",
                "TimeoutError: RPC call to execute_model timed out.",
            ],
            "engine-dead",
            "RPC call to execute_model timed out",
            id="known-by-its-outer-exception",
        ),
        pytest.param(
            [*_STEP, "KeyError: 'request-7'", "AsyncLLM output_handler failed."],
            "python-exception",
            "KeyError: 'request-7'",
            id="headline-before-the-exception-that-nothing-knows",
        ),
    ],
)
def test_what_a_failed_engine_is_told_by(lines: Sequence[str], cause: str, evidence: str) -> None:
    """The exception is the diagnosis; the headline that announces it is a consequence."""
    first = run_log(prepared(load_rules(), cache=True), _log(lines)).diagnoses[0]

    assert first.cause == cause
    assert any(evidence in line.text for line in first.evidence)
