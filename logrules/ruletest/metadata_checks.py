"""What people read and what holds a file together: translations, examples, references, captures, its place."""

import json
import re
from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import urlsplit

from logrules.model.lint_finding import LintFinding, NodePath
from logrules.ruleset import models as schema
from logrules.ruleset.pack_builder import RuleSource
from logrules.ruleset.pattern import compiled
from logrules.ruletest.lint_targets import cards_in, found, signals_in

# Characters, or the full-width marks that stand around a command.
_CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
_SENTENCE = re.compile(r"(?:[A-Za-z]+[,;]? ){3,}[A-Za-z]+")
_SLOT = re.compile(r"\{([a-z_]+)\}")
# What a whole traceback tells without a pattern.
_TRACEBACK = ("type", "message", "file", "line", "function")
_SLOTTED = ("do", "run", "env", "flags", "config", "code", "note")


def translations(source: RuleSource) -> Iterator[LintFinding]:
    """Sentences in `zh` without a Chinese character: the English was left there. A command needs no translation."""
    for path, text in _texts(source.document.data, ()):
        if isinstance(text["zh"], str) and not _CHINESE.search(text["zh"]) and _SENTENCE.search(text["zh"]):
            yield found(source, (*path, "zh"), "LR109", "`zh` is not in Chinese")


def _texts(data: object, path: NodePath) -> Iterator[tuple[NodePath, dict[str, str]]]:
    if isinstance(data, dict):
        if data.keys() == {"en", "zh"}:
            yield path, data
            return
        for key, item in data.items():
            yield from _texts(item, (*path, key))
    elif isinstance(data, list):
        for number, item in enumerate(data):
            yield from _texts(item, (*path, number))


def examples(source: RuleSource) -> Iterator[LintFinding]:
    """Cards without an example that fires, or without one that does not."""
    for path, card in cards_in(source):
        fires = {example.fires is not False for example in card.examples}
        if fires != {True, False}:
            what = "near miss: all examples fire" if fires == {True} else "example that fires"
            yield found(source, (*path, "examples"), "LR110", f"there is no {what}")


def references(source: RuleSource) -> Iterator[LintFinding]:
    """References that are no addresses of pages."""
    for path, card in cards_in(source):
        for number, address in enumerate(card.references):
            if not is_address(address):
                yield found(source, (*path, "references", number), "LR111", f"`{address}` is no address of a page")


def is_address(text: str) -> bool:
    """Whether a text is the address of a page on the web."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and "." in parts.netloc and not re.search(r"\s", text)


def captures(source: RuleSource) -> Iterator[LintFinding]:
    """Captures that fixes or examples name and no pattern fills."""
    known = frozenset(name for here in signals_in(source) for name in _groups(here.signal))
    for path, card in cards_in(source):
        for number, fix in enumerate(card.fixes):
            said = json.dumps(fix.model_dump(mode="json", include=set(_SLOTTED)), ensure_ascii=False)
            for name in dict.fromkeys(_SLOT.findall(said)):
                if name not in known and _is_capture(name, fix):
                    yield found(source, (*path, "fixes", number), "LR113", f"no pattern captures `{name}`")
        for number, example in enumerate(card.examples):
            wanted = example.fires.captures if isinstance(example.fires, schema.FiresFile) else {}
            for name in wanted:
                if name not in known:
                    place = (*path, "examples", number, "fires", "captures", name)
                    yield found(source, place, "LR113", f"no pattern captures `{name}`")


def _groups(signal: schema.SignalFile) -> tuple[str, ...]:
    told = _TRACEBACK if signal.record else ()
    return (*told, *compiled(signal.pattern).groupindex) if signal.pattern else told


def _is_capture(name: str, fix: schema.FixFile) -> bool:
    """Whether braces are ours: in code and in shell words such as ``${name}`` they are the language's own."""
    sentences = [fix.do.en, fix.do.zh, *((fix.note.en, fix.note.zh) if fix.note else ())]
    return any(f"{{{name}}}" in text for text in sentences)


def place(source: RuleSource) -> Iterator[LintFinding]:
    """A rule whose file is not called as its id says."""
    match source.file:
        case schema.RuleFile(id=name):
            parts = PurePath(source.document.path).with_suffix("").parts
            wanted = tuple(name.split("/"))
            if parts[-len(wanted) :] != wanted:
                yield found(source, ("id",), "LR112", f"`{name}` belongs in a file {name}.yaml")
