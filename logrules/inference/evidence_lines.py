"""The lines that a report shows: those that a hypothesis rests on, and what its job said where these are mute."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from logrules.inference.hypothesis import Hypothesis
from logrules.inference.observation import Observation
from logrules.inference.run_state import RunState
from logrules.model.event import Event
from logrules.model.record import replace
from logrules.model.report import Evidence
from logrules.parsing.cut_off import CUT_OFF
from logrules.parsing.exception_line import FRAME_LINE, asserted
from logrules.ruleset.pack import Signal
from logrules.ruleset.rule_text import SLOT, Card
from logrules.ruleset.tables import EXITS

MAX_EVIDENCE = 8
MAX_EVIDENCE_TEXT = 2_000
# Of a line that is longer, so much is shown in front of what tells.
_LEAD_CHARS = 60


def evidence_of(hypothesis: Hypothesis, run: RunState, others: Sequence[Hypothesis] = ()) -> tuple[Evidence, ...]:
    """The lines that show it, each once, in order; for what ends in silence the last line of all too.

    Lines of ``others`` fill the places that its own leave.
    """
    own = _lines(hypothesis)
    shown = _chosen(own, hypothesis, run.last, others)
    told: list[Evidence] = []
    if hypothesis.rule.id.startswith(EXITS) and len(shown) == 1:
        # Right above the line by which somebody else tells the end of a process mostly stands its own last word.
        event = shown[0][0].event
        spoken = (above for above, text in enumerate(reversed(event.before), 1) if text.strip())
        told += [bare_evidence(event, above) for above in islice(spoken, 1)]
    room = MAX_EVIDENCE - len(shown)
    for line, captures in shown:
        if not line.event.text.strip():
            continue  # what says that nothing was written
        above = _telling_above(line.event, captures) if room > 0 else None
        if above is not None:
            told.append(above)
            room -= 1
        shown_from = _telling_place(line.event.text, hypothesis, run.pack.signals)
        told.append(replace(evidence_from(line, captures, shown_from), beside=line.order not in own))
    return tuple(told)


# A line and what it captured.
_Line: TypeAlias = tuple[Observation, Mapping[str, str]]


def _chosen(
    own: Mapping[int, _Line], hypothesis: Hypothesis, last: Observation | None, others: Sequence[Hypothesis]
) -> list[_Line]:
    """The lines to show, in order: its own, as many as there may be, then those of others and the ``last`` of all."""
    chosen = [own[order] for order in sorted(own)]
    if len(chosen) > MAX_EVIDENCE:
        chosen = [*chosen[: MAX_EVIDENCE - 1], chosen[-1]]
    chosen += islice(_beside(own, others), MAX_EVIDENCE - len(chosen))
    if hypothesis.rule.wait is not None and last is not None and all(last.order != line.order for line, _ in chosen):
        chosen.append((last, {}))
    return sorted(chosen, key=lambda pair: pair[0].order)


def _beside(own: Container[int], others: Iterable[Hypothesis]) -> Iterator[_Line]:
    """The lines of others that are not its own, each once; what the markers of a wait captured is not said of it."""
    lines: dict[int, _Line] = {}
    for other in others:
        for order, (line, captures) in sorted(_lines(other).items()):
            if order not in own:
                lines.setdefault(order, (line, captures if other.rule.wait is None else {}))
    yield from lines.values()


def _telling_place(text: str, hypothesis: Hypothesis, signals: Sequence[Signal]) -> int:
    """From where on a line is worth showing: its beginning, unless it is so long that what tells would be cut off."""
    if len(text) <= MAX_EVIDENCE_TEXT:
        return 0
    words = (word for match in hypothesis.matches for signal in match.signals for word in signals[signal].literals)
    places = (place for word in words if (place := text.find(word)) >= 0)
    return max(min(places, default=0) - _LEAD_CHARS, 0)


def _lines(hypothesis: Hypothesis) -> dict[int, _Line]:
    """The lines that a hypothesis rests on, with what they captured, by their place in the order of the job."""
    found: dict[int, _Line] = {}
    for match in hypothesis.matches:
        for observation, signal in (*match.pairs, (match.last, match.pairs[-1][1])):
            known = found.get(observation.order, (observation, {}))[1]
            # A wait rests on the lines of its markers, whichever of them these are.
            said = observation.captures(signal) if hypothesis.rule.wait is None else observation.all_captures()
            found[observation.order] = (observation, {**known, **said})
    return found


def evidence_from(observation: Observation, captures: Mapping[str, str], shown_from: int = 0) -> Evidence:
    """A line as evidence, with what it captured; of a very long one what stands behind ``shown_from``."""
    event = observation.event
    text = ("…" if shown_from else "") + event.text[shown_from:]
    return Evidence(
        event.source, event.file_line, text[:MAX_EVIDENCE_TEXT], event.worker.label, observation.time, captures,
        event.before, event.after, event.stamp is not None and event.stamp.year_guessed,
    )  # fmt: skip


def bare_evidence(event: Event, above: int = 0) -> Evidence:
    """A line that no rule rests on as evidence, or the one so many lines ``above`` it."""
    text = event.before[-above] if above else event.text
    return Evidence(event.source, event.file_line_above(above), text[:MAX_EVIDENCE_TEXT], event.worker.label)


def _telling_above(event: Event, captures: Mapping[str, str]) -> Evidence | None:
    """The line above that says what this one does not: what was asserted, or where a cut off traceback ends."""
    said = captures.get("message") or asserted(event.message.strip().rstrip(":"), event.before)
    words = FRAME_LINE if said == CUT_OFF else said
    if not words or words in event.text:
        return None
    above = (place for place, line in enumerate(reversed(event.before), 1) if words in line)
    return next((bare_evidence(event, place) for place in above), None)


# The slot by which a title asks for it.
LAST_WORDS = "last_words"


def last_words(card: Card, hypothesis: Hypothesis, run: RunState, last_errors: Sequence[Event]) -> Evidence | None:
    """The line, for a rule whose title asks for it: an error that no rule knows, else what was written last of all.

    None where that is a step or a bar, which says of no failure.
    """
    if not run.job.ended or all(slot[1] != LAST_WORDS for slot in SLOT.finditer(card.title.en)):
        return None
    spoken = last_errors[-1] if last_errors else None
    if spoken is None:
        # Of the log that grew last, other than the one that tells of the end.
        told = hypothesis.first.event.source
        lines = [line for source, lines in run.job.endings.lines.items() if source != told for line in lines]
        said = (line for line in lines if line.message.strip())
        spoken = max(said, key=lambda line: (line.arrived or 0.0, line.line), default=None)
        if spoken is not None and any(spoken.message == one.progress_text for one in run.tracker.workers.values()):
            return None
    words = spoken.message.strip() if spoken is not None else ""
    return replace(bare_evidence(spoken), captures={LAST_WORDS: words}) if spoken is not None and words else None
