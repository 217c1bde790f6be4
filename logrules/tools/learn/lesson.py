"""The kinds of failures that cost most, each with a draft that serves or the reason why none does."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from logrules.ruleset.pack import Pack
from logrules.tools.learn.drafting import FailureGroup, LearnedDraft, Neighbours, drafts_for
from logrules.tools.learn.proof import Ground, Proof, proofs

# So many drafts of a kind are tried, one after the other.
ROUNDS = 4
# A draft must know as many of the jobs that it was learned from.
_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Lesson:
    """A kind of failure with the draft for it, or with ``why_none``; ``known_by`` is an earlier draft that fits it."""

    group: FailureGroup
    draft: LearnedDraft | None = None
    proof: Proof = Proof()  # noqa: RUF009 (frozen)
    why_none: str = ""
    known_by: str = ""


@dataclass(slots=True)
class _Pupil:
    """A kind of failure on its way to a draft."""

    group: FailureGroup
    left: Iterator[LearnedDraft]
    lesson: Lesson = field(init=False)
    done: bool = False

    def __post_init__(self) -> None:
        self.lesson = Lesson(self.group, why_none="no line of it has a text that a program would always print")


def lessons_of(
    groups: Sequence[FailureGroup],
    pack: Pack,
    neighbours: Neighbours,
    ground: Ground,
    progress: Callable[[int], Callable[[], None]],
) -> tuple[Lesson, ...]:
    """A lesson for each kind of failure.

    ``progress`` is told how many jobs a round reads, and gives what is called after each.
    """
    pupils = [_Pupil(group, drafts_for(group, pack, neighbours)) for group in groups]
    for _ in range(ROUNDS):
        tried = {id(pupil): made for pupil in pupils if not pupil.done and (made := next(pupil.left, None)) is not None}
        if not tried:
            break
        found = proofs(list(tried.values()), ground, progress(len(ground.failed) + len(ground.healthy)))
        for pupil in pupils:
            if id(pupil) in tried:
                _judge(pupil, tried[id(pupil)], found[tried[id(pupil)].rule])
    return _each_once([pupil.lesson for pupil in pupils])


def _judge(pupil: _Pupil, made: LearnedDraft, proof: Proof) -> None:
    jobs = {str(one.job.path) for one in pupil.group.jobs}
    known = len(jobs & proof.fires_on)
    if proof.alarms_on:
        why = f"its words stand in {len(proof.alarms_on)} healthy logs too, as in {min(proof.alarms_on)}"
    elif proof.faults:
        why = f"its own examples do not hold: {proof.faults[0]}"
    elif known < _SHARE * len(jobs):
        why = f"the line that tells most is found in {known} of {len(jobs)} jobs only"
    else:
        pupil.lesson, pupil.done = Lesson(pupil.group, made, proof), True
        return
    pupil.lesson = Lesson(pupil.group, why_none=why)


def _each_once(lessons: Sequence[Lesson]) -> tuple[Lesson, ...]:
    """The lessons; of kinds that one draft knows, only the first that costs most keeps it."""
    kept: list[Lesson] = []
    known: Mapping[str, Proof] = {}
    for one in lessons:
        jobs = {str(job.job.path) for job in one.group.jobs}
        before = next((rule for rule, proof in known.items() if jobs <= proof.fires_on), None)
        if before is not None:
            kept.append(Lesson(one.group, known_by=before))
            continue
        if one.draft is not None:
            known = {**known, one.draft.rule: one.proof}
        kept.append(one)
    return tuple(kept)
