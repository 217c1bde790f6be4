"""Rules that always fire together: on every example and every captured log on which one does, so does the other."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from logrules.engine.run import Prepared
from logrules.inference.session import Session
from logrules.model.position import Problem
from logrules.ruleset import models as schema
from logrules.ruleset.rule_file import RuleSource
from logrules.ruletest.harness import events_of_example, held, judged, on_all_cores, run_saved
from logrules.ruletest.rule_tests import Case, Example

# Of fewer logs nothing follows.
LEAST_LOGS = 3

Fired: TypeAlias = frozenset[str]
# The rules that fired on a log, and how many examples or cases have that log.
Seen: TypeAlias = tuple[Fired, int]


def duplicate_rules(
    sources: Sequence[RuleSource],
    on: Prepared,
    examples: Sequence[Example],
    cases: Sequence[Case],
    processes: int | None,
) -> Iterator[Problem]:
    """The rules in ``sources`` that fire on just the same examples and cases as another rule."""
    names = frozenset(source.file.id for source in sources if isinstance(source.file, schema.RuleFile))
    times = Counter(map(_log_of, examples))
    fired: dict[object, Fired] = {}

    def run(is_asked: Callable[[Example], bool]) -> list[Seen]:
        """Run what is asked for, each log once, and say what came of all that was run so far."""
        new = {log: one for one in examples if is_asked(one) and (log := _log_of(one)) not in fired}
        fired.update(zip(new, on_all_cores(_fired_on_example, list(new.values()), on, processes), strict=True))
        return [(rules, times[log]) for log, rules in fired.items()]

    # One log tells most rules from all others. Only where some are left does it take every log to count them.
    near = _unsettled(names, run(lambda one: one.owner in names and one.number == 1))
    if not _unsettled(names, run(lambda one: one.owner in near)):
        return
    rivals = _rivals(names, run(lambda one: one.owner in names))
    seen = run(lambda one: one.owner in rivals)
    if _partners(seen):
        logs = [case for case in cases if not case.script]
        seen += [(rules, 1) for rules in on_all_cores(_fired_on_case, logs, on, processes, few=2)]
    partners = _partners(seen)
    for source in sources:
        match source.file:
            case schema.RuleFile(id=name) if name in partners:
                message = f"`{name}` and `{partners[name]}` fire on the same logs, and never one without the other"
                yield source.problem(("when",), message, code="LR107")


def _unsettled(names: Fired, seen: Sequence[Seen]) -> Fired:
    """The rules that may yet be somebody's twin, and whose."""
    logs = _logs_of(seen)
    same = [rules for rules in _by_logs(logs).values() if len(rules) > 1]
    return frozenset(rule for rules in same for rule in rules if names.intersection(rules)) | (names - logs.keys())


def _log_of(example: Example) -> object:
    """All of an example that can make a rule fire."""
    return example.log, example.quiet_s, example.dumps


def _rivals(names: Fired, seen: Sequence[Seen]) -> Fired:
    """The rules that fired wherever one of these did: only they can be its duplicates."""
    found: set[str] = set()
    for name in names:
        logs = [fired for fired, _ in seen if name in fired]
        if logs:
            found |= frozenset.intersection(*logs)
    return frozenset(found)


def _partners(seen: Sequence[Seen]) -> dict[str, str]:
    """The rules that always fired together with another, and that other."""
    partners: dict[str, str] = {}
    for numbers, rules in _by_logs(_logs_of(seen)).items():
        if len(rules) > 1 and sum(seen[number][1] for number in numbers) >= LEAST_LOGS:
            *others, last = sorted(rules)
            partners |= {**dict.fromkeys(others, last), last: others[-1]}
    return partners


def _logs_of(seen: Sequence[Seen]) -> dict[str, set[int]]:
    """On which of these each rule fired."""
    logs: dict[str, set[int]] = {}
    for number, (fired, _) in enumerate(seen):
        for rule in fired:
            logs.setdefault(rule, set()).add(number)
    return logs


def _by_logs(logs: Mapping[str, set[int]]) -> dict[frozenset[int], list[str]]:
    """The rules that fired on just the same."""
    same: dict[frozenset[int], list[str]] = {}
    for rule, numbers in logs.items():
        same.setdefault(frozenset(numbers), []).append(rule)
    return same


def _fired_on_example(on: Prepared, example: Example) -> Fired:
    return _fired(on, judged(on, events_of_example(on, example), example.quiet_s))


def _fired_on_case(on: Prepared, case: Case) -> Fired:
    session = on.session()
    run_saved(on, session, case.logs)
    return _fired(on, session)


def _fired(on: Prepared, session: Session) -> Fired:
    """The rules that fired; a row of a table may well stand behind a rule that says more."""
    return frozenset(rule for rule in held(session) if not on.index.rule(rule).from_table)
