"""Coverage and mutants for people: a line for each thing that is missing, then the shares."""

from collections.abc import Sequence
from typing import TextIO

from logrules.model.mutation_score import RuleCoverage, Share, Strength, total


def render_coverage(covered: Sequence[RuleCoverage], out: TextIO) -> None:
    """What no example exercises."""
    out.writelines(f"{one.rule}: {sentence}\n" for one in covered for sentence in one.missing)
    out.writelines(
        f"{what}: {_shown(total(getattr(one, what) for one in covered))} exercised\n"
        for what in ("signals", "branches", "captures")
    )


def render_strengths(tried: Sequence[Strength], out: TextIO) -> None:
    """The mutants that no example notices."""
    out.writelines(f"{one.path}: {one.rule}: no example notices {what}\n" for one in tried for what in one.survivors)
    out.write(f"mutants: {_shown(total(one.noticed for one in tried))} noticed\n")


def _shown(share: Share) -> str:
    return f"{share.done} of {share.all} ({share.percent:.1f} %)"
