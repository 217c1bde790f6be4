"""The steps of a card for this log: those of its frameworks and of this message, with what the log says put in."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from logrules.inference.command_slots import filled_command, filled_text, filled_value, is_filled, with_open_text
from logrules.model.late_pattern import late_pattern
from logrules.model.record import field, record, replace
from logrules.model.report import Fix, Risk, Text
from logrules.ruleset.name_tables import FrameworkSettings, RenamedSetting
from logrules.ruleset.pack import Rule
from logrules.ruleset.pattern import searched
from logrules.ruleset.rule_text import FixStep, asks_of_log
from logrules.ruleset.steps import FixFile
from logrules.ruleset.tables import Tables


def advised_for(rule: Rule, seen: Collection[str], settings: Iterable[FrameworkSettings]) -> frozenset[str]:
    """The frameworks that steps are for: those that were seen, and the one whose message the rule knows.

    An excerpt may hold that message and nothing else of its framework. A rule that asks for a framework was only
    asked where it was seen.
    """
    own = rule.id.partition("/")[0]
    speaks = not rule.requires and any(one.id == own for one in settings)
    return frozenset((*seen, own)) if speaks else frozenset(seen)


@record
class Circumstances:
    """What a log shows that a step may ask for.

    The frameworks ``seen``, what the lines of the diagnosis ``said``, the ``phase`` that the log itself shows, and what
    it ``told`` by name.
    """

    seen: frozenset[str]
    said: Sequence[str] = ()
    phase: str | None = None
    told: Mapping[str, str] = field(default_factory=dict)


def steps_for(steps: Sequence[FixStep], tables: Tables, at: Circumstances) -> tuple[Fix, ...]:
    """What to try in these circumstances, the first first, with what the log says put in.

    A step that speaks of what the log does not say is left out, and so is one that the log shows to be done already
    or to do nothing here. One that is a fallback is shown only where no other is.
    """
    asked = replace(at, told={**dict.fromkeys(at.seen, "seen"), **at.told})
    settings = in_force(tables.renamed, asked.told)

    def shown(among: Sequence[FixStep]) -> tuple[Fix, ...]:
        named = ((fix, renamed(fix, settings)) for fix in chosen_fixes(among, tables.settings, asked))
        useful = (fix for before, fix in named if not (is_done(fix, at.told) or is_idle(before, fix)))
        return tuple(_filled(fix, at.told) for fix in useful if is_filled(fix.do.en, at.told))

    return shown([one for one in steps if not one.step.fallback]) or shown([one for one in steps if one.step.fallback])


def chosen_fixes(
    steps: Iterable[FixStep], settings: tuple[FrameworkSettings, ...], at: Circumstances
) -> tuple[Fix, ...]:
    """The steps that are for these circumstances, without the settings of frameworks that were not seen."""
    running, known, foreign = _running(settings, at.seen)
    fitting = [one for one in steps if _fits(one.step, replace(at, seen=running))]
    fitting.sort(key=_destroys_on_suspicion)
    fixes = [one.fix for one in fitting]
    if any(known.among(fix) for fix in fixes):
        # What is for other frameworks goes behind what is for those that were seen.
        fixes.sort(key=lambda fix: foreign.among(fix) and not _can_be_done(_without(fix, foreign)))
    return tuple(_without(fix, foreign) for fix in fixes)


def _fits(step: FixFile, at: Circumstances) -> bool:
    if step.frameworks and at.seen.isdisjoint(step.frameworks):
        return False
    if step.during and at.phase not in step.during:
        return False
    if (step.where and not _says(at.said, step.where)) or (step.unless and _says(at.said, step.unless)):
        return False
    return all(_tells(at.told, step.when_told)) and not any(_tells(at.told, step.unless_told))


def _says(lines: Iterable[str], pattern: str) -> bool:
    return any(searched(pattern, line) is not None for line in lines)


def _tells(told: Mapping[str, str], patterns: Mapping[str, str]) -> Iterator[bool]:
    """Of each name whether the log tells it, with this pattern in what it tells."""
    return (name in told and searched(pattern, told[name]) is not None for name, pattern in patterns.items())


def _destroys_on_suspicion(one: FixStep) -> bool:
    """Whether it destroys what nothing in the log speaks of: such a step comes behind all others."""
    destroys = one.fix.risk is Risk.DESTRUCTIVE
    return destroys and not (one.step.where or asks_of_log(one.fix.do.en, one.fix.run or ""))


_FLAG_END = late_pattern(r"(?=[ =])")


class _Names:
    """Names of settings; one that ends in a `.` or `_` stands for all that begin so."""

    def __init__(self, names: Iterable[str]) -> None:
        self._exact = frozenset(names)
        self._begun = tuple(name for name in self._exact if name[-1] in "._")

    def has(self, setting: str) -> bool:
        """Whether this flag, with or without its value, key or variable is one of them."""
        name = _FLAG_END.split(setting, maxsplit=1)[0]
        return name in self._exact or name.startswith(self._begun)

    def among(self, fix: Fix) -> bool:
        """Whether the step has one of them."""
        return any(self.has(setting) for setting in (*fix.flags, *fix.config, *fix.env))


# All diagnoses of a pack share its settings, and most jobs that are read in a row the frameworks.
@lru_cache(maxsize=64)
def _running(settings: tuple[FrameworkSettings, ...], seen: frozenset[str]) -> tuple[frozenset[str], _Names, _Names]:
    """The frameworks that were seen, but for those that are only libraries of others among them.

    With them the names of settings that these know, and those that only others know.
    """
    running = seen - {one.id for one in settings if not seen.isdisjoint(one.library_of)}
    own = frozenset(name for one in settings if one.id in running for name in one.names)
    return running, _Names(own), _Names(name for one in settings for name in one.names if name not in own)


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


def _filled(fix: Fix, captures: Mapping[str, str]) -> Fix:
    """The step with what the log says put into its slots, so that its command can be pasted as it stands.

    A flag whose value the log does not say is left out.
    """
    told = replace(
        fix,
        flags=tuple(flag for flag in fix.flags if is_filled(flag, captures)),
        config={key: value for key, value in fix.config.items() if is_filled(value, captures)},
    )
    return _with_values(told, captures, lambda text: filled_text(text, captures))


def with_open_slots(fix: Fix) -> Fix:
    """The step for no log in particular: `<name>` stands where a log would say something."""
    return _with_values(fix, {}, with_open_text)


def _with_values(fix: Fix, captures: Mapping[str, str], said: Callable[[Text], Text]) -> Fix:
    return replace(
        fix,
        do=said(fix.do),
        run=filled_command(fix.run, captures),
        powershell=filled_command(fix.powershell, captures, powershell=True),
        note=said(fix.note) if fix.note else None,
        env={name: filled_value(value, captures) for name, value in fix.env.items()},
        flags=tuple(filled_value(flag, captures) for flag in fix.flags),
        config={key: filled_value(value, captures) for key, value in fix.config.items()},
    )


def is_done(fix: Fix, told: Mapping[str, str]) -> bool:
    """Whether it does nothing but set variables, and the log shows that each of them had that value."""
    alone = not (fix.run or fix.flags or fix.config or fix.code)
    return alone and bool(fix.env) and all(told.get(name) == value for name, value in fix.env.items())


def is_idle(before: Fix, after: Fix) -> bool:
    """Whether it is there for settings alone, and none of them does anything here."""
    return _can_be_done(before) and not _can_be_done(after)


def renamed(fix: Fix, settings: Iterable[RenamedSetting]) -> Fix:
    """The step with each of the settings under its other name."""
    for setting in settings:
        fix = _with(fix, setting)
    return fix


def in_force(settings: Iterable[RenamedSetting], told: Mapping[str, str]) -> list[RenamedSetting]:
    """Those that have their other name where the log tells this."""
    return [setting for setting in settings if all(_tells(told, setting.when_told))]


def _with(fix: Fix, setting: RenamedSetting) -> Fix:
    flags = (_flag(flag, setting) for flag in fix.flags)
    return replace(
        fix,
        do=_said(fix.do, setting),
        run=_in_text(fix.run, setting) if fix.run else fix.run,
        powershell=_in_text(fix.powershell, setting) if fix.powershell else fix.powershell,
        note=_said(fix.note, setting) if fix.note else None,
        env=_keys(fix.env, setting),
        flags=tuple(flag for flag in flags if flag),
        config=_keys(fix.config, setting),
    )


def _keys(known: Mapping[str, str], setting: RenamedSetting) -> Mapping[str, str]:
    if setting.name not in known:
        return known
    items = ((name, value) for name, value in known.items() if name != setting.name or setting.to)
    return {
        setting.to if name == setting.name else name: setting.value if name == setting.name and setting.value else value
        for name, value in items
    }


def _flag(flag: str, setting: RenamedSetting) -> str:
    name, *rest = _FLAG_END.split(flag, maxsplit=1)
    if name != setting.name:
        return flag
    given = f" {setting.value}" if setting.value else "".join(rest)
    return setting.to and setting.to + (given.lstrip(" =") if setting.to.endswith("=") else given)


def _said(text: Text, setting: RenamedSetting) -> Text:
    return Text(_in_text(text.en, setting), _in_text(text.zh, setting))


def _in_text(text: str, setting: RenamedSetting) -> str:
    """The name where it stands as a word of its own; one without another name stays in sentences."""
    told = setting.to.rstrip("=")
    return _word(setting.name).sub(lambda _: told, text) if told and setting.name in text else text


@lru_cache(maxsize=256)
def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
