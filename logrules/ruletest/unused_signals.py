"""Signals that no condition asks for, and waits that no marker opens."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from logrules.model.lint_finding import LintFinding
from logrules.ruleset import models as schema
from logrules.ruleset.framework_builder import qualified
from logrules.ruleset.framework_models import FrameworkFile
from logrules.ruleset.pack_builder import RuleSource
from logrules.ruleset.when import ConditionFault, parse_when
from logrules.ruletest.lint_targets import found, signals_in

_NAME = re.compile(r"[a-z][a-z0-9_]*")


def dead_signals(source: RuleSource) -> Iterator[LintFinding]:
    """Signals of a rule whose name is not in its `when`; none where that cannot be understood: one may be misspelt."""
    match source.file:
        case schema.RuleFile(when=str() as when, with_=evidence) if _understood(when, source):
            asked = {*_NAME.findall(when), *evidence}
            for here in signals_in(source):
                if here.name not in asked:
                    message = f"the signal `{here.name}` is not in `when`"
                    yield here.finding("LR101", message, removes=here.at)


def _understood(when: str, source: RuleSource) -> bool:
    try:
        parse_when(when, {here.name: number for number, here in enumerate(signals_in(source))})
    except ConditionFault:
        return False
    return True


def dead_waits(sources: Sequence[RuleSource], opened: Collection[str]) -> Iterator[LintFinding]:
    """Waits in ``sources`` that are not among those that markers open."""
    for source in sources:
        match source.file:
            case FrameworkFile(framework=framework, waits=waits):
                for number, wait in enumerate(waits):
                    if f"{framework}/{wait.id}" not in opened:
                        yield found(source, ("waits", number), "LR101", f"no marker opens the wait `{wait.id}`")


def opened_waits(sources: Iterable[RuleSource]) -> Iterator[str]:
    """The waits that the markers in these files open."""
    for source in sources:
        if isinstance(source.file, FrameworkFile):
            yield from qualified((name for marker in source.file.markers for name in marker.opens), source.file)
