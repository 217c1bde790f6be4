"""What rules and samples ask for of a log and no pattern takes from it."""

from collections.abc import Collection, Iterator

from logrules.inference.slot_values import OF_ANY_RULE
from logrules.model.position import NodePath, Problem
from logrules.ruleset import models as schema
from logrules.ruleset.misspelling import near_hint
from logrules.ruleset.pack import Pack
from logrules.ruleset.pattern import compiled
from logrules.ruleset.rule_file import RuleSource
from logrules.ruleset.rule_text import SLOT, filled
from logrules.ruleset.vocabulary import Vocabulary
from logrules.ruletest.file_contents import cards_in, signals_in

# What a whole traceback tells without a pattern.
_TRACEBACK = ("type", "message", "file", "line", "function", "summary")


def missing_captures(source: RuleSource, pack: Pack, vocabulary: Vocabulary) -> Iterator[Problem]:
    """Captures that texts, steps or examples of a file's cards name, and that nothing fills."""
    captured = frozenset(name for here in signals_in(source) for name in _groups(here.signal))
    told = captured | OF_ANY_RULE | {one.id for one in pack.tables.told_names}
    fillable = told | {one.id for one in pack.tables.other_names if one.of in told}
    fillable |= {one.id for one in pack.tables.numbers if told.issuperset(one.of)}
    asked = {*fillable, *(f"first_{metric.metric}" for metric in pack.metrics), *(one.id for one in pack.frameworks)}
    for _, path, card in cards_in(source):
        for at, text in _texts(path, card, vocabulary):
            for name in dict.fromkeys(slot[1] for slot in SLOT.finditer(text)):
                if name not in fillable:
                    yield _unfilled(source, at, name, fillable)
        yield from _unknown_conditions(source, path, card, vocabulary, asked)
        for number, example in enumerate(card.examples.fires):
            for name in example.captures:
                if name not in captured:
                    yield _unfilled(source, (*path, "examples", "fires", number, "captures", name), name, captured)


def _unknown_conditions(
    source: RuleSource, path: NodePath, card: schema.CardFile, vocabulary: Vocabulary, asked: Collection[str]
) -> Iterator[Problem]:
    """Names that the conditions of steps ask for, and that no log tells."""
    for number, step in enumerate(card.fixes):
        named = [known for name, _ in schema.named_steps(step) if (known := vocabulary.steps.get(name)) is not None]
        told = [step] if isinstance(step, schema.FixFile) else named
        for name in dict.fromkeys(name for known in told for name in _conditions(known)):
            if name not in asked:
                yield _unfilled(source, (*path, "fixes", number), name, asked)


def _unfilled(source: RuleSource, at: NodePath, name: str, known: Collection[str]) -> Problem:
    return source.problem(at, f"no pattern captures `{name}`", near_hint(name, known), code="LR113")


def _groups(signal: schema.SignalFile) -> tuple[str, ...]:
    told = _TRACEBACK if signal.in_ else ()
    return (*told, *compiled(signal.pattern).groupindex) if signal.pattern else told


def _texts(path: NodePath, card: schema.CardFile, vocabulary: Vocabulary) -> Iterator[tuple[NodePath, str]]:
    """What is filled with captures, each with its place."""
    yield (*path, "title"), card.title or ""
    yield (*path, "why"), card.why or ""
    for number, step in enumerate(card.fixes):
        if isinstance(step, schema.FixFile):
            yield (*path, "fixes", number), _slotted(step)
        for name, params in schema.named_steps(step):
            if (known := vocabulary.steps.get(name)) is not None:
                yield (*path, "fixes", number), str(filled(_slotted(known), {**known.params, **params}))


def _conditions(step: schema.FixFile) -> tuple[str, ...]:
    """The names that its conditions ask for; variables have names of their own."""
    return tuple(name for name in (*step.when_told, *step.unless_told) if not name.isupper())


def _slotted(step: schema.FixFile) -> str:
    """The step's sentences and commands. In code braces are the language's own."""
    powershell = step.run.powershell if isinstance(step.run, schema.RunFile) else None
    return "\n".join(filter(None, (step.do, step.note, step.bash, powershell, *step.env.values(), *step.flags)))
