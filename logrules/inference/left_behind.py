"""Workers that stood still while their peers went on; who failed, or said that it was through, is not among them."""

from collections import Counter
from collections.abc import Iterator

from logrules.inference.cadence import outlasts
from logrules.inference.ending import Endings
from logrules.inference.failures import Failures
from logrules.inference.lockstep import Lockstep, Runner
from logrules.inference.observation import Observation
from logrules.inference.workers import WorkerTracker
from logrules.model.event import Event
from logrules.model.late_pattern import late_pattern
from logrules.model.record import replace
from logrules.model.template import template_of
from logrules.ruleset.pack import Pack

# What a worker says that has nothing more to do, in whatever words.
_FAREWELL = late_pattern(
    r"(?i)\b(?:shut(?:ting)?[ -]?down|exit(?:s|ed|ing)?|terminat\w{1,4}|finish(?:ed)?|completed?|done|leav(?:es|ing)"
    r"|left|(?:no|any) more|r[au]n out|out of (?:data|batches|work)|exhausted|stopp(?:ed|ing)|destroy\w{0,4}|bye"
    r"|joined)\b"
)
# Who said something when its peers had so many steps to go was not with them at the end.
_FEW_STEPS = 3
# So few of them stand behind the others that each can be named.
_MAX_TOLD = 64


class Laggards:
    """Follows who is left behind by its peers in one run, from what else is known of that."""

    def __init__(self, pack: Pack, tracker: WorkerTracker, failures: Failures, endings: Endings) -> None:
        self._tracker, self._failures, self._endings = tracker, failures, endings
        self._waits = pack.waits
        self._last_phase = frozenset(phase.id for phase in pack.phases[-1:])
        self._lockstep = Lockstep()
        self._all_ended = False

    def see(self, observation: Observation, *, parting: bool, all_end: bool) -> None:
        """Take a line: ``parting`` says that its writer is done, ``all_end`` that all processes have ended."""
        self._all_ended = self._all_ended or all_end
        self._lockstep.see(observation, leaves=parting or observation.phase in self._last_phase)

    def is_passed(self, step: Observation, since: float) -> bool:
        """Whether most who count the same steps have gone on since, and the writer has not said that it is done."""
        return self._lockstep.others_go_on(step, since) and not self._lockstep.has_left(step)

    def last_lines(self, now: float | None, *, ended: bool) -> tuple[Observation, ...]:
        """The last line of each worker that was left behind, and that of its last step; the furthest behind first.

        Of a live job: of those that have been silent for longer than they may. Of one whose processes are gone: nobody.
        """
        if self._all_ended and self._tracker.over:
            return ()
        found = self._left_behind()
        silent = (lines for lines in found if ended or self._is_silent(lines[0], now))
        return tuple(line for lines in silent for line in lines)

    def _left_behind(self) -> Iterator[tuple[Observation, ...]]:
        for one in self._lockstep.left_behind()[:_MAX_TOLD]:
            last = _last_of(one, self._endings)
            if self._failures.tells_of(one.said.worker, one.stepped.event) or _is_through(one, last, self._endings):
                continue
            # A line that nobody asked for was not counted: it stands behind what its writer had said before.
            said = one.said if last is one.said.event else replace(one.said, event=last, order=one.said.order + 1)
            yield (said,) if last is one.stepped.event else (said, one.stepped)

    def _is_silent(self, last: Observation, now: float | None) -> bool:
        """Whether nothing came for longer than its rhythm allows, or those of the others where it has none.

        In a phase that is no loop it may be as long as any wait there.
        """
        own = self._tracker.workers.get(last.worker)
        known = own.rhythm.patience_s if own is not None else None
        others = (state.rhythm.patience_s for state in self._tracker.workers.values()) if known is None else (known,)
        aside = last.phase not in self._tracker.loops
        there = (wait.patience_s for wait in self._waits if aside and wait.phase == last.phase)
        patience_s = max((limit for limit in (*others, *there) if limit is not None), default=None)
        return outlasts(last.heard, patience_s, now)


def _last_of(one: Runner, endings: Endings) -> Event:
    """Its last line, which may be among the last of its log that no rule asked for."""
    said = one.said.event
    own = (line for line in endings.below(said) if line.worker == said.worker)
    return max(own, key=lambda line: line.line, default=said)


def _is_through(one: Runner, last: Event, endings: Endings) -> bool:
    """Whether its last line bids farewell, or was written when its peers had all but ended."""
    if last is one.stepped.event:
        return False
    return _FAREWELL.search(last.message) is not None or (last is not one.said.event and _is_late(one, last, endings))


def _is_late(one: Runner, last: Event, endings: Endings) -> bool:
    step = template_of(one.stepped.event.message)
    steps = Counter(line.worker for line in endings.below(last) if template_of(line.message) == step)
    return max(steps.values(), default=0) <= _FEW_STEPS
