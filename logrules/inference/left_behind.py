"""Workers that stood still while their peers went on; who failed, or said that it was through, is not among them.

Those are peers who count the same steps. Which steps are the same is told by the words of the lines, how far apart
workers usually are by the job itself: a rank that prints now and then, or is a little slower, is as far behind its
peers as ever when they end. Where lines of several logs bear no times nothing is known of who was ahead when, but for
where each of them ends.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from logrules.inference.cadence import median, outlasts
from logrules.inference.ending import Endings
from logrules.inference.failures import Failures
from logrules.inference.observation import Observation
from logrules.inference.workers import WorkerTracker
from logrules.model.event import Event, Worker, whole_number
from logrules.model.record import field, mutable_record, replace
from logrules.model.template import template_of
from logrules.ruleset.name_tables import Saying
from logrules.ruleset.pack import Pack

# What tells a worker from its peers, whichever of its streams a line is on: its role and rank, or host and process.
PeerKey: TypeAlias = tuple[str | None, str | None, int]

# Of each worker so many of its last strides are known: a thinned log has so many of its last lines without a gap.
_STRIDES = 3
# Of two nobody can say which is the odd one out: who goes on may be the only one that prints by design.
_FEWEST = 3
# A worker that has made but one step has shown no stride.
_FEWEST_STEPS = 2
# As `cadence` has it for times: well past the longest of the usual strides, and past what one may miss at the end.
_LONGEST_STRIDES, _USUAL_STRIDES, _SHARE = 3, 20, 0.2
# Of a log that is full of the same lines the last are read: of more workers than these not one of each may be there.
_MOST_IN_A_LOG = 32
# More kinds of lines that count are none of a loop, more workers are compared by nobody.
_MAX_TRACKS, _MAX_PEERS = 64, 65_536


@mutable_record
class Runner:
    """One who counts: where it stands, the lines of its last step and its last word.

    ``met`` is how far the foremost had come when it last spoke, ``strides`` how far its last steps took it or how far
    it was behind then, whichever is more.
    """

    number: int
    position: int
    met: int
    begun: Observation
    stepped: Observation
    said: Observation
    steps: int = 1
    strides: tuple[int, ...] = ()

    def step_to(self, reached: int, foremost: int, observation: Observation) -> None:
        """It counted on; a lower number is that of the next round of an outer loop."""
        stride = reached - self.number if reached > self.number else max(reached, 1)
        self.number, self.stepped = reached, observation
        self.position += stride
        self.steps += 1
        self.strides = (*self.strides, max(stride, foremost - self.position))[-_STRIDES:]


@mutable_record
class Track:
    """Those who count the same steps. ``ordered`` says whether it is known in which order they made them."""

    source: str
    runners: dict[PeerKey, Runner] = field(default_factory=dict)
    foremost: int = 0
    origin: int = 0
    ordered: bool = True

    def step(self, key: PeerKey, reached: int, observation: Observation) -> None:
        """One of them counted."""
        if observation.time is None and observation.event.source != self.source:
            self.ordered = False
        own = self.runners.get(key)
        if own is None:
            if not self.runners:
                self.origin = reached
            own = self.runners[key] = Runner(reached, reached, reached, observation, observation, observation)
        elif reached != own.number:
            own.step_to(reached, self.foremost if self.ordered else 0, observation)
        self.foremost = max(self.foremost, own.position)

    def goes_on(self, since: float) -> bool:
        """Whether most have made a step since, or one of two has."""
        last = (one.stepped.heard for one in self.runners.values())
        going = sum(at is not None and at >= since for at in last)
        return 2 * going > len(self.runners) or (len(self.runners) < _FEWEST and going > 0)

    def left_behind(self) -> Iterator[Runner]:
        """Those who have said nothing for as long as most of the others took to get well ahead, together."""
        runners = [one for one in self.runners.values() if one.steps >= _FEWEST_STEPS]
        in_a_log = Counter(one.stepped.event.source for one in self.runners.values())
        if len(runners) < _FEWEST or max(in_a_log.values()) > _MOST_IN_A_LOG:
            return
        strides = [stride for one in runners for stride in one.strides]
        made = self.foremost - self.origin + 1
        limit = max(_LONGEST_STRIDES * max(strides), min(_USUAL_STRIDES * median(strides), _SHARE * made))
        if 2 * sum(self.foremost - one.position <= limit for one in runners) <= len(runners):
            return
        # Who came to them after the last word of one is there in its place, it may be.
        newest = max(one.begun.order for one in self.runners.values()) if self.ordered else -1
        for one in runners:
            stands = max(one.position, one.met) if self.ordered else one.position
            if self.foremost - stands > limit and newest <= one.said.order:
                yield one


# Who said something when its peers had so many steps to go was not with them at the end.
_FEW_STEPS = 3
# So few of them stand behind the others that each can be named.
_MAX_TOLD = 64


class Laggards:
    """Follows all who count steps in one run, by the captures ``step`` of their lines, and who is left behind."""

    def __init__(self, pack: Pack, tracker: WorkerTracker, failures: Failures, endings: Endings) -> None:
        self._tracker, self._failures, self._endings = tracker, failures, endings
        self._waits = pack.waits
        self._last_phase = pack.end
        self._tracks: dict[tuple[str | None, str], Track] = {}
        self._tracks_of: dict[PeerKey | None, list[Track]] = {}
        # By which line a worker said last that it is done.
        self._left: dict[PeerKey | None, int] = {}
        # Where one line stands for those of several workers, nobody knows who said it.
        self._collected: set[str | None] = set()
        self._all_ended = False

    def see(self, observation: Observation, *, parting: bool, all_end: bool) -> None:
        """Take a line: ``parting`` says that its writer is done, ``all_end`` that all processes have ended."""
        self._all_ended = self._all_ended or all_end
        event, worker = observation.event, observation.worker
        key = _peer_key(worker)
        if key is None:
            return
        if parting or (observation.phase is not None and observation.phase == self._last_phase):
            self._left[key] = observation.order
        if event.repeat > 1:
            self._collected.add(worker.role)
        told = (whole_number(hit.captures.get("step")) for hit in event.hits if hit.captures)
        reached = next((step for step in told if step is not None), None)
        if reached is not None:
            self._step(key, worker, reached, observation)
        for track in self._tracks_of.get(key, ()):
            own = track.runners[key]
            own.said, own.met = observation, track.foremost

    def _step(self, key: PeerKey, worker: Worker, reached: int, observation: Observation) -> None:
        kind = worker.role, template_of(observation.event.message)
        track = self._tracks.get(kind)
        if track is None:
            if len(self._tracks) >= _MAX_TRACKS:
                return
            track = self._tracks[kind] = Track(observation.event.source)
        if key not in track.runners:
            if len(track.runners) >= _MAX_PEERS:
                return
            self._tracks_of.setdefault(key, []).append(track)
        track.step(key, reached, observation)

    def is_passed(self, step: Observation, since: float) -> bool:
        """Whether most who count the same steps have gone on since, and the writer has not said that it is done.

        Of two it is the other; of who counts nothing there is nothing to be said.
        """
        tracks = self._tracks_of.get(_peer_key(step.worker), ())
        return (not tracks or any(track.goes_on(since) for track in tracks)) and not self._has_left(step)

    def _has_left(self, step: Observation) -> bool:
        return self._left.get(_peer_key(step.worker), -1) > step.order

    def last_lines(self, now: float | None, *, ended: bool) -> tuple[Observation, ...]:
        """The last line of each worker that was left behind, and that of its last step; the furthest behind first.

        Of a live job: of those that have been silent for longer than they may. Of one whose processes are gone: nobody.
        """
        silent = (
            lines for lines in self._lines_left() if ended or outlasts(lines[0].heard, self._patience_s(lines[0]), now)
        )
        return tuple(line for lines in silent for line in lines)

    def deadlines(self) -> Iterator[float]:
        """From when on each of those is silent for longer than it may."""
        for last, *_ in self._lines_left():
            patience_s = self._patience_s(last)
            if last.heard is not None and patience_s is not None:
                yield last.heard + patience_s

    def _lines_left(self) -> Iterator[tuple[Observation, ...]]:
        """Of those whom the others left behind and of whom nothing was heard since, the furthest behind first."""
        if self._all_ended and self._tracker.over:
            return
        tracks = (track for (role, _), track in self._tracks.items() if role not in self._collected)
        found = {_peer_key(one.said.worker): one for track in tracks for one in track.left_behind()}
        there = (one for one in found.values() if not self._has_left(one.stepped))
        furthest_first = sorted(there, key=lambda one: (one.position, one.said.order))
        yield from filter(None, map(self._lines_of, furthest_first[:_MAX_TOLD]))

    def _lines_of(self, one: Runner) -> tuple[Observation, ...]:
        """Its last line and that of its last step; none where it failed, or was through.

        Its last line may be among the last of its log that no rule asked for.
        """
        step, worker = one.stepped.event, one.said.worker
        told = (it.first for it in self._failures.all() if worker in (it.worker, *it.workers))
        if any(first.source != step.source or first.line > step.line for first in told):
            return ()
        own = (line for line in self._endings.below(one.said.event) if line.worker == worker)
        last = max(own, key=lambda line: line.line, default=one.said.event)
        if last is step:
            return (one.stepped,)
        if self._endings.wordings.says(Saying.FAREWELL, last.message):
            return ()
        if last is one.said.event:
            return (one.said, one.stepped)
        # A line that nobody asked for was not counted: it stands behind what its writer had said before.
        unasked = replace(one.said, event=last, order=one.said.order + 1)
        return () if self._ends_with_its_peers(last, template_of(step.message)) else (unasked, one.stepped)

    def _ends_with_its_peers(self, last: Event, step: str) -> bool:
        """Whether this was written when they had all but ended, or made but few such steps more."""
        below = (line for line in self._endings.below(last) if template_of(line.message) == step)
        return max(Counter(line.worker for line in below).values(), default=0) <= _FEW_STEPS

    def _patience_s(self, last: Observation) -> float | None:
        """For how long its writer may be silent: as its rhythm allows, or those of the others where it has none.

        In a phase that is no loop it may be as long as any wait there.
        """
        own = self._tracker.workers.get(last.worker)
        known = own.rhythm.patience_s if own is not None else None
        others = (state.rhythm.patience_s for state in self._tracker.workers.values()) if known is None else (known,)
        aside = last.phase not in self._tracker.loops
        there = (wait.patience_s for wait in self._waits if aside and wait.phase == last.phase)
        return max((limit for limit in (*others, *there) if limit is not None), default=None)


def _peer_key(worker: Worker) -> PeerKey | None:
    if worker.rank is not None:
        return worker.role, None, worker.rank
    return None if worker.pid is None else (worker.role, worker.host or "", worker.pid)
