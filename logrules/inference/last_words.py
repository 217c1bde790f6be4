"""What a job itself said last: where nothing but its exit status tells that it failed, that mostly says why."""

from collections.abc import Sequence

from logrules.inference.evidence_lines import bare_evidence
from logrules.inference.hypothesis import Hypothesis
from logrules.inference.run_state import RunState
from logrules.model.event import Event
from logrules.model.record import replace
from logrules.model.report import Evidence
from logrules.ruleset.rule_text import SLOT, Card

# The slot by which a title asks for it.
LAST_WORDS = "last_words"


def last_words(card: Card, hypothesis: Hypothesis, run: RunState, last_errors: Sequence[Event]) -> Evidence | None:
    """The line, for a rule whose title asks for it: an error that no rule knows, else what was written last of all.

    None where that is a step or a bar, which says of no failure.
    """
    if not run.job.ended or all(slot[1] != LAST_WORDS for slot in SLOT.finditer(card.title.en)):
        return None
    spoken = last_errors[-1] if last_errors else _spoken_last(hypothesis.first.event.source, run)
    if spoken is None or not spoken.message.strip():
        return None
    return replace(bare_evidence(spoken), captures={LAST_WORDS: spoken.message.strip()})


def _spoken_last(exit_log: str, run: RunState) -> Event | None:
    """The last line that is not blank of the log that grew last, other than the one that tells of the end."""
    lines = [line for source, lines in run.job.endings.lines.items() if source != exit_log for line in lines]
    told = [line for line in lines if line.message.strip()]
    last = max(told, key=lambda line: (line.arrived or 0.0, line.line), default=None)
    steps = {state.progress_text for state in run.tracker.workers.values()}
    return None if last is None or last.message in steps else last
