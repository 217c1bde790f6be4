"""What a person reads of a rule, a phase or a cause: decoded only when it is shown."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from logrules.model.deferred import Deferred
from logrules.model.late_pattern import late_pattern
from logrules.model.record import field, record, replace
from logrules.model.report import Fix, Restart, Risk, Text
from logrules.ruleset.causes import Cause
from logrules.ruleset.name_tables import FrameworkSettings, RenamedSetting
from logrules.ruleset.pack import Pack
from logrules.ruleset.pattern import bounded
from logrules.ruleset.tables import Phase
from logrules.ruleset.translation import RuleTranslation, StepTranslation, Translation, WordTranslation

# The fields of a step that are kept as they are given: what it needs, and what it sets.
_CONDITIONS = frozenset({"frameworks", "where", "unless", "during", "when_told", "unless_told"})
_SETTINGS = frozenset({"env", "flags", "config", "code"})
_SETTING_END = late_pattern(r"[ =]")
# What stands behind a `%` or `$` is the command's own: curl's %{http_code}, a shell's ${name}. Behind a `|` stands what
# is said where the log says nothing: {share|now}, in a command what runs then: {job_pid|$(pgrep -of python)}.
SLOT = late_pattern(r"(?<![%$])\{([a-z_]+)(?:\|([^{}\n]+))?\}")


@record
class FixStep:
    """One thing to try, where one of these frameworks was seen; anywhere where none is named.

    ``where`` must be found in a line of the diagnosis, ``unless`` in none; an empty one asks for nothing. ``during``
    are the phases, one of which the failure must have been in. What a log tells must have all patterns of
    ``when_told`` and none of ``unless_told``.
    """

    fix: Fix
    frameworks: tuple[str, ...] = ()
    where: str = ""
    unless: str = ""
    during: tuple[str, ...] = ()
    when_told: Mapping[str, str] = field(default_factory=dict)
    unless_told: Mapping[str, str] = field(default_factory=dict)


@record
class Card:
    """Titles, reasons, steps and references of a rule."""

    title: Text
    why: Text
    differs_from: Text | None
    restart: Restart
    steps: Sequence[FixStep]
    references: tuple[str, ...]
    settings: tuple[FrameworkSettings, ...] = ()
    renamed: tuple[RenamedSetting, ...] = ()

    def fixes(
        self,
        seen: Collection[str] | None = None,
        said: Sequence[str] = (),
        phase: str | None = None,
        told: Mapping[str, str] | None = None,
    ) -> tuple[Fix, ...]:
        """What to try where these frameworks were seen, without the settings of others; all where that is not known.

        ``said`` are the lines of the diagnosis: of steps for variants of a message only those for theirs are shown.
        ``phase`` is the one that the log shows it to have been in, if it shows one; ``told`` what it says by name.
        """
        if seen is None:
            return tuple(step.fix for step in self.steps)
        running = _running(self.settings, frozenset(seen))
        known, foreign = _known_and_foreign(self.settings, running)
        steps = [step for step in self.steps if _fits(step, running, said, phase) and _holds(step, told or {})]
        steps.sort(key=_destroys_on_suspicion)
        fitting = [step.fix for step in steps]
        if any(known.among(fix) for fix in fitting):
            # What is for other frameworks goes behind what is for those that were seen.
            fitting.sort(key=lambda fix: foreign.among(fix) and not _can_be_done(_without(fix, foreign)))
        return tuple(_without(fix, foreign) for fix in fitting)


def _fits(step: FixStep, seen: Collection[str], said: Sequence[str], phase: str | None) -> bool:
    if step.frameworks and not any(name in seen for name in step.frameworks):
        return False
    if step.during and phase not in step.during:
        return False
    return (not step.where or _says(said, step.where)) and not (step.unless and _says(said, step.unless))


def _holds(step: FixStep, told: Mapping[str, str]) -> bool:
    """Whether what the log tells by name is what the step is for."""
    wanted, refused = step.when_told.items(), step.unless_told.items()
    return all(name in told and _says([told[name]], pattern) for name, pattern in wanted) and not any(
        name in told and _says([told[name]], pattern) for name, pattern in refused
    )


def _destroys_on_suspicion(step: FixStep) -> bool:
    """Whether it destroys what nothing in the log speaks of: such a step comes behind all others."""
    fix = step.fix
    asked_for = step.where or asks_of_log(fix.do.en, fix.run or "")
    return fix.risk is Risk.DESTRUCTIVE and not asked_for


def _says(lines: Sequence[str], pattern: str) -> bool:
    """Whether one of the lines has the pattern; not where looking takes too long."""
    try:
        return any(bounded(pattern).search(line) for line in lines)
    except TimeoutError:
        return False


class _Names:
    """Names of settings; one that ends in a `.` or `_` stands for all that begin so."""

    def __init__(self, names: Iterable[str]) -> None:
        self._exact = frozenset(names)
        self._begun = tuple(name for name in self._exact if name[-1] in "._")

    def has(self, setting: str) -> bool:
        """Whether this flag, with or without its value, key or variable is one of them."""
        name = _SETTING_END.split(setting, maxsplit=1)[0]
        return name in self._exact or name.startswith(self._begun)

    def among(self, fix: Fix) -> bool:
        """Whether the step has one of them."""
        return any(self.has(setting) for setting in (*fix.flags, *fix.config, *fix.env))


@lru_cache(maxsize=64)
def _running(settings: tuple[FrameworkSettings, ...], seen: frozenset[str]) -> frozenset[str]:
    """The frameworks that were seen, but for those that are only libraries of others among them."""
    return seen - {one.id for one in settings if not seen.isdisjoint(one.library_of)}


# All cards of a pack share their settings, and most jobs that are read in a row the frameworks.
@lru_cache(maxsize=64)
def _known_and_foreign(settings: tuple[FrameworkSettings, ...], seen: frozenset[str]) -> tuple[_Names, _Names]:
    """The names of settings that these frameworks know, and those that only others know."""
    own = frozenset(name for one in settings if one.id in seen for name in one.names)
    return _Names(own), _Names(name for one in settings for name in one.names if name not in own)


def _can_be_done(fix: Fix) -> bool:
    """Whether it says how, not merely what."""
    return bool(fix.run or fix.env or fix.flags or fix.config or fix.code)


def _without(fix: Fix, foreign: _Names) -> Fix:
    """The step without these settings; what it says to do stands also where none of its settings is left."""
    if not foreign.among(fix):
        return fix
    return replace(
        fix,
        env={name: value for name, value in fix.env.items() if not foreign.has(name)},
        flags=tuple(flag for flag in fix.flags if not foreign.has(flag)),
        config={name: value for name, value in fix.config.items() if not foreign.has(name)},
    )


def card_of(pack: Pack, rule: str) -> Card:
    """The card of a rule, a wait or a row of a table, in the languages that the pack was loaded for."""
    plain = json.loads(pack.cards[rule])
    said = _said(plain, rule, pack.translation)
    return Card(
        title=Text(plain["title"], said.title),
        why=Text(plain["why"], said.why),
        differs_from=Text(plain["differs_from"], said.differs_from) if "differs_from" in plain else None,
        restart=Restart(plain["restart"]),
        steps=Deferred(lambda: _steps(_spelled(plain.get("fixes", ()), pack.steps), said, pack.translation)),
        references=tuple(plain.get("references", ())),
        settings=pack.tables.settings,
        renamed=pack.tables.renamed,
    )


def title_of(pack: Pack, rule: str) -> Text:
    """The title of a rule alone."""
    plain = json.loads(pack.cards[rule])
    return Text(plain["title"], _said(plain, rule, pack.translation).title)


def _said(plain: Mapping[str, Any], rule: str, translation: Translation) -> RuleTranslation:
    """What is said in the other language; a row of a table has the words of its cause where it has none of its own."""
    cause = translation.causes.get(plain.get("cause", "")) or WordTranslation("", "")
    return translation.rules.get(rule) or RuleTranslation(cause.title, cause.about)


def _spelled(steps: Iterable[Mapping[str, Any]], known: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    """Each step with what it says; one of fixes/ keeps its name and its parameters for translations."""
    for step in steps:
        if "name" not in step:
            yield step
            continue
        plain = json.loads(known[step["name"]])
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
    return tuple(_step_word(name, json.loads(step), pack.translation) for name, step in pack.steps.items())


def _step_word(name: str, plain: Mapping[str, Any], translation: Translation) -> Word:
    """A step by what it says to do, with what its parameters are otherwise."""
    said = translation.fixes.get(name) or StepTranslation("")
    fix = _fix(filled(plain, plain.get("params", {})), said)
    return Word(name, fix.do, fix.note or Text("", ""))


def _word(row: Phase | Cause, translated: Mapping[str, WordTranslation]) -> Word:
    said = translated.get(row.id)
    return Word(row.id, Text(row.title, said.title if said else ""), Text(row.about, said.about if said else ""))
