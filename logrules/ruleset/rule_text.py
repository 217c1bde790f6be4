"""What a person reads of a rule, a phase or a cause: decoded only when it is shown."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from logrules.model.deferred import Deferred
from logrules.model.late_pattern import late_pattern
from logrules.model.record import record
from logrules.model.report import Fix, Restart, Risk, Text
from logrules.ruleset.causes import Cause
from logrules.ruleset.kept_values import unpacked
from logrules.ruleset.pack import Pack
from logrules.ruleset.steps import FixFile, KeptCard, NamedFixFile, Step, named_steps
from logrules.ruleset.tables import Phase
from logrules.ruleset.translation import RuleTranslation, StepTranslation, Translation, WordTranslation

# What stands behind a `%` or `$` is the command's own: curl's %{http_code}, a shell's ${name}. Behind a `|` stands what
# is said where the log says nothing: {share|now}, in a command what runs then: {job_pid|$(pgrep -of python)}.
SLOT = late_pattern(r"(?<![%$])\{([a-z_]+)(?:\|([^{}\n]+))?\}")


@record
class FixStep:
    """One thing to try as it is shown, and the step that it is of, which says when."""

    fix: Fix
    step: FixFile


@record
class Card:
    """Titles, reasons, steps and references of a rule.

    Among its ``steps`` are some of its cause, which put the message's own words to use; ``own_first`` has these last.
    """

    title: Text
    why: Text
    differs_from: Text | None
    restart: Restart
    steps: Sequence[FixStep]
    own_first: Sequence[FixStep]
    references: tuple[str, ...]


def card_of(pack: Pack, rule: str) -> Card:
    """The card of a rule, a wait or a row of a table, in the languages that the pack was loaded for."""
    kept = kept_card_of(pack, rule)
    said = _said(kept, rule, pack.translation)

    def shown(*steps: Step) -> Sequence[FixStep]:
        return Deferred(lambda: tuple(_shown_steps(steps, said, pack)))

    return Card(
        title=Text(kept.title, said.title),
        why=Text(kept.why, said.why),
        differs_from=Text(kept.differs_from, said.differs_from) if kept.differs_from else None,
        restart=kept.restart,
        steps=shown(*kept.first, *kept.quotes, *kept.rest),
        own_first=shown(*kept.first, *kept.rest, *kept.quotes),
        references=kept.references,
    )


def title_of(pack: Pack, rule: str) -> Text:
    """The title of a rule alone."""
    kept = kept_card_of(pack, rule)
    return Text(kept.title, _said(kept, rule, pack.translation).title)


def kept_card_of(pack: Pack, rule: str) -> KeptCard:
    """The card of a rule as the pack keeps it."""
    found: KeptCard = unpacked(pack.cards[rule])
    return found


def _said(card: KeptCard, rule: str, translation: Translation) -> RuleTranslation:
    """What is said in the other language; a row of a table has the words of its cause where it has none of its own."""
    cause = translation.causes.get(card.cause) or WordTranslation("", "")
    return translation.rules.get(rule) or RuleTranslation(cause.title, cause.about)


def _shown_steps(steps: Iterable[Step], said: RuleTranslation, pack: Pack) -> Iterator[FixStep]:
    own = iter(said.fixes)
    for step in steps:
        if isinstance(step, FixFile):
            yield _shown(step, next(own, None), {})
        for name, params in named_steps(step):
            known: NamedFixFile = unpacked(pack.steps[name])
            yield _shown(known, pack.translation.fixes.get(name), {**known.params, **params})


def _shown(step: FixFile, said: StepTranslation | None, params: Mapping[str, str]) -> FixStep:
    """A step with its parameters, and what is said of it in the other language."""
    step, said = _filled(step, params), _filled(said or StepTranslation(""), params)
    fix = Fix(
        do=Text(step.do, said.do),
        run=step.bash,
        powershell=step.powershell,
        env=step.env,
        flags=step.flags,
        config=step.config,
        code=step.code,
        note=Text(step.note, said.note) if step.note else None,
        risk=step.risk or Risk.SAFE,
    )
    return FixStep(fix, step)


Value = TypeVar("Value")


def _filled(value: Value, params: Mapping[str, str]) -> Value:
    """The value with parameters in the slots of its texts; slots of other names are for captures."""
    found: Any = value
    if not params or isinstance(found, Risk):
        return value
    if isinstance(found, str):
        found = with_params(found, params)
    elif isinstance(found, dict):
        found = {_filled(key, params): _filled(item, params) for key, item in found.items()}
    elif isinstance(found, tuple):
        found = tuple(_filled(item, params) for item in found)
    elif names := getattr(found, "__match_args__", ()):
        found = type(found)(*(_filled(getattr(found, name), params) for name in names))
    return found  # type: ignore[no-any-return]  # of the kind that it was


def asks_of_log(*texts: str) -> bool:
    """Whether the texts have a slot that only the log can fill."""
    return any(slot[2] is None for text in texts for slot in SLOT.finditer(text))


def with_params(text: str, params: Mapping[str, str]) -> str:
    """The text with parameters in its slots; slots of other names are for captures."""
    return SLOT.sub(lambda slot: params.get(slot[1], slot[0]), text)


@record
class Word:
    """A phase or a cause: what it is called and what it means."""

    id: str
    title: Text
    about: Text


def phases_of(pack: Pack) -> tuple[Word, ...]:
    """All phases, in the order of the pipeline."""
    return tuple(_word(phase, pack.translation.phases) for phase in pack.phases)


def causes_of(pack: Pack) -> tuple[Word, ...]:
    """All causes, those first that explain others."""
    return tuple(_word(cause, pack.translation.causes) for cause in pack.tables.causes)


def steps_of(pack: Pack) -> tuple[Word, ...]:
    """All steps that have a name, those of one file together."""
    fixes = (one.fix for one in _shown_steps(pack.steps, RuleTranslation("", ""), pack))
    return tuple(Word(name, fix.do, fix.note or Text("", "")) for name, fix in zip(pack.steps, fixes, strict=True))


def _word(row: Phase | Cause, translated: Mapping[str, WordTranslation]) -> Word:
    said = translated.get(row.id)
    return Word(row.id, Text(row.title, said.title if said else ""), Text(row.about, said.about if said else ""))
