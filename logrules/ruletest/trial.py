"""A rule tried on real logs: the debugger of conditions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from logrules.engine.run import Prepared, prepared, replay_prepared
from logrules.inference.session import Session
from logrules.model.event import Event, Stance
from logrules.model.record import field, mutable_record
from logrules.model.report import Report, SourceNote
from logrules.model.test_result import Clause, RejectReason, SignalHit, SignalSeen, Transition, Trial
from logrules.ruleset.condition import all_signals
from logrules.ruleset.pack import Pack, Rule, Signal
from logrules.ruleset.when import spell
from logrules.ruletest.condition_trace import ConditionPart
from logrules.ruletest.judging import condition_tree
from logrules.ruletest.refusal import Refusal, against, why_refused
from logrules.sources.source import Source

# Enough to see what goes on; all are counted.
SHOWN_LINES = 5
SHOWN_TURNS = 200


def trial(pack: Pack, rule_id: str, sources: Sequence[Source], notes: Iterable[SourceNote] = ()) -> Trial:
    """Read the logs to their end and say what the rule makes of them. Raises KeyError for an unknown rule."""
    rule = next(rule for rule in pack.rules if rule.id == rule_id)
    own = all_signals(rule.when)
    on = prepared(_with_words(pack, own))
    session = on.session()
    watch = _Watch(on, session, rule, {number: _Tally() for number in own})
    report = replay_prepared(on, session, sources, notes, watch.see)
    watch.turn("", None)
    tree = condition_tree(on, session, rule.id, watch.refused())
    place, behind = _in_report(report, rule.id)
    required = tuple(_required(rule, report))
    return Trial(
        rule.id,
        spell(rule.when, lambda number: pack.signals[number].name),
        tuple(watch.tallies[number].seen(pack.signals[number]) for number in own),
        tuple(watch.turns),
        (*required, *tree.clauses()),
        tree.holds and all(clause.holds for clause in required),
        place,
        behind,
        report.diagnoses[0].rule if report.diagnoses and place is None and behind is None else None,
    )


def _required(rule: Rule, report: Report) -> Iterator[Clause]:
    """That one of the frameworks was seen without which the rule does not hold, where it names any."""
    if rule.requires:
        seen = [name for name in rule.requires if name in report.frameworks]
        reason = f"seen: {', '.join(seen)}" if seen else "no line and no frame shows it"
        yield Clause(0, f"requires {' or '.join(rule.requires)}", bool(seen), reason)


def _with_words(pack: Pack, own: Sequence[int]) -> Pack:
    """The pack with a twin of each of these signals that asks for its words alone: where the signal itself refuses."""
    signals = (pack.signals[number] for number in own)
    return pack.with_signals(Signal(f"{one.id} (words)", one.literals) for one in signals)


def _in_report(report: Report, rule: str) -> tuple[int | None, str | None]:
    for number, one in enumerate(report.diagnoses, start=1):
        if one.rule == rule:
            return number, None
        if any(other.rule == rule for other in one.consequences):
            return None, one.rule
    return None, None


@mutable_record
class _Tally:
    """Lines of one signal, counted; the first of them kept."""

    hits: list[SignalHit] = field(default_factory=list)
    refused: list[SignalHit] = field(default_factory=list)
    hit_count: int = 0
    refused_count: int = 0
    tracebacks: set[tuple[str, int]] = field(default_factory=set)

    def hit(self, event: Event, captures: Mapping[str, str]) -> None:
        self.hit_count += 1
        if len(self.hits) < SHOWN_LINES:
            self.hits.append(SignalHit(event.source, event.file_line, event.text, tuple(captures.items())))

    def refuse(self, event: Event, why: RejectReason | Stance) -> None:
        self.refused_count += 1
        if len(self.refused) < SHOWN_LINES:
            self.refused.append(SignalHit(event.source, event.file_line, event.text, refused=why))

    def seen(self, signal: Signal) -> SignalSeen:
        hits, refused = tuple(self.hits), tuple(self.refused)
        return SignalSeen(signal.name, signal.literals, hits, self.hit_count, refused, self.refused_count)


@mutable_record
class _Watch:
    """Looks at every event that one of the rule's signals is in, and at what it changes."""

    on: Prepared
    session: Session
    rule: Rule
    tallies: dict[int, _Tally]
    turns: list[Transition] = field(default_factory=list)
    held: dict[str, bool] = field(default_factory=dict)

    def see(self, event: Event) -> None:
        """Count what the event's line has, and note which parts of the condition it turned."""
        found = {hit.signal: hit.captures for hit in event.hits}
        touched = False
        for number, (own, tally) in enumerate(
            self.tallies.items(), start=len(self.on.pack.signals) - len(self.tallies)
        ):
            if own in found:
                tally.hit(event, found[own])
                touched = True
            elif number in found:
                tally.refuse(event, why_refused(self.on.pack.signals[own], event))
        # A traceback counts when its last line has come, a wait when any line closes it.
        if touched or self.held:
            self.turn(event.source, event.line)

    def turn(self, source: str, line: int | None) -> None:
        """Note the parts that hold now and did not, or the other way round."""
        tree = condition_tree(self.on, self.session, self.rule.id)
        self._see_tracebacks(tree)
        for part in _parts(tree):
            before = self.held.get(part.text, False)
            self.held[part.text] = part.holds
            if part.holds != before and len(self.turns) < SHOWN_TURNS:
                self.turns.append(Transition(source, line, part.text, part.holds, part.reason))

    def _see_tracebacks(self, tree: ConditionPart) -> None:
        """Count whole tracebacks: what they are is known only where the condition has taken them in."""
        for event in tree.events():
            for hit in event.hits:
                tally = self.tallies.get(hit.signal)
                told = (event.source, event.line)
                if tally is not None and not self.on.pack.signals[hit.signal].literals and told not in tally.tracebacks:
                    tally.tracebacks.add(told)
                    tally.hit(event, hit.captures)

    def refused(self) -> dict[int, Refusal]:
        """The signals that only ever refused a line, and the first such line."""
        only = {number: tally.refused[0] for number, tally in self.tallies.items() if not tally.hits and tally.refused}
        return {number: (hit.line, against(hit.refused)) for number, hit in only.items() if hit.refused is not None}


def _parts(tree: ConditionPart) -> Iterator[ConditionPart]:
    """The leaves, then what they make up, the whole last."""
    for part in tree.parts:
        yield from _parts(part)
    if tree.operator != "not":
        yield tree
