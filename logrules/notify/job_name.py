"""What a job is called, in everything that is told of it."""

import re
from collections.abc import Mapping

from logrules.output.escape import safe

_MAX_NAME = 128
_SCHEDULERS = ("LOGRULES_JOB", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_NAME", "RAY_JOB_ID")


def job_name(environment: Mapping[str, str]) -> str:
    """The job as ``LOGRULES_JOB`` or its scheduler names it; empty where neither does."""
    found = next((value for name in _SCHEDULERS if (value := environment.get(name))), "")
    return safe(re.sub(r"\s+", " ", found))[:_MAX_NAME]
