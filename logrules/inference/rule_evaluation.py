"""Which rules hold in a run: the states of their conditions, moved by signals, by silence and by failures."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from logrules.inference import conditions, liveness
from logrules.inference.conditions import AbsenceState, LeafState
from logrules.inference.hypothesis import Hypothesis
from logrules.inference.observation import Match, Observation
from logrules.inference.run_state import RunState
from logrules.inference.survival import of_the_last_processes, survived
from logrules.model.change import Change, Raised, StallProlonged, Withdrawn
from logrules.model.record import field, record, replace
from logrules.model.report import Severity
from logrules.ruleset.condition import Detection, Detector, Every, Leaf, Metrical, Stillness
from logrules.ruleset.pack import Rule


@record
class Judged:
    """What a session knows of one rule at one moment.

    ``found`` has the match of every leaf that holds; ``open_waits`` the line that last spoke of each open wait.
    ``refused`` are signals whose words stand on some line but that refuse it: its number, and what speaks against it.
    ``together`` are the conjunctions whose parts were told together.
    """

    states: Mapping[Leaf, LeafState]
    found: Mapping[Leaf, Match | None]
    now: float | None = None
    last: Observation | None = None
    open_waits: Mapping[str, Observation] = field(default_factory=dict)
    refused: Mapping[int, tuple[int, str]] = field(default_factory=dict)
    together: Container[Every] = frozenset()


_MatchOf: TypeAlias = Callable[[Leaf, LeafState | None], Match | None]


class _Matches(dict[Leaf, Match | None]):
    """The match of each leaf of a condition, looked for when it is first asked for: most answers need few of them."""

    def __init__(self, states: Mapping[Leaf, LeafState], match_of: _MatchOf) -> None:
        super().__init__()
        self._states, self._match_of = states, match_of

    def __missing__(self, leaf: Leaf) -> Match | None:
        found = self[leaf] = self._match_of(leaf, self._states.get(leaf))
        return found


class RuleEvaluation:
    """The conditions of all rules in one run. What holds is raised once, and withdrawn when it holds no longer."""

    def __init__(self, run: RunState) -> None:
        self._index = run.job.index
        self._run = run
        self._states: dict[str, dict[Leaf, LeafState]] = {}
        self._together: set[Every] = set()
        self._raised: dict[str, Rule] = {}
        self._worse_at: dict[str, float] = {}
        # When the next worker may be left behind, as of the last judgement: what comes is judged soon anyway.
        self._behind_at = float("inf")

    def deadlines(self) -> Iterator[float]:
        """The moments at which silence alone may change an answer."""
        for states in self._states.values():
            for state in states.values():
                if isinstance(state, AbsenceState) and state.deadline is not None:
                    yield state.deadline
        yield from liveness.deadlines(self._run)
        yield self._run.next_step_due()
        yield self._behind_at
        yield from self._worse_at.values()

    def judged(self, rule_id: str) -> Judged:
        """What is known of a rule's condition now."""
        states = self._states.get(rule_id, {})
        found = {leaf: self._match_of(leaf, states.get(leaf)) for leaf in self._index.leaves(rule_id)}
        waits = {wait.wait.id: wait.renewed for wait in self._run.tracker.waits.open()}
        together = self._told_together(rule_id, found)
        return Judged(states, found, self._run.now, self._run.last, waits, together=together)

    def move(self, observation: Observation, signal: int) -> Iterator[Change]:
        """Take a signal of a line to the rules that ask for it."""
        for rule, moved in self._index.moved_by(signal):
            states = self._states.setdefault(rule.id, {})
            for leaf in moved:
                state = states.get(leaf)
                if isinstance(state, Match) and survived(self._run, rule, state):
                    state = None
                after = conditions.step(leaf, state, observation, signal)
                if after is not None:
                    states[leaf] = after
            yield from self._judge(rule)

    def judge_silence(self) -> Iterator[Change]:
        """Judge the rules whose answer silence can have changed."""
        for rule in self._silent_now():
            yield from self._judge(rule)
        now, run = self._run.now, self._run
        due = run.laggards.deadlines() if liveness.may_be_behind(run) else iter(())
        self._behind_at = min((at for at in due if now is None or at > now), default=float("inf"))

    def judge_broken_silence(self) -> Iterator[Change]:
        """Judge what a word from the job may withdraw, whatever it says.

        Whether it moves a loop is known once it is read: until then a loop's stall stands.
        """
        for rule in [one for one in self._raised.values() if one.id in self._index.silence.by_id]:
            if not self._detects(rule.id, Detection.OVERDUE):
                yield from self._judge(rule)

    def judge_moves(self) -> Iterator[Change]:
        """Judge the stalls that a line may end which says where its writer is."""
        for rule_id in tuple(self._worse_at):
            if self._detects(rule_id, Detection.OVERDUE):
                yield from self._judge(self._raised[rule_id])

    def judge_stalls(self) -> Iterator[Change]:
        """Stalls that last: told of again whenever they are twice as long as before."""
        now = self._run.now
        for rule_id, at in tuple(self._worse_at.items()):
            quiet_s = self._stalled_for(self._raised[rule_id])
            if now is None or quiet_s is None or now < at:
                continue
            self._worse_at[rule_id] = now + quiet_s
            yield StallProlonged(rule_id, now, quiet_s)

    def end_stalls(self) -> Iterator[Change]:
        """Take back the stalls that were told: another run begins, so nobody waits in this one any more."""
        for rule_id in tuple(self._worse_at):
            del self._worse_at[rule_id], self._raised[rule_id]
            yield Withdrawn(rule_id, self._run.now)

    def judge_failures(self) -> Iterator[Change]:
        """What the tables know of the failures so far: told once, taken back where a record grew into another."""
        held = self._run.failures.rules()
        for name in sorted(held):
            if name not in self._raised and (rule := self._run.pack.rules.named(name)) is not None:
                self._raised[name] = rule
                yield Raised(name, self._run.now)
        for rule in tuple(self._raised.values()):
            if rule.from_table and rule.id not in held:
                del self._raised[rule.id]
                yield Withdrawn(rule.id, self._run.now)

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Everything that holds now, by condition or by table. Changes nothing."""
        silent = (rule.id for rule in self._silent_now())
        for rule in map(self._index.rule, dict.fromkeys([*self._states, *silent])):
            found = self._found(rule)
            if self._holds(rule, found) and (matches := conditions.shown(rule.when, found)):
                yield self._hypothesis(rule, matches)
        for rule in filter(None, map(self._run.pack.rules.named, self._run.failures.rules())):
            yield self._hypothesis(rule, self._shown(rule))

    def failing(self) -> bool:
        """Whether an error stands that the run has not survived."""
        errors = [rule for rule in self._raised.values() if rule.severity is Severity.ERROR]
        return any(self._stands(rule) for rule in errors)

    def alarms(self) -> Iterator[Rule]:
        """What stands that is more than a remark: an error or a stall that the run has not survived.

        A wait that is open does not: it is only presumed where the log ends.
        """
        told = [rule for rule in self._raised.values() if rule.severity is not Severity.INFO and rule.wait is None]
        return filter(self._stands, told)

    def _stands(self, rule: Rule) -> bool:
        """Whether the run has not survived what a rule tells; silence is over where its rule holds no longer."""
        return rule.id in self._index.silence.by_id or not self._lived_through(rule, self._shown(rule))

    def _judge(self, rule: Rule) -> Iterator[Change]:
        found = self._found(rule)
        # What was told together once stays so, however much of each is told later.
        self._together |= self._told_together(rule.id, found)
        true = self._holds(rule, found)
        if true and rule.id not in self._raised:
            self._raised[rule.id] = rule
            quiet_s = self._stalled_for(rule)
            if quiet_s is not None and self._run.now is not None:
                self._worse_at[rule.id] = self._run.now + quiet_s
            yield Raised(rule.id, self._run.now, quiet_s)
        elif not true and self._raised.pop(rule.id, None) is not None:
            self._worse_at.pop(rule.id, None)
            yield Withdrawn(rule.id, self._run.now)

    def _hypothesis(self, rule: Rule, matches: Sequence[Match]) -> Hypothesis:
        told = tuple(of_the_last_processes(self._run, match) for match in matches)
        waits = self._run.tracker.waits.open(rule.wait) if rule.wait is not None else ()
        overdue = any(one.is_overdue(self._run.now) for one in waits)
        return Hypothesis(rule, told, self._lived_through(rule, matches), overdue=overdue)

    def _shown(self, rule: Rule) -> tuple[Match, ...]:
        """On what a rule rests that holds: the matches of its condition, or that of its row."""
        if rule.from_table:
            return (self._run.failures.match_of(rule.id),)
        return conditions.shown(rule.when, self._found(rule))

    def _found(self, rule: Rule) -> _Matches:
        return _Matches(self._states.get(rule.id, {}), self._match_of)

    def _match_of(self, leaf: Leaf, state: LeafState | None) -> Match | None:
        if isinstance(leaf, Stillness):
            found = liveness.match_of(leaf, self._run)
            may_be = found is not None and isinstance(leaf, Detector) and leaf.kind in liveness.EXPLAINED_BY_FAILURE
            return None if may_be and self.failing() else found
        if isinstance(leaf, Metrical):
            return self._run.metrics.match_of(leaf)
        return conditions.match_of(leaf, state, self._run.now, ended=self._run.job.ended)

    def _holds(self, rule: Rule, found: Mapping[Leaf, Match | None]) -> bool:
        if rule.requires and self._run.frameworks.names.isdisjoint(rule.requires):
            return False
        return conditions.holds(rule.when, found, self._told_together(rule.id, found))

    def _told_together(self, rule_id: str, found: Mapping[Leaf, Match | None]) -> set[Every]:
        """The conjunctions whose parts are, or once were, told together."""
        asked = self._index.joint(rule_id)
        now = {one for one in asked if one not in self._together and conditions.told_as_one(one, found)}
        return self._together | now if now else self._together

    def _detects(self, rule_id: str, kind: Detection) -> bool:
        return any(isinstance(leaf, Detector) and leaf.kind is kind for leaf in self._index.leaves(rule_id))

    def _silent_now(self) -> Iterable[Rule]:
        """The rules whose answer silence can change now: most have seen nothing yet that they ask for."""
        waiting = {wait.wait.id for wait in self._run.tracker.waits.open()}
        printed, asked = self._run.metrics.printed, self._index.silence.metrics_of
        for rule_id, rule in self._index.silence.by_id.items():
            if rule_id in self._states or rule_id in self._raised:
                yield rule
            elif rule.wait is not None:
                if rule.wait in waiting:
                    yield rule
            elif rule_id not in asked or not printed.isdisjoint(asked[rule_id]):
                yield rule

    def _stalled_for(self, rule: Rule) -> float | None:
        """How long nothing has moved, where that is what the rule says; never nothing."""
        if rule.id not in self._index.silence.by_id or not rule.stall or self._run.now is None:
            return None
        if rule.wait is not None:
            since = [wait.since for wait in self._run.tracker.waits.open(rule.wait)]
            return max((self._run.now - at for at in since if at is not None), default=None)
        shown, begun = self._shown(rule), self._run.job.activity.begun
        if self._detects(rule.id, Detection.POLLING):
            # It has waited since the first of these lines; the last came just now.
            shown = tuple(replace(match, last=match.first[0]) for match in shown)
        last = max((match.last.heard for match in shown if match.last.heard is not None), default=begun)
        return None if last is None else max(self._run.now - last, 1.0)

    def _lived_through(self, rule: Rule, matches: Iterable[Match]) -> bool:
        """Whether the run went on after these matches of a rule, or the records of its row say that themselves."""
        caught = rule.from_table and self._run.failures.were_caught(rule.id)
        return caught or all(survived(self._run, rule, match) for match in matches)
