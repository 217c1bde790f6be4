"""Why a condition holds or does not: each of its parts, what was seen for it and what is missing."""

from collections.abc import Iterator
from functools import partial

from logrules.inference.conditions import AbsenceState, RepeatedState, SequenceState, holds
from logrules.inference.observation import Match, Observation
from logrules.inference.rule_evaluation import Judged
from logrules.model.event import Event
from logrules.model.record import record
from logrules.model.test_result import Clause
from logrules.ruleset import condition as nodes
from logrules.ruleset.duration import spelled
from logrules.ruleset.when import NameOf, spell


@record
class ConditionPart:
    """One part of a condition: its words, whether it holds, and why in a few words.

    ``operator`` is "and", "or", "not", or "" for a leaf; ``observations`` are the lines that a leaf rests on.
    """

    text: str
    holds: bool
    reason: str
    operator: str = ""
    parts: tuple["ConditionPart", ...] = ()
    observations: tuple[Observation, ...] = ()

    def all(self, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], "ConditionPart"]]:
        """Itself and all parts below it from left to right, each with the numbers of the parts that lead to it."""
        yield path, self
        for number, part in enumerate(self.parts):
            yield from part.all((*path, number))

    def leaves(self) -> tuple["ConditionPart", ...]:
        """The leaves from left to right."""
        return tuple(part for _, part in self.all() if not part.operator)

    def events(self) -> tuple[Event, ...]:
        """The lines that its leaves rest on."""
        return tuple(observation.event for leaf in self.leaves() for observation in leaf.observations)

    def clauses(self) -> tuple[Clause, ...]:
        """Its parts as they are shown, each under what it is a part of."""
        return tuple(Clause(len(path), part.text, part.holds, part.reason) for path, part in self.all())


def explain(condition: nodes.Condition, judged: Judged, name_of: NameOf) -> ConditionPart:
    """The condition taken apart; ``name_of`` says what its rule calls a signal."""
    true = holds(condition, judged.found, judged.together)
    text = spell(condition, name_of)
    part = partial(explain, judged=judged, name_of=name_of)
    match condition:
        case nodes.Supported(supported):
            return part(supported)
        case nodes.Every(parts) | nodes.Some(parts):
            inner = tuple(map(part, parts))
            tally = f"{sum(one.holds for one in inner)} of {len(inner)} parts hold"
            return ConditionPart(text, true, tally, "and" if isinstance(condition, nodes.Every) else "or", inner)
        case nodes.Not(negated):
            reason = "its part does not hold" if true else "its part holds"
            return ConditionPart(text, true, reason, "not", (part(negated),))
        case _:
            match = judged.found[condition]
            reason = _seen(match) if match else _missing(condition, judged, name_of)
            return ConditionPart(text, true, reason, observations=_observations(condition, judged))


def _observations(leaf: nodes.Leaf, judged: Judged) -> tuple[Observation, ...]:
    """The lines of a leaf that holds, or those on its way there."""
    match judged.found[leaf] or judged.states.get(leaf):
        case Match(pairs) | RepeatedState(match=Match(pairs)) | AbsenceState(pending=Match(pairs)):
            return tuple(observation for observation, _ in pairs)
        case SequenceState(partial):
            return max((reached for reached in partial if reached), key=len, default=())
        case _:
            return ()


def _seen(match: Match) -> str:
    lines = list(dict.fromkeys((*(one.event.file_line for one in match.first), match.last.event.file_line)))
    shown = ", ".join(map(str, lines[:4])) + (", …" if len(lines) > 4 else "")  # noqa: PLR2004 - enough to look at
    return f"line {shown}" if len(lines) == 1 else f"lines {shown}"


def _missing(leaf: nodes.Leaf, judged: Judged, name_of: NameOf) -> str:
    match leaf, judged.states.get(leaf):
        case nodes.Repeated(), RepeatedState() as state:
            return _too_few(leaf, state)
        case nodes.Sequence(), SequenceState() as state:
            return _broken_off(leaf, state, name_of)
        case nodes.Absence(), AbsenceState() as state:
            return _answered(leaf, state, name_of)
        case nodes.Absence(after=after), None:
            return f"{_names(after, name_of)} is absent"
        case ((nodes.Occurred() | nodes.Repeated() | nodes.Sequence()), _):
            return _absent(leaf, judged, name_of)
        case nodes.Waiting(), _:
            return _not_waiting(leaf, judged)
        case nodes.Detector(nodes.Detection.QUIET), _:
            return _not_quiet(judged)
        case _:
            return "is not so"


def _absent(leaf: nodes.Leaf, judged: Judged, name_of: NameOf) -> str:
    refused = [(signal, *judged.refused[signal]) for signal in nodes.signals_of(leaf) if signal in judged.refused]
    said = [f"line {line} has the words of `{name_of(signal)}`, {against}" for signal, line, against in refused]
    return "; ".join(["absent", *said])


def _too_few(leaf: nodes.Repeated, state: RepeatedState) -> str:
    counted = sum(count for _, count in state.recent)
    of = f"{counted} of {leaf.least} times"
    if leaf.within_s is None or counted >= state.match.count:
        return of
    return f"{of} within {spelled(leaf.within_s)}, {state.match.count} in all"


def _broken_off(leaf: nodes.Sequence, state: SequenceState, name_of: NameOf) -> str:
    reached = max((number + 1 for number, done in enumerate(state.partial) if done), default=0)
    wanted = _names(leaf.steps[min(reached, len(leaf.steps) - 1)], name_of)
    if not reached:
        return f"{wanted} did not come first"
    after = state.partial[reached - 1]
    place = f" line {after[-1].event.file_line}" if after else ""
    limit = f" within {spelled(leaf.within_s)}" if leaf.within_s is not None else ""
    return f"{reached} of {len(leaf.steps)} steps: {wanted} did not follow{place}{limit}"


def _answered(leaf: nodes.Absence, state: AbsenceState, name_of: NameOf) -> str:
    missing = _names(leaf.missing, name_of)
    if state.pending is None:
        return f"{missing} came"
    limit = f", patience {spelled(leaf.within_s)}" if leaf.within_s is not None else ""
    return f"{missing} may still follow line {state.pending.last.event.file_line}{limit}"


def _not_waiting(leaf: nodes.Waiting, judged: Judged) -> str:
    since = judged.open_waits.get(leaf.wait)
    if since is None:
        return "is not open"
    place = f"open since line {since.event.file_line}"
    if judged.now is None or since.time is None:
        return f"{place}, but the log has no times"
    return f"{place} for {spelled(round(judged.now - since.time, 3))} only"


def _not_quiet(judged: Judged) -> str:
    if judged.now is None or judged.last is None or judged.last.time is None:
        return "the log has no times"
    return f"quiet for {spelled(round(judged.now - judged.last.time, 3))} only"


def _names(signals: tuple[int, ...], name_of: NameOf) -> str:
    return " or ".join(f"`{name_of(signal)}`" for signal in signals)
