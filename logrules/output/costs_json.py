"""What rules cost, for machines."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TextIO

from logrules.model.cost import Cost

SCHEMA = "logrules.costs/1"


def render_costs(costs: Sequence[Cost], out: TextIO) -> None:
    """One document with every rule."""
    json.dump({"schema": SCHEMA, "rules": [asdict(one) for one in costs]}, out, indent=1)
    out.write("\n")
