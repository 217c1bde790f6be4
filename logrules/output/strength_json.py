"""Coverage and mutants for machines."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TextIO

from logrules.model.mutation_score import RuleCoverage, Share, Strength, total


def render_coverage(covered: Sequence[RuleCoverage], out: TextIO) -> None:
    """One document: the shares of all, then each rule."""
    whole = {what: _share(total(getattr(one, what) for one in covered)) for what in ("signals", "branches", "captures")}
    _write({"schema": "logrules.coverage/1", **whole, "rules": [asdict(one) for one in covered]}, out)


def render_strengths(tried: Sequence[Strength], out: TextIO) -> None:
    """One document: the share of mutants noticed, then each rule."""
    noticed = _share(total(one.noticed for one in tried))
    _write({"schema": "logrules.mutants/1", "noticed": noticed, "rules": [asdict(one) for one in tried]}, out)


def _share(share: Share) -> dict[str, float]:
    return {"done": share.done, "all": share.all, "percent": round(share.percent, 2)}


def _write(document: object, out: TextIO) -> None:
    json.dump(document, out, indent=1, ensure_ascii=False)
    out.write("\n")
