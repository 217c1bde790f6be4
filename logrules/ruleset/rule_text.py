"""What a person reads of a rule, a phase or a cause: decoded only when it is shown."""

import marshal
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from logrules.model.deferred import Deferred
from logrules.model.late_pattern import late_pattern
from logrules.model.record import field, record
from logrules.model.report import Fix, Restart, Risk, Text
from logrules.ruleset.causes import Cause
from logrules.ruleset.pack import Pack
from logrules.ruleset.tables import Phase
from logrules.ruleset.translation import RuleTranslation, StepTranslation, Translation, WordTranslation

# The fields of a step that are kept as they are given: what it needs, and what it sets.
_CONDITIONS = frozenset({"frameworks", "where", "unless", "during", "when_told", "unless_told", "fallback"})
_SETTINGS = frozenset({"env", "flags", "config", "code"})
# What stands behind a `%` or `$` is the command's own: curl's %{http_code}, a shell's ${name}. Behind a `|` stands what
# is said where the log says nothing: {share|now}, in a command what runs then: {job_pid|$(pgrep -of python)}.
SLOT = late_pattern(r"(?<![%$])\{([a-z_]+)(?:\|([^{}\n]+))?\}")


@record
class FixStep:
    """One thing to try, and when it is shown: as `models.FixFile` says; what is empty asks for nothing."""

    fix: Fix
    frameworks: tuple[str, ...] = ()
    where: str = ""
    unless: str = ""
    during: tuple[str, ...] = ()
    when_told: Mapping[str, str] = field(default_factory=dict)
    unless_told: Mapping[str, str] = field(default_factory=dict)
    fallback: bool = False


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
    plain = read_kept(pack.cards[rule])
    said = _said(plain, rule, pack.translation)
    own, quotes, before = plain.get("fixes", []), plain.get("quotes", []), plain.get("before_quotes", 0)

    def steps(rows: Sequence[Mapping[str, Any]]) -> Sequence[FixStep]:
        return Deferred(lambda: _steps(_spelled(rows, pack.steps), said, pack.translation))

    return Card(
        title=Text(plain["title"], said.title),
        why=Text(plain["why"], said.why),
        differs_from=Text(plain["differs_from"], said.differs_from) if "differs_from" in plain else None,
        restart=Restart(plain["restart"]),
        steps=steps([*own[:before], *quotes, *own[before:]]),
        own_first=steps([*own, *quotes]),
        references=tuple(plain.get("references", ())),
    )


def title_of(pack: Pack, rule: str) -> Text:
    """The title of a rule alone."""
    plain = read_kept(pack.cards[rule])
    return Text(plain["title"], _said(plain, rule, pack.translation).title)


def read_kept(kept: bytes) -> dict[str, Any]:
    """What `card_builder` kept of a card or a step."""
    found: dict[str, Any] = marshal.loads(kept)  # noqa: S302 (see `kept_values`)
    return found


def _said(plain: Mapping[str, Any], rule: str, translation: Translation) -> RuleTranslation:
    """What is said in the other language; a row of a table has the words of its cause where it has none of its own."""
    cause = translation.causes.get(plain.get("cause", "")) or WordTranslation("", "")
    return translation.rules.get(rule) or RuleTranslation(cause.title, cause.about)


def _spelled(steps: Iterable[Mapping[str, Any]], known: Mapping[str, bytes]) -> Iterator[Mapping[str, Any]]:
    """Each step with what it says; one of fixes/ keeps its name and its parameters for translations."""
    for step in steps:
        if "name" not in step:
            yield step
            continue
        plain = read_kept(known[step["name"]])
        params = {**plain.pop("params", {}), **step.get("params", {})}
        yield {**(filled(plain, params) if params else plain), "name": step["name"], "params": params}


def filled(value: Any, params: Mapping[str, str]) -> Any:
    """The value with parameters in its slots; slots of other names are for captures."""
    if isinstance(value, str):
        return with_params(value, params)
    if isinstance(value, dict):
        return {filled(key, params): filled(item, params) for key, item in value.items()}
    return [filled(item, params) for item in value] if isinstance(value, list) else value


def _steps(plain: Iterable[Mapping[str, Any]], said: RuleTranslation, translation: Translation) -> tuple[FixStep, ...]:
    own = iter(said.fixes)
    steps = []
    for step in plain:
        name = step.get("name")
        other = next(own, None) if name is None else translation.fixes.get(name)
        steps.append(FixStep(_fix(step, other or StepTranslation("")), **_given(step, _CONDITIONS)))
    return tuple(steps)


def _fix(plain: Mapping[str, Any], said: StepTranslation) -> Fix:
    run = plain.get("run")
    params = plain.get("params", {})
    return Fix(
        do=Text(plain["do"], with_params(said.do, params)),
        run=run["bash"] if isinstance(run, dict) else run,
        powershell=run.get("powershell") if isinstance(run, dict) else None,
        note=Text(plain["note"], with_params(said.note, params)) if plain.get("note") else None,
        risk=Risk(plain.get("risk", Risk.SAFE)),
        **_given(plain, _SETTINGS),
    )


def _given(plain: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Those of the fields that are there, lists as tuples."""
    return {name: tuple(said) if isinstance(said, list) else said for name, said in plain.items() if name in names}


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
    plain = {name: read_kept(step) for name, step in pack.steps.items()}
    fixes = {
        name: _fix(filled(step, step.get("params", {})), pack.translation.fixes.get(name) or StepTranslation(""))
        for name, step in plain.items()
    }
    return tuple(Word(name, fix.do, fix.note or Text("", "")) for name, fix in fixes.items())


def _word(row: Phase | Cause, translated: Mapping[str, WordTranslation]) -> Word:
    said = translated.get(row.id)
    return Word(row.id, Text(row.title, said.title if said else ""), Text(row.about, said.about if said else ""))
