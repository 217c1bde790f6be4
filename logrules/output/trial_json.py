"""A trial of a rule for machines."""

import json
from dataclasses import asdict
from typing import TextIO

from logrules.model.rule_trace import Trial

SCHEMA = "logrules.trial/1"


def render_trial(trial: Trial, out: TextIO) -> None:
    """One document, its keys those of `Trial`."""
    json.dump({"schema": SCHEMA, **asdict(trial)}, out, indent=1, ensure_ascii=False)
    out.write("\n")
