"""The card of a rule, a wait or a row of a table, as it is kept: what its cause's row says put in, steps by name."""

import marshal
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from logrules.ruleset import models as schema
from logrules.ruleset.causes import Alternative, Cause
from logrules.ruleset.file_adapter import adapter_of
from logrules.ruleset.rule_text import asks_of_log, with_params
from logrules.ruleset.tables import ExceptionRow, ExitCode
from logrules.ruleset.usual_risk import usual_risk
from logrules.ruleset.vocabulary import Vocabulary

_CHOSEN_BY = ("where", "when_told", "frameworks", "during")


def kept_card(card: schema.CardFile, vocabulary: Vocabulary) -> bytes:
    """What a person reads of a rule."""
    cause = vocabulary.cause(card.cause)
    restart = card.restart or cause.restart
    said = {"title": card.title, "why": card.why, "differs_from": card.differs_from, "restart": restart.value}
    # What a rule puts first it knows better than the message.
    steps = _steps(card.fixes or cause.fixes, cause, vocabulary, behind=1 if card.fixes else 0)
    return _kept({**said, **steps, "references": card.references})


def kept_row(row: ExceptionRow | ExitCode | Alternative, cause: Cause, vocabulary: Vocabulary) -> bytes:
    """What a person reads of a row that recognised a cause: the words of the cause where it has none of its own."""
    said = {"title": row.title or cause.title, "why": row.why or cause.about, "restart": cause.restart.value}
    return _kept({**said, "cause": cause.id, **_steps(row.fixes or cause.fixes, cause, vocabulary)})


def kept_step(step: schema.NamedFixFile) -> bytes:
    """A step that cards refer to by its name."""
    return _kept(_spelled_out(step))


def _spelled_out(step: schema.FixFile) -> dict[str, Any]:
    kind: type = type(step)
    risk = step.risk or usual_risk(step.do, step.bash, step.env, changes=bool(step.flags or step.config or step.code))
    return {**adapter_of(kind).dump_python(step, mode="json", exclude_defaults=True), "risk": risk.value}


def _referred(steps: Iterable[schema.AnyFix]) -> list[dict[str, Any]]:
    """Each step: those of fixes/ by their name, with the parameters that are given here, others as they are."""
    found: list[dict[str, Any]] = []
    for step in steps:
        if isinstance(step, schema.FixFile):
            found.append(_spelled_out(step))
        found += [
            {"name": name, "params": params} if params else {"name": name} for name, params in schema.named_steps(step)
        ]
    return found


def _steps(steps: Sequence[schema.AnyFix], cause: Cause, vocabulary: Vocabulary, behind: int = 0) -> dict[str, Any]:
    """The steps; those of the cause that put the message's own words to use; and how many of the first go before these.

    These are all up to the first general one, and so many in any case.
    """
    named = {name for step in steps for name, _ in schema.named_steps(step)}
    general = (place for place, step in enumerate(steps) if not _is_chosen(step, vocabulary))
    first = steps[: max(next(general, len(steps)), behind)]
    quotes = [{"name": name} for name in cause.quotes if name not in named]
    return {"fixes": _referred(steps), "quotes": quotes, "before_quotes": len(_referred(first))}


def _is_chosen(step: schema.AnyFix, vocabulary: Vocabulary) -> bool:
    """Whether something in the log has to ask for the step: its words, what it tells, a framework, a phase, a slot."""
    if not isinstance(step, schema.FixFile):
        known = ((vocabulary.steps.get(name), params) for name, params in schema.named_steps(step))
        return all(one is not None and _asks(one, {**one.params, **params}) for one, params in known)
    return _asks(step, {})


def _asks(step: schema.FixFile, params: Mapping[str, str]) -> bool:
    asks = asks_of_log(with_params(step.do, params), with_params(step.bash, params))
    return asks or any(getattr(step, key) for key in _CHOSEN_BY)


def _kept(plain: Mapping[str, Any]) -> bytes:
    # The old form of `marshal` depends on values alone, not on who else holds them.
    return marshal.dumps({key: value for key, value in plain.items() if value}, 2)
