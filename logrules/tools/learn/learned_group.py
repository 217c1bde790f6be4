"""The kinds of failures that cost most, each with a draft that serves or the reason why none does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from logrules.ruleset.pack import Pack
from logrules.tools.learn.drafting import Background, FailureGroup, LearnedDraft, drafts_for
from logrules.tools.learn.proof import Proof, ProofSetup, proofs

# So many drafts of a kind are tried, one after the other.
ROUNDS = 4
# A draft must know as many of the jobs that it was learned from.
_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class LearnedGroup:
    """A kind of failure with the draft for it, or with ``why_none``; ``known_by`` is an earlier draft that fits it."""

    group: FailureGroup
    draft: LearnedDraft | None = None
    proof: Proof = Proof()  # noqa: RUF009 (frozen)
    why_none: str = ""
    known_by: str = ""

    @property
    def paths(self) -> frozenset[str]:
        """The jobs that failed so."""
        return frozenset(str(one.job.path) for one in self.group.jobs)


def learned_groups(
    groups: Sequence[FailureGroup],
    pack: Pack,
    background: Background,
    setup: ProofSetup,
    progress: Callable[[int], Callable[[], None]],
) -> tuple[LearnedGroup, ...]:
    """What comes of each kind of failure: all are tried together, a draft each a round.

    ``progress`` is told how many jobs a round reads, and gives what is called after each.
    """
    left = [drafts_for(group, pack, background) for group in groups]
    why = "no line of it has a text that a program would always print"
    found = [LearnedGroup(group, why_none=why) for group in groups]
    for _ in range(ROUNDS):
        open_places = [place for place, one in enumerate(found) if one.draft is None]
        tried = {place: made for place in open_places if (made := next(left[place], None)) is not None}
        if not tried:
            break
        proven = proofs(list(tried.values()), setup, progress(len(setup.failed) + len(setup.healthy)))
        for place, made in tried.items():
            found[place] = _judged(found[place], made, proven[made.rule])
    return _each_once(found)


def _judged(one: LearnedGroup, made: LearnedDraft, proof: Proof) -> LearnedGroup:
    known = len(one.paths & proof.fires_on)
    if proof.alarms_on:
        why = f"its words stand in {len(proof.alarms_on)} healthy logs too, as in {min(proof.alarms_on)}"
    elif proof.faults:
        why = f"its own examples do not hold: {proof.faults[0]}"
    elif known < _SHARE * len(one.paths):
        why = f"the line that tells most is found in {known} of {len(one.paths)} jobs only"
    else:
        return LearnedGroup(one.group, made, proof)
    return LearnedGroup(one.group, why_none=why)


def _each_once(found: Sequence[LearnedGroup]) -> tuple[LearnedGroup, ...]:
    """The same; of kinds that one draft knows, only the first that costs most keeps it."""
    kept: list[LearnedGroup] = []
    for one in found:
        drafts = ((other.draft, other.proof) for other in kept if other.draft is not None)
        known_by = next((draft.rule for draft, proof in drafts if one.paths <= proof.fires_on), "")
        kept.append(LearnedGroup(one.group, known_by=known_by) if known_by else one)
    return tuple(kept)
