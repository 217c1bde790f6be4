"""The steps of a card for this log: those of its frameworks and of this message, with what the log says put in."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from logrules.inference.command_slots import filled_command, filled_text, filled_value, is_filled, with_open_text
from logrules.inference.renamed_settings import in_force, is_done, is_idle, renamed
from logrules.model.record import replace
from logrules.model.report import Fix, Text
from logrules.ruleset.name_tables import FrameworkSettings
from logrules.ruleset.pack import Rule
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
