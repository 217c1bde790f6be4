"""The card of a rule, a wait or a row of a table as JSON text: what its cause's row says put in, steps spelled out."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from logrules.model.position import Problem
from logrules.model.report import Restart
from logrules.ruleset import models as schema
from logrules.ruleset.causes import Cause
from logrules.ruleset.pack_builder import RuleSource, Vocabulary
from logrules.ruleset.rule_text import with_params
from logrules.ruleset.usual_risk import usual_risk

_CHOSEN_BY = ("where", "when_told", "frameworks", "during")
_SLOT = re.compile(r"(?<![%$])\{[a-z_]+\}")


def card_text(card: schema.CardFile, vocabulary: Vocabulary) -> str:
    """What a person reads of a rule."""
    cause = vocabulary.causes.get(card.cause)
    restart = card.restart or (cause.restart if cause else Restart.AFTER_FIX)
    said = {"title": card.title, "why": card.why, "differs_from": card.differs_from, "restart": restart.value}
    steps = _spelled(list(card.fixes) or list(cause.fixes if cause else ()), vocabulary)
    # What a rule puts first it knows better than the message.
    steps = _with_quotes(steps, cause, vocabulary, behind=1 if card.fixes else 0)
    return _json({**said, "fixes": steps, "references": card.references})


def row_text(title: str | None, why: str | None, cause: Cause, fixes: Sequence[str], vocabulary: Vocabulary) -> str:
    """What a person reads of a row that recognised a cause: the words of the cause where it has none of its own."""
    steps = _with_quotes(_spelled(list(fixes or cause.fixes), vocabulary), cause, vocabulary)
    said = {"title": title or cause.title, "why": why or cause.about, "restart": cause.restart.value}
    return _json({**said, "cause": cause.id, "fixes": steps})


def step_faults(
    source: RuleSource, at: Sequence[str | int], card: schema.CardFile, vocabulary: Vocabulary
) -> Iterator[Problem]:
    """Steps that nobody defined, and parameters that a step does not have; a rule without any step."""
    cause = vocabulary.causes.get(card.cause)
    if not card.fixes and not (cause and cause.fixes):
        yield source.problem([*at, "fixes"], "no step, neither here nor in its cause's row", kind="schema")
    for number, step in enumerate(card.fixes):
        for name, params in named_steps(step):
            known = vocabulary.steps.get(name)
            place = [*at, "fixes", number]
            if known is None:
                yield source.problem(place, f"unknown step `{name}`", "see rules/fixes.yaml", kind="schema")
                continue
            for param in params:
                if param not in known.params:
                    yield source.problem([*place, name, param], f"the step `{name}` has no `{param}`", kind="schema")


def named_steps(step: schema.AnyFix) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The names and parameters of a step that is not spelled out itself."""
    if isinstance(step, str):
        yield step, {}
    elif isinstance(step, dict):
        yield from step.items()


def _spelled(steps: Sequence[schema.AnyFix], vocabulary: Vocabulary) -> list[dict[str, Any]]:
    """Each step with what it says; a named one keeps its name and its parameters for translations."""
    found = []
    for step in steps:
        if isinstance(step, schema.FixFile):
            found.append(_plain(step))
        for name, params in named_steps(step):
            known = vocabulary.steps.get(name)
            if known is not None:
                values = {**known.params, **params}
                found.append({"name": name, "params": values, **filled(_plain(known), values)})
    return found


def _with_quotes(
    steps: list[dict[str, Any]], cause: Cause | None, vocabulary: Vocabulary, behind: int = 0
) -> list[dict[str, Any]]:
    """The steps with those of the cause that put the message's own words to use, before the first general one.

    So many steps stay before them in any case.
    """
    named = {step.get("name") for step in steps}
    quotes = _spelled([name for name in cause.quotes if name not in named] if cause else [], vocabulary)
    general = (place for place, step in enumerate(steps) if not _is_chosen(step))
    at = max(next(general, len(steps)), behind)
    return [*steps[:at], *quotes, *steps[at:]]


def _is_chosen(step: Mapping[str, Any]) -> bool:
    """Whether something in the log has to ask for the step: its words, what it tells, a framework, a phase, a slot."""
    return any(step.get(key) for key in _CHOSEN_BY) or _SLOT.search(f"{step['do']} {step.get('run', '')}") is not None


def _plain(step: schema.FixFile) -> dict[str, Any]:
    """Only what the step says: most say little, and all are read in every run."""
    run = step.run if isinstance(step.run, str) else step.run.bash if step.run else ""
    risk = step.risk or usual_risk(run, step.env, changes=bool(step.flags or step.config or step.code))
    return {**step.model_dump(mode="json", exclude_defaults=True, exclude={"id", "params"}), "risk": risk.value}


def filled(value: Any, params: Mapping[str, str]) -> Any:
    """The value with parameters in its slots; slots of other names are for captures."""
    if isinstance(value, str):
        return with_params(value, params)
    if isinstance(value, dict):
        return {filled(key, params): filled(item, params) for key, item in value.items()}
    return [filled(item, params) for item in value] if isinstance(value, list) else value


def _json(plain: Mapping[str, Any]) -> str:
    return json.dumps({key: value for key, value in plain.items() if value}, ensure_ascii=False, separators=(",", ":"))
