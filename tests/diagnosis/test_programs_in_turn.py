"""A job of several programs: what one of them should have made, and another one misses."""

import pytest

from logrules import load_rules
from logrules.engine.run import prepared
from logrules.ruletest.harness import run_log


@pytest.fixture(scope="module")
def on():
    return prepared(load_rules())


def raised(script: str, error: str) -> str:
    return (
        f'Traceback (most recent call last):\n  File "{script}", line 12, in <module>\n    main()\n'
        f'  File "{script}", line 9, in main\n    work()\n{error}\n'
    )


_SAYS = "".join(f"shard {number} of 8 is read\n" for number in range(8))
_MISSED = "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.bin'"


@pytest.mark.parametrize(
    ("story", "log", "cause"),
    [
        (
            "the program that makes the data failed before",
            raised("/srv/prepare.py", "ZeroDivisionError: division by zero") + _SAYS + raised("/srv/train.py", _MISSED),
            "python-exception",
        ),
        (
            "it failed after",
            raised("/srv/train.py", _MISSED) + _SAYS + raised("/srv/report.py", "ZeroDivisionError: division by zero"),
            "dataset-missing",
        ),
        (
            "the same program failed otherwise before",
            raised("/srv/train.py", "ZeroDivisionError: division by zero") + _SAYS + raised("/srv/train.py", _MISSED),
            "dataset-missing",
        ),
    ],
)
def test_who_failed_to_make_it_is_the_root(on, story, log, cause):
    assert run_log(on, log).diagnoses[0].cause == cause
