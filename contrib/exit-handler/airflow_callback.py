"""For Airflow: `on_failure_callback=say_why` on a task whose log file is in its params as ``log``.

train = BashOperator(task_id="train", bash_command="python -u train.py 2>&1 | tee {{ params.log }}",
params={"log": "/data/runs/42/train.log"}, on_failure_callback=say_why)
"""

import subprocess
from collections.abc import Mapping
from typing import Any

_LIMIT_S = 120


def say_why(context: Mapping[str, Any]) -> None:
    """Print why the task's run failed into the task's own log; nothing that goes wrong here fails anything."""
    try:
        words = ["logrules-on-exit", str(context["params"]["log"])]
        done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=_LIMIT_S)
    except (KeyError, OSError, subprocess.TimeoutExpired) as fault:
        print(f"logrules: no diagnosis ({type(fault).__name__})")
        return
    print(done.stdout or done.stderr)
