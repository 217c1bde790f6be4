"""The only state past the source: routes events by signal, holds what rules have seen, nothing clever."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from logrules.inference import conditions as automata
from logrules.inference import liveness as silence
from logrules.inference import step_time as pace
from logrules.inference.clock import Clock
from logrules.inference.condition_trace import Judged
from logrules.inference.conditions import LeafState
from logrules.inference.diagnosis import SessionState, report_of
from logrules.inference.ending import Endings
from logrules.inference.evidence_ownership import ends_of, unclaimed
from logrules.inference.failures import Failures, captures_of
from logrules.inference.liveness import Activity, JobSnapshot
from logrules.inference.metrics import MetricStates
from logrules.inference.observation import Match, Observation
from logrules.inference.outliers import Outliers
from logrules.inference.rank_table import RankTable
from logrules.inference.ranking import Hypothesis
from logrules.inference.rule_index import Index, index_of
from logrules.inference.time_series import CurveSampler
from logrules.inference.workers import WorkerTracker
from logrules.model.change import Change, Raised, StallProlonged, Withdrawn
from logrules.model.event import Event, Hit, Stance
from logrules.model.failure import Failure
from logrules.model.report import Report, Run, Severity, SourceNote
from logrules.model.stream import BytesArrived, End, Tick
from logrules.model.worker_status import WorkerNow
from logrules.parsing.captures import Captures
from logrules.ruleset.condition import (
    Every,
    Lagging,
    Leaf,
    MetricBound,
    MetricIs,
    MetricSpike,
    MetricTrend,
    Overdue,
    Quiet,
    Silent,
    Stopped,
    Waiting,
)
from logrules.ruleset.pack import Pack, Rule

# A run that makes this many rounds of progress after an error has survived it.
SURVIVAL_ROUNDS = 3
# A writer that said it was over and then makes so many is another one: a new run in the same log.
NEW_RUN_ROUNDS = 20


class Session:
    """Follows one job. ``feed`` takes events, ticks and the end in order; ``report`` may be called at any moment.

    ``reference`` is the time (seconds since the epoch) by which stamps without a year are read. Many sessions
    of one pack may share its ``index`` and the patterns compiled in ``captures``.
    """

    def __init__(
        self,
        pack: Pack,
        reference: float | None = None,
        *,
        index: Index | None = None,
        captures: Captures | None = None,
    ) -> None:
        self._pack = pack
        self._clock = Clock(reference)
        self._captures = captures or Captures()
        self._index = index or index_of(pack)
        self._rules, self._leaves = self._index.rules, self._index.leaves
        self._by_signal, self._silent = self._index.by_signal, self._index.silent
        self._markers = self._index.markers
        self._quiet_limits, self._silent_limits = self._index.quiet_limits, self._index.silent_limits
        self._ends = ends_of(pack)
        self._earlier: list[Run] = []
        self._lines: dict[str, int] = {}
        self._endings = Endings()
        self._notes: list[SourceNote] = []
        self._order = 0
        self._end: End | None = None
        self._ear = Activity()
        self._first_line = 1
        self._begin_run()

    def _begin_run(self) -> None:
        self._tracker = WorkerTracker(self._pack)
        self._failures = Failures(self._index.failures)
        self._metrics = MetricStates(self._index.asked, self._index.metrics)
        self._states: dict[str, dict[Leaf, LeafState]] = {}
        self._together: set[Every] = set()
        self._frameworks: set[str] = set()
        self._raised: dict[str, Rule] = {}
        self._worse_at: dict[str, float] = {}
        self._curves = CurveSampler()
        self._unusual = Outliers()
        self._last: Observation | None = None
        self._roll = RankTable()

    @property
    def now(self) -> float | None:
        """The job's time: the latest at which anything came, or told by ticks; for a saved log by its lines."""
        return self._clock.now

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self._end is not None

    @property
    def deadline(self) -> float | None:
        """The next moment at which silence alone changes an answer; None where silence changes nothing."""
        pending = [
            at
            for states in self._states.values()
            for leaf, state in states.items()
            if (at := automata.deadline_of(leaf, state)) is not None
        ]
        still = silence.deadlines(self._moment(), self._quiet_limits, self._silent_limits)
        now = self.now
        moments = (*pending, *still, *self._worse_at.values())
        return min((at for at in moments if now is None or at > now), default=None)

    def feed(self, item: Event | BytesArrived | Tick | End) -> tuple[Change, ...]:
        """Take the next event, the coming of bytes, the passing of time, or the end; what that changed.

        Live, `BytesArrived` goes before the events of the bytes that came.
        """
        match item:
            case Event():
                return tuple(self._feed_event(item))
            case BytesArrived(source=source, now=now):
                return self._hear(source, now)
            case Tick(now=now):
                self._pass_to(now)
                return (*self._judge_silence(), *self._judge_stalls())
            case End():
                self._end = item
                self._ear.exit_status = item.exit_status
                return tuple(self._judge_silence())
            case _:
                assert_never(item)

    def judged(self, rule_id: str) -> Judged:
        """What is known of a rule's condition now."""
        rule = self._rules[rule_id]
        waits = {wait.wait.id: wait.renewed for wait in self._tracker.open_waits()}
        found = self._found(rule)
        told = {one for one in self._index.joint.get(rule_id, ()) if automata.told_as_one(one, found)}
        states = self._states.get(rule_id, {})
        return Judged(states, found, self.now, self._last, waits, together=self._together | told)

    def workers(self) -> tuple[WorkerNow, ...]:
        """Where each worker is now."""
        return pace.workers_now(self._tracker.workers, self.now)

    def note(self, source: str, text: str) -> None:
        """Something that a reader of the report must know of a source."""
        self.remark(SourceNote(source, text))

    def remark(self, note: SourceNote) -> None:
        """The same, as a note."""
        if note not in self._notes:
            self._notes.append(note)

    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """Everything that holds now, in no order. Changes nothing."""
        return tuple(self._hypotheses())

    def report(self, lines: int = 0, sources: tuple[str, ...] = ()) -> Report:
        """Everything that is known now. Changes nothing."""
        findings = SessionState(
            self.hypotheses(),
            self._tracker,
            self._roll,
            self._last,
            self.ended,
            tuple(self._earlier),
            tuple(self._notes),
            self._unusual.rarest(),
            self._failures,
            self._curves.drawn(),
            self._endings.errors(self._tracker.went_on()) if self.ended else (),
            self._ear.exit_status,
            self._frameworks_seen(),
        )
        return report_of(findings, self._pack, lines, sources)

    def _hear(self, source: str, now: float) -> tuple[Change, ...]:
        """Silence up to this moment is judged before what ends it."""
        deadline = self.deadline
        self._pass_to(now)
        late = tuple(self._judge_silence()) if deadline is not None and now >= deadline else ()
        self._ear.hear(source, now)
        broken = any(rule in self._silent for rule in self._raised.values())
        return (*late, *self._judge_silence()) if broken else late

    def _pass_to(self, now: float) -> None:
        self._ear.listen(now)
        self._clock.pass_to(now)

    def _feed_event(self, event: Event) -> Iterator[Change]:
        if not event.hits:
            self._endings.see(event)
        known = self._lines.get(event.source, 0)
        if not event.hits and event.line <= known:
            return
        self._lines[event.source] = max(known, event.line)
        for hit in event.hits:
            self._frameworks.update(self._index.frameworks.get(hit.signal, ()))
        chain, raised, ended = self._failures.feed(event)
        observation = self._observe(event, chain)
        markers = [marker for hit in event.hits if (marker := self._markers.get(hit.signal)) is not None]
        if any(marker.starts for marker in markers) and self._run_is_over():
            self._end_run(event)
            observation = self._observe(event, None)
        if markers:
            yield from self._tracker.apply(markers, observation)
            # A line that says where its writer is now was written there.
            observation = replace(observation, phase=self._tracker.phase_at(event.worker))
        self._last = observation
        self._curves.see(observation)
        self._roll.see(observation)
        self._unusual.see(observation, complaint=self._complains(event))
        yield from self._route(event.hits, observation)
        if raised is not None:
            yield from self._route_exception(raised, observation)
        for failure in (*ended, *((raised,) if raised is not None else ())):
            self._failures.keep(failure, observation)
        if ended or raised is not None:
            yield from self._judge_failures()

    def _complains(self, event: Event) -> bool:
        trace = self._pack.trace
        return trace is not None and any(hit.signal == trace.exception for hit in event.hits)

    def _observe(self, event: Event, chain: int | None) -> Observation:
        self._order += 1
        tracker = self._tracker
        here = tracker.phase_at(event.worker)
        time = self._clock.read(event)
        return Observation(event, self._order, time, here, chain, tracker.rounds, tracker.completions)

    def _route(self, hits: Iterable[Hit], observation: Observation) -> Iterator[Change]:
        for hit in hits:
            metric = self._metrics.by_signal.get(hit.signal)
            if metric is not None and (value := self._metrics.add(metric, observation)) is not None:
                self._curves.add(metric.metric, value, observation)
                continue
            for rule_id, moved in self._by_signal.get(hit.signal, {}).items():
                yield from self._move(self._rules[rule_id], moved, observation, hit.signal)

    def _route_exception(self, failure: Failure, observation: Observation) -> Iterator[Change]:
        trace = self._pack.trace
        if trace is None or not failure.chain or failure.stance is Stance.CAUGHT:
            return
        if failure.chain[0].event.line != observation.event.line:
            return
        told = captures_of(failure)
        summary = f"{failure.type}: {failure.message}" if failure.message else failure.type
        hits = tuple(
            Hit(number, {**told, **captures})
            for number in trace.records
            if (captures := self._captures.of(self._pack.signals[number], summary, summary)) is not None
        )
        yield from self._route(hits, replace(observation, event=replace(observation.event, hits=hits)))

    def _judge_failures(self) -> Iterator[Change]:
        """What the tables know of the failures so far: told once, taken back where a record grew into another."""
        held = self._failures.rules()
        for name in sorted(held):
            if name not in self._raised and name in self._rules:
                self._raised[name] = self._rules[name]
                yield Raised(name, self.now)
        for rule in tuple(self._raised.values()):
            if rule.from_table and rule.id not in held:
                del self._raised[rule.id]
                yield Withdrawn(rule.id, self.now)

    def _move(self, rule: Rule, moved: Iterable[Leaf], observation: Observation, signal: int) -> Iterator[Change]:
        states = self._states.setdefault(rule.id, {})
        for leaf in moved:
            state = states.get(leaf)
            if isinstance(state, Match) and self._survived(rule, state):
                state = None
            after = automata.step(leaf, state, observation, signal)
            if after is not None:
                states[leaf] = after
        yield from self._judge(rule)

    def _judge(self, rule: Rule) -> Iterator[Change]:
        found = self._found(rule)
        # What was told together once stays so, however much of each is told later.
        self._together |= {one for one in self._index.joint.get(rule.id, ()) if automata.told_as_one(one, found)}
        true = self._holds(rule, found)
        if true and rule.id not in self._raised:
            self._raised[rule.id] = rule
            quiet_s = self._stalled_for(rule)
            if quiet_s is not None and self.now is not None:
                self._worse_at[rule.id] = self.now + quiet_s
            yield Raised(rule.id, self.now, quiet_s)
        elif not true and self._raised.pop(rule.id, None) is not None:
            self._worse_at.pop(rule.id, None)
            yield Withdrawn(rule.id, self.now)

    def _holds(self, rule: Rule, found: Mapping[Leaf, Match | None]) -> bool:
        if rule.requires and not self._shows(rule.requires):
            return False
        told = {one for one in self._index.joint.get(rule.id, ()) if automata.told_as_one(one, found)}
        return automata.holds(rule.when, found, self._together | told)

    def _shows(self, frameworks: Iterable[str]) -> bool:
        """Whether one of the frameworks was seen in this run."""
        return not self._frameworks_seen().isdisjoint(frameworks)

    def _frameworks_seen(self) -> frozenset[str]:
        """The frameworks that this run shows, by its lines or by frames of its failures."""
        by_frame = {name for one in self._failures.components for name in self._index.components.get(one, ())}
        return frozenset(self._frameworks | by_frame)

    def _judge_stalls(self) -> Iterator[Change]:
        """Stalls that last: told of again whenever they are twice as long as before."""
        now = self.now
        for rule_id, at in tuple(self._worse_at.items()):
            quiet_s = self._stalled_for(self._raised[rule_id])
            if now is None or quiet_s is None or now < at:
                continue
            self._worse_at[rule_id] = now + quiet_s
            yield StallProlonged(rule_id, now, quiet_s)

    def _stalled_for(self, rule: Rule) -> float | None:
        """How long nothing has moved, where that is what the rule says; never nothing."""
        if rule not in self._silent or not rule.stall or self.now is None:
            return None
        shown = automata.shown(rule.when, self._found(rule))
        last = max((match.last.heard for match in shown if match.last.heard is not None), default=self._ear.begun)
        return None if last is None else max(self.now - last, 1.0)

    def _judge_silence(self) -> Iterator[Change]:
        for rule in self._silent_now():
            yield from self._judge(rule)

    def _silent_now(self) -> Iterator[Rule]:
        """The rules whose answer silence can change now: not the cards of waits that are not open."""
        waiting = {wait.wait.id for wait in self._tracker.open_waits()}
        for rule in self._silent:
            if rule.wait is None or rule.wait in waiting or rule.id in self._raised:
                yield rule

    def _found(self, rule: Rule) -> dict[Leaf, Match | None]:
        states = self._states.get(rule.id, {})
        return {leaf: automata.match_of(leaf, states.get(leaf), self) for leaf in self._leaves[rule.id]}

    def _hypotheses(self) -> Iterator[Hypothesis]:
        found: list[Hypothesis] = []
        for rule in self._rules_to_judge():
            matches = self._found(rule)
            if self._holds(rule, matches) and (shown := automata.shown(rule.when, matches)):
                found.append(Hypothesis(rule, shown, all(self._survived(rule, match) for match in shown)))
        for name, match, caught in self._failures.matches():
            rule_of_row = self._rules.get(name)
            if rule_of_row is not None:
                survived = caught or self._survived(rule_of_row, match)
                found.append(Hypothesis(rule_of_row, (match,), survived))
        yield from unclaimed(found, self._ends)

    def _rules_to_judge(self) -> Iterable[Rule]:
        """The rules of which anything was seen, and those that silence can move."""
        silent = (rule.id for rule in self._silent_now())
        return [self._rules[name] for name in dict.fromkeys([*self._states, *silent])]

    def _survived(self, rule: Rule, match: Match) -> bool:
        """Whether the run went on for long enough after these lines for them not to be its end."""
        if rule.wait is not None:
            return self._went_on(match.last)
        if rule.cleared_by == "nothing":
            return False
        if self._tracker.completed is not None or match.last.completions < self._tracker.completions:
            return True
        if rule.fallback and self._failures.lived_through(match.last):
            return True
        rounds = self._tracker.rounds - match.last.round
        if rule.cleared_by != "progress":
            return rounds >= NEW_RUN_ROUNDS and self._tracker.steps_on(match.last)
        return rounds >= SURVIVAL_ROUNDS or self._tracker.stepped_past(match.last)

    def _went_on(self, waiting: Observation) -> bool:
        """Whether so much was written since that the wait must have ended in a way that no marker knows."""
        return self.ended and self._endings.went_on(waiting)

    def match_of(self, leaf: Leaf) -> Match | None:
        """What a wait, a silence, a metric or the end shows now."""
        match leaf:
            case Waiting() | Quiet() | Silent() | Overdue() | Lagging() | Stopped():
                return silence.match_of(leaf, self._moment())
            case MetricIs() | MetricBound() | MetricSpike() | MetricTrend():
                return self._metrics.match_of(leaf)
            case _:
                return None

    def _moment(self) -> JobSnapshot:
        return JobSnapshot(
            self.now, self.ended, self._failing, self._is_waiting, self._loops, self._last, self._tracker, self._ear
        )  # fmt: skip

    def _is_waiting(self) -> bool:
        return any(not self._went_on(wait.renewed) for wait in self._tracker.open_waits())

    def _loops(self) -> bool:
        return self._metrics.steady or self._endings.repeats()

    def _failing(self) -> bool:
        """Whether an error stands that the run has not survived."""
        errors = [rule for rule in self._raised.values() if rule.severity is Severity.ERROR]
        return any(not self._lived_through(rule) for rule in errors)

    def _lived_through(self, rule: Rule) -> bool:
        if rule in self._silent:
            return False
        if rule.from_table:
            known = [(match, caught) for name, match, caught in self._failures.matches() if name == rule.id]
            return all(caught or self._survived(rule, match) for match, caught in known)
        shown = automata.shown(rule.when, self._found(rule))
        return all(self._survived(rule, match) for match in shown)

    def _run_is_over(self) -> bool:
        if self._tracker.completed is not None or self._tracker.looped:
            return True
        return self._failing()

    def _end_run(self, event: Event) -> None:
        whole = self.report()
        cause = whole.diagnoses[0].cause if whole.diagnoses else None
        self._earlier.append(Run(whole.status, event.source, self._first_line, event.line - 1, cause))
        self._first_line = event.line
        self._begin_run()
