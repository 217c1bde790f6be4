"""The card of a rule, a wait or a row of a table, as it is kept: what its cause's row says put in, steps by name."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TypeVar

from logrules.model.record import replace
from logrules.ruleset import models as schema
from logrules.ruleset.causes import Alternative, Cause
from logrules.ruleset.kept_values import packed
from logrules.ruleset.rule_text import asks_of_log, with_params
from logrules.ruleset.steps import FixFile, KeptCard, Step, named_steps
from logrules.ruleset.tables import ExceptionRow, ExitCode
from logrules.ruleset.usual_risk import usual_risk
from logrules.ruleset.vocabulary import Vocabulary

Fix = TypeVar("Fix", bound=FixFile)


def kept_card(card: schema.CardFile, vocabulary: Vocabulary) -> bytes:
    """What a person reads of a rule."""
    cause = vocabulary.cause(card.cause)
    found = KeptCard(
        card.title,
        card.why,
        card.restart or cause.restart,
        differs_from=card.differs_from,
        references=card.references,
    )
    # What a rule puts first it knows better than the message.
    return _with_steps(found, card.fixes or cause.fixes, cause, vocabulary, least_first=1 if card.fixes else 0)


def kept_row(row: ExceptionRow | ExitCode | Alternative, cause: Cause, vocabulary: Vocabulary) -> bytes:
    """What a person reads of a row that recognised a cause: the words of the cause where it has none of its own."""
    found = KeptCard(row.title or cause.title, row.why or cause.about, cause.restart, cause.id)
    return _with_steps(found, row.fixes or cause.fixes, cause, vocabulary)


def _with_steps(
    card: KeptCard, steps: Sequence[Step], cause: Cause, vocabulary: Vocabulary, least_first: int = 0
) -> bytes:
    """The card with its steps: what the log asks for goes before what quotes the message, and so many in any case."""
    chosen = sum(1 for _ in takewhile(lambda step: _is_chosen(step, vocabulary), steps))
    behind = max(chosen, least_first)
    named = {name for step in steps for name, _ in named_steps(step)}
    told = [with_risk(step) if isinstance(step, FixFile) else step for step in steps]
    quotes = tuple(name for name in cause.quotes if name not in named)
    return packed(replace(card, first=tuple(told[:behind]), quotes=quotes, rest=tuple(told[behind:])))


def with_risk(step: Fix) -> Fix:
    """The step with what it can break, where it does not say that itself."""
    changes = bool(step.flags or step.config or step.code)
    return replace(step, risk=step.risk or usual_risk(step.do, step.bash or "", step.env, changes=changes))


def _is_chosen(step: Step, vocabulary: Vocabulary) -> bool:
    """Whether something in the log has to ask for the step: its words, what it tells, a framework, a phase, a slot."""
    if isinstance(step, FixFile):
        return _asks(step, {})
    known = ((vocabulary.steps.get(name), params) for name, params in named_steps(step))
    return all(one is not None and _asks(one, {**one.params, **params}) for one, params in known)


def _asks(step: FixFile, params: Mapping[str, str]) -> bool:
    chosen_by = (step.where, step.when_told, step.frameworks, step.during)
    return any(chosen_by) or asks_of_log(with_params(step.do, params), with_params(step.bash or "", params))
