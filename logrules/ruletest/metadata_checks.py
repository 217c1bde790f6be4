"""What people read and what holds a file together: references, its place."""

import re
from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import urlsplit

from logrules.model.lint_finding import LintFinding
from logrules.ruleset import models as schema
from logrules.ruleset.pack_builder import RuleSource
from logrules.ruletest.lint_targets import cards_in, found


def references(source: RuleSource) -> Iterator[LintFinding]:
    """References that are no addresses of pages."""
    for _, path, card in cards_in(source):
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


def place(source: RuleSource) -> Iterator[LintFinding]:
    """A rule whose file is not called as its id says."""
    match source.file:
        case schema.RuleFile(id=name):
            parts = PurePath(source.document.path).with_suffix("").parts
            wanted = tuple(name.split("/"))
            if parts[-len(wanted) :] != wanted:
                yield found(source, ("id",), "LR112", f"`{name}` belongs in a file {name}.yaml")
