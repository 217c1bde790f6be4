"""What people read and what holds a file together: references, captures, its place."""

import json
import re
from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import urlsplit

from logrules.model.lint_finding import LintFinding
from logrules.ruleset import models as schema
from logrules.ruleset.pack_builder import RuleSource
from logrules.ruleset.pattern import compiled
from logrules.ruletest.lint_targets import cards_in, found, signals_in

_SLOT = re.compile(r"\{([a-z_]+)\}")
# What a whole traceback tells without a pattern.
_TRACEBACK = ("type", "message", "file", "line", "function", "summary")
_SLOTTED = ("do", "run", "env", "flags", "config", "code", "note")


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
            for name in _asked(fix):
                if name not in known:
                    yield found(source, (*path, "fixes", number), "LR113", f"no pattern captures `{name}`")
        for number, example in enumerate(card.examples.fires):
            for name in example.captures:
                if name not in known:
                    place = (*path, "examples", "fires", number, "captures", name)
                    yield found(source, place, "LR113", f"no pattern captures `{name}`")


def _groups(signal: schema.SignalFile) -> tuple[str, ...]:
    told = _TRACEBACK if signal.in_ else ()
    return (*told, *compiled(signal.pattern).groupindex) if signal.pattern else told


def _asked(fix: schema.AnyFix) -> Iterator[str]:
    """The captures that a step which is spelled out asks for.

    In code and in shell words such as ``${name}`` braces are the language's own: only where a sentence has them too
    are they ours.
    """
    if isinstance(fix, schema.FixFile):
        said = json.dumps(fix.model_dump(mode="json", include=set(_SLOTTED)), ensure_ascii=False)
        sentences = f"{fix.do} {fix.note or ''}"
        yield from (name for name in dict.fromkeys(_SLOT.findall(said)) if f"{{{name}}}" in sentences)


def place(source: RuleSource) -> Iterator[LintFinding]:
    """A rule whose file is not called as its id says."""
    match source.file:
        case schema.RuleFile(id=name):
            parts = PurePath(source.document.path).with_suffix("").parts
            wanted = tuple(name.split("/"))
            if parts[-len(wanted) :] != wanted:
                yield found(source, ("id",), "LR112", f"`{name}` belongs in a file {name}.yaml")
