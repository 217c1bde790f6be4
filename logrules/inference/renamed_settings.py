"""Steps in the words of the versions and the cards that the log tells of, without what it shows to be done already."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from logrules.model.late_pattern import late_pattern
from logrules.model.record import replace
from logrules.model.report import Fix, Text
from logrules.ruleset.name_tables import RenamedSetting
from logrules.ruleset.pattern import searched

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
