"""The sentences that a draft leaves to its author, and what finds those that are still there."""

from collections.abc import Iterator

from logrules.model.lint_finding import LintFinding, NodePath
from logrules.ruleset import models as schema
from logrules.ruleset.pack_builder import RuleSource
from logrules.ruleset.table_reader import ExceptionsFile
from logrules.ruletest.lint_targets import cards_in, found

TITLE = "Write what went wrong"
WHY = "Write why it happens."
STEP = "Write what to try first"
_ALL = frozenset({TITLE, WHY, STEP})


def placeholders(source: RuleSource) -> Iterator[LintFinding]:
    """Sentences of a draft that nobody has written yet."""
    for path, text in _sentences(source):
        if text in _ALL:
            yield found(source, path, "LR114", f"`{text}` is left for you to write")


def _sentences(source: RuleSource) -> Iterator[tuple[NodePath, str | None]]:
    for _, path, card in cards_in(source):
        yield (*path, "title"), card.title
        yield (*path, "why"), card.why
        for number, fix in enumerate(card.fixes):
            if isinstance(fix, schema.FixFile):
                yield (*path, "fixes", number), fix.do
    if isinstance(source.file, ExceptionsFile):
        for number, row in enumerate(source.file.exceptions):
            yield ("exceptions", number, "title"), row.title
            yield ("exceptions", number, "why"), row.why
