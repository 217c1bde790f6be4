"""Vocabularies of several packs made one: the pipeline's phases in order, and all causes."""

from collections.abc import Sequence

from logrules.ruleset.models import CauseWordFile, PhaseWordFile, VocabularyFile


def joined(files: Sequence[VocabularyFile]) -> VocabularyFile:
    """All their words; a later one stands in the place of an earlier one of the same id."""
    phases: list[PhaseWordFile] = []
    causes: dict[str, CauseWordFile] = {}
    for file in files:
        for phase in file.phases:
            phases = _with(phases, phase)
        causes |= {cause.id: cause for cause in file.causes}
    return VocabularyFile(phases=phases, causes=list(causes.values()))


def _with(phases: list[PhaseWordFile], new: PhaseWordFile) -> list[PhaseWordFile]:
    order = [phase.id for phase in phases]
    if new.id in order:
        return [new if phase.id == new.id else phase for phase in phases]
    at = order.index(new.after) + 1 if new.after in order else len(order)
    return [*phases[:at], new, *phases[at:]]
