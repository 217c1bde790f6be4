"""Rules that always fire together: on every example and every captured log on which one does, so does the other."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from logrules.engine.run import Prepared
from logrules.inference.session import Session
from logrules.model.lint_finding import LintFinding
from logrules.ruleset import models as schema
from logrules.ruleset.pack_builder import RuleSource
from logrules.ruletest.case import Case
from logrules.ruletest.harness import events_of, held, judged, run_saved
from logrules.ruletest.lint_targets import found
from logrules.ruletest.runner import on_all_cores
from logrules.ruletest.suite import Example

# Of fewer logs nothing follows.
LEAST_LOGS = 3

Fired = frozenset[str]


def duplicate_rules(
    sources: Sequence[RuleSource],
    on: Prepared,
    examples: Sequence[Example],
    cases: Sequence[Case],
    processes: int | None,
) -> Iterator[LintFinding]:
    """The rules in ``sources`` that fire on just the same examples and cases as another rule."""
    names = frozenset(name for source in sources for name in _rules_of(source))
    seen = list(on_all_cores(_fired_on_example, [one for one in examples if one.owner in names], on, processes))
    rivals = _rivals(names, seen) - names
    others = [one for one in examples if one.owner in rivals]
    seen += on_all_cores(_fired_on_example, others, on, processes)
    if any(_always_together(seen)):
        seen += on_all_cores(_fired_on_case, [case for case in cases if not case.script], on, processes, few=2)
    partners = {one: other for pair in _always_together(seen) for one, other in (pair, pair[::-1])}
    for source in sources:
        match source.file:
            case schema.RuleFile(id=name) if name in partners:
                message = f"`{name}` and `{partners[name]}` fire on the same logs, and never one without the other"
                yield found(source, ("when",), "LR107", message)


def _rules_of(source: RuleSource) -> Iterator[str]:
    match source.file:
        case schema.RuleFile(id=name):
            yield name


def _rivals(names: Fired, seen: Sequence[Fired]) -> Fired:
    """The rules that fired wherever one of these did: only they can be its duplicates."""
    found: set[str] = set()
    for name in names:
        logs = [fired for fired in seen if name in fired]
        if logs:
            found |= frozenset.intersection(*logs) - {name}
    return frozenset(found)


def _always_together(seen: Sequence[Fired]) -> Iterator[tuple[str, str]]:
    logs: dict[str, set[int]] = {}
    for number, fired in enumerate(seen):
        for rule in fired:
            logs.setdefault(rule, set()).add(number)
    same: dict[frozenset[int], list[str]] = {}
    for rule, numbers in logs.items():
        if len(numbers) >= LEAST_LOGS:
            same.setdefault(frozenset(numbers), []).append(rule)
    for rules in same.values():
        yield from combinations(sorted(rules), 2)


def _fired_on_example(on: Prepared, example: Example) -> Fired:
    return _fired(on, judged(on, events_of(on, example.log), example.quiet_s))


def _fired_on_case(on: Prepared, case: Case) -> Fired:
    session = on.session()
    run_saved(on, session, case.logs)
    return _fired(on, session)


def _fired(on: Prepared, session: Session) -> Fired:
    """The rules that fired; a row of a table may well stand behind a rule that says more."""
    return frozenset(rule for rule in held(session) if not on.index.rules[rule].from_table)
