"""What rule files show by themselves: their place, a draft's sentences, signals and waits that nobody asks for."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import PurePath

from logrules.model.position import NodePath, Problem
from logrules.ruleset import models as schema
from logrules.ruleset.framework_builder import qualified
from logrules.ruleset.framework_models import FrameworkFile
from logrules.ruleset.rule_file import RuleSource
from logrules.ruleset.tables import Tables
from logrules.ruleset.when import ConditionFault, parse_when
from logrules.ruletest.file_contents import cards_in, signals_in

_NAME = re.compile(r"[a-z][a-z0-9_]*")
TITLE = "Write what went wrong"
WHY = "Write why it happens."
STEP = "Write what to try first"
_ALL = frozenset({TITLE, WHY, STEP})


def place(source: RuleSource) -> Iterator[Problem]:
    """A rule whose file is not called as its id says."""
    match source.file:
        case schema.RuleFile(id=name):
            parts = PurePath(source.document.path).with_suffix("").parts
            wanted = tuple(name.split("/"))
            if parts[-len(wanted) :] != wanted:
                yield source.problem(("id",), f"`{name}` belongs in a file {name}.yaml", code="LR112")


def unused_signals(source: RuleSource) -> Iterator[Problem]:
    """Signals of a rule whose name is not in its `when`; none where that cannot be understood: one may be misspelt."""
    match source.file:
        case schema.RuleFile(when=str() as when, with_=evidence) if _understood(when, source):
            asked = {*_NAME.findall(when), *evidence}
            for here in signals_in(source):
                if here.name not in asked:
                    message = f"the signal `{here.name}` is not in `when`"
                    yield here.problem("LR101", message, removes=here.at)


def _understood(when: str, source: RuleSource) -> bool:
    try:
        parse_when(when, {here.name: number for number, here in enumerate(signals_in(source))})
    except ConditionFault:
        return False
    return True


def unopened_waits(sources: Sequence[RuleSource], opened: Collection[str]) -> Iterator[Problem]:
    """Waits in ``sources`` that are not among those that markers open."""
    for source in sources:
        match source.file:
            case FrameworkFile(framework=framework, waits=waits):
                for number, wait in enumerate(waits):
                    if f"{framework}/{wait.id}" not in opened:
                        yield source.problem(("waits", number), f"no marker opens the wait `{wait.id}`", code="LR101")


def opened_waits(sources: Iterable[RuleSource]) -> Iterator[str]:
    """The waits that the markers in these files open."""
    for source in sources:
        if isinstance(source.file, FrameworkFile):
            yield from qualified((name for marker in source.file.markers for name in marker.opens), source.file)


def placeholders(source: RuleSource) -> Iterator[Problem]:
    """Sentences of a draft that nobody has written yet."""
    for path, text in _sentences(source):
        if text in _ALL:
            yield source.problem(path, f"`{text}` is left for you to write", code="LR114")


def _sentences(source: RuleSource) -> Iterator[tuple[NodePath, str | None]]:
    for _, path, card in cards_in(source):
        yield (*path, "title"), card.title
        yield (*path, "why"), card.why
        for number, fix in enumerate(card.fixes):
            if isinstance(fix, schema.FixFile):
                yield (*path, "fixes", number), fix.do
    if isinstance(source.file, Tables):
        for number, row in enumerate(source.file.exceptions):
            yield ("exceptions", number, "title"), row.title
            yield ("exceptions", number, "why"), row.why
