"""The steps of a card for this log: those of its frameworks and of this message, with what the log says put in."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from logrules.inference.command_slots import filled_command, filled_text, filled_value, is_filled, with_open_text
from logrules.model.late_pattern import late_pattern
from logrules.model.record import replace
from logrules.model.report import Fix, Text
from logrules.ruleset.name_tables import FrameworkSettings, RenamedSetting
from logrules.ruleset.pack import Rule
from logrules.ruleset.pattern import searched
from logrules.ruleset.rule_text import Card


def advised_for(rule: Rule, seen: Collection[str], settings: Iterable[FrameworkSettings]) -> frozenset[str]:
    """The frameworks that steps are for: those that were seen, and the one whose message the rule knows.

    An excerpt may hold that message and nothing else of its framework. A rule that asks for a framework was only
    asked where it was seen.
    """
    own = rule.id.partition("/")[0]
    speaks = not rule.requires and any(one.id == own for one in settings)
    return frozenset((*seen, own)) if speaks else frozenset(seen)


def steps_for(
    card: Card, captures: Mapping[str, str], seen: Collection[str], said: Sequence[str], phase: str | None
) -> tuple[Fix, ...]:
    """What to try where these frameworks were seen and this was said in this phase, the first first.

    A step that speaks of what the log does not say is left out, and so is one that the log shows to be done already
    or to do nothing here.
    """
    told_of = {**dict.fromkeys(seen, "seen"), **captures}
    settings = in_force(card.renamed, told_of)
    chosen = ((fix, renamed(fix, settings)) for fix in card.fixes(seen, said, phase, told_of))
    fitting = tuple(fix for before, fix in chosen if not (is_done(fix, captures) or is_idle(before, fix)))
    told = _told(fitting, captures) or _told(card.fixes(), captures)
    return tuple(_filled(fix, captures) for fix in told)


def _told(fixes: Iterable[Fix], captures: Mapping[str, str]) -> list[Fix]:
    return [fix for fix in fixes if is_filled(fix.do.en, captures)]


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


_FLAG_END = late_pattern(r"(?=[ =])")


def is_done(fix: Fix, told: Mapping[str, str]) -> bool:
    """Whether it does nothing but set variables, and the log shows that each of them had that value."""
    alone = not (fix.run or fix.flags or fix.config or fix.code)
    return alone and bool(fix.env) and all(told.get(name) == value for name, value in fix.env.items())


def is_idle(before: Fix, after: Fix) -> bool:
    """Whether it is there for settings alone, and none of them does anything here."""
    given, left = ((one.run, one.code, one.env, one.flags, one.config) for one in (before, after))
    return any(given) and not any(left)


def renamed(fix: Fix, settings: Iterable[RenamedSetting]) -> Fix:
    """The step with each of the settings under its other name."""
    for setting in settings:
        fix = _with(fix, setting)
    return fix


def in_force(settings: Iterable[RenamedSetting], told: Mapping[str, str]) -> list[RenamedSetting]:
    """Those that have their other name where the log tells this."""
    return [setting for setting in settings if _holds(setting, told)]


def _holds(setting: RenamedSetting, told: Mapping[str, str]) -> bool:
    asked = setting.when_told.items()
    return all(name in told and searched(pattern, told[name]) is not None for name, pattern in asked)


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
    return setting.to and setting.to + (f" {setting.value}" if setting.value else "".join(rest))


def _said(text: Text, setting: RenamedSetting) -> Text:
    return Text(_in_text(text.en, setting), _in_text(text.zh, setting))


def _in_text(text: str, setting: RenamedSetting) -> str:
    """The name where it stands as a word of its own; one without another name stays in sentences."""
    return _word(setting.name).sub(lambda _: setting.to, text) if setting.to and setting.name in text else text


@lru_cache(maxsize=256)
def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
