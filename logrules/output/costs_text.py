"""What rules cost, for people: a line each, the dearest first."""

from collections.abc import Sequence
from typing import TextIO

from logrules.model.cost import Cost


def render_costs(costs: Sequence[Cost], out: TextIO) -> None:
    """Milliseconds in patterns, lines tried and lines matched of each rule that any line concerned."""
    asked = [one for one in costs if one.tried]
    width = max((len(one.rule) for one in asked), default=0)
    out.write(f"{'rule':{width}}  {'ms':>8}  {'tried':>7}  {'matched':>7}\n")
    out.writelines(f"{one.rule:{width}}  {one.seconds * 1e3:8.2f}  {one.tried:7}  {one.matched:7}\n" for one in asked)
    lines = costs[0].lines if costs else 0
    out.write(f"{lines} lines; {len(costs) - len(asked)} of {len(costs)} cost nothing: no line has their literals\n")
