"""What each rank of a job has said of itself: its last line, its host, its last step, the collective that it is in.

Rules and markers say which lines tell: by the captures ``seq`` and ``op`` (with ``numel_in``, ``numel_out`` and
``timeout_ms``) of a collective that is waited for, ``enqueued`` and ``completed`` of what a rank has started and
finished, ``step``, ``world_size``, and ``tensor_parallel``, ``context_parallel`` and ``pipeline_parallel``, the sizes
of groups.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from logrules.inference.observation import Observation
from logrules.inference.process_ranks import KEPT_RANKS, ProcessRanks
from logrules.model.collective import CollectiveCall, GroupRecord
from logrules.model.event import as_rank, whole_number
from logrules.model.record import field, mutable_record, record
from logrules.model.timeline import ParallelSizes

# A size that a damaged line tells must not cost a million numbers.
_USUAL_RANKS = 1_024


@record
class Collective(CollectiveCall):
    """A collective that a rank waits for."""

    timeout_s: float | None
    told: Observation


@record
class GroupProgress:
    """The numbers of the last collective that a rank has enqueued and of the last that it has completed."""

    enqueued: int
    completed: int
    told: Observation


@mutable_record
class RankState:
    """What is known of one rank. Calls and standings are by process group, the first that was told of each.

    In a ``mixed`` group the rank told of collectives out of their order: several groups go under one name, or none.
    """

    last: Observation
    host: str | None = None
    step: int | None = None
    stepped: Observation | None = None
    calls: dict[str | None, Collective] = field(default_factory=dict)
    standings: dict[str | None, GroupProgress] = field(default_factory=dict)
    mixed: frozenset[str | None] = frozenset()

    def read(self, said: Mapping[str, str], observation: Observation) -> None:
        """Take down what a line of the rank captures."""
        if (step := whole_number(said.get("step"))) is not None:
            self.step, self.stepped = step, observation
        group = observation.event.group
        seq, op = whole_number(said.get("seq")), said.get("op")
        if seq is not None and op is not None:
            limit_ms = whole_number(said.get("timeout_ms"))
            sizes = whole_number(said.get("numel_in")), whole_number(said.get("numel_out"))
            timeout_s = None if limit_ms is None else limit_ms / 1_000
            self._wait_in(group, Collective(seq, op, *sizes, timeout_s, observation))
        enqueued, completed = whole_number(said.get("enqueued")), whole_number(said.get("completed"))
        if enqueued is not None and completed is not None:
            self._stand_at(group, GroupProgress(enqueued, completed, observation))

    def _wait_in(self, group: str | None, call: Collective) -> None:
        if call.seq < self.calls.setdefault(group, call).seq:
            self.mixed |= {group}

    def _stand_at(self, group: str | None, progress: GroupProgress) -> None:
        """How far the rank is in a group; a call without a group that is under way there is that group's."""
        self.standings.setdefault(group, progress)
        call = self.calls.get(None)
        if group is not None and call is not None and progress.completed < call.seq <= progress.enqueued:
            self.calls.setdefault(group, call)
            del self.calls[None]


class RankTable:
    """Every rank that was seen, by role and rank, and how many there are by the log's own word.

    ``processes`` answers which of them a process is that is named in another way.
    """

    def __init__(self) -> None:
        self.states: dict[tuple[str | None, int], RankState] = {}
        self.processes = ProcessRanks()
        self.world: int | None = None
        self._sizes: dict[str, int] = {}

    @property
    def ranks(self) -> frozenset[int]:
        """The ranks of any role."""
        return frozenset(rank for _, rank in self.states)

    @property
    def all_ranks(self) -> frozenset[int]:
        """Those that were seen, and those that there must be in a job of that size, as far as it is usual."""
        return self.ranks | frozenset(range(min(self.world or 0, _USUAL_RANKS)))

    def are_all(self, ranks: AbstractSet[int]) -> bool:
        """Whether these are all ranks that were seen, and all of a job or of a node: a block of them without gaps."""
        first, many = min(ranks), len(ranks)
        block = max(ranks) - first < many and first % many == 0
        alone = many == 1 and (first != 0 or (self.world or 1) > 1)
        return block and not alone and ranks >= self.ranks

    @property
    def sizes(self) -> ParallelSizes:
        """How the ranks share the work."""
        return ParallelSizes(self.world, **self._sizes)

    def of_local(self, rank: int) -> int | None:
        """The rank of the process of this number on its node; None where there may be several nodes."""
        hosts = self.processes.hosts | {state.host for state in self.states.values() if state.host is not None}
        return rank if len(hosts) <= 1 and (self.world is None or rank < self.world) else None

    def at(self, place: str) -> tuple[str, frozenset[int]]:
        """The host that a peer gives by its name or address, and the ranks that run there as far as they said so."""
        host = self.processes.host_of(place)
        wrote = frozenset(rank for (_, rank), state in self.states.items() if state.host == host)
        return host, self.processes.ranks_on(host) | wrote

    def see(self, observation: Observation) -> None:
        """Take down what a line says of its writer."""
        event = observation.event
        self.processes.see(event)
        if isinstance(event, GroupRecord) and event.members:
            self._grow_to(event.members[-1] + 1)
        state = self._state_of(observation)
        for hit in event.hits:
            if hit.captures:
                self._read_sizes(hit.captures)
                if state is not None:
                    state.read(hit.captures, observation)

    def _state_of(self, observation: Observation) -> RankState | None:
        worker = observation.worker
        if worker.rank is None:
            return None
        key = (worker.role, worker.rank)
        state = self.states.get(key)
        if state is None:
            if len(self.states) >= KEPT_RANKS:
                return None
            state = self.states[key] = RankState(observation)
        state.last = observation
        state.host = worker.host or state.host
        return state

    def _read_sizes(self, said: Mapping[str, str]) -> None:
        if (world := as_rank(said.get("world_size"))) is not None:
            self._grow_to(world)
        for kind in ("tensor", "context", "pipeline"):
            if (size := whole_number(said.get(f"{kind}_parallel"))) is not None and size > 0:
                self._sizes[kind] = size

    def _grow_to(self, world: int) -> None:
        self.world = max(self.world or 0, world)
