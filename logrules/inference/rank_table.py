"""What each rank of a job has said of itself: its last line, its host, its last step, the collective that it is in.

Rules and markers say which lines tell: by the captures ``seq`` and ``op`` (with ``numel_in``, ``numel_out`` and
``timeout_ms``) of a collective that is waited for, ``enqueued`` and ``completed`` of what a rank has started and
finished, ``step``, ``world_size``, and ``tensor_parallel``, ``context_parallel`` and ``pipeline_parallel``, the sizes
of groups.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import TypeAlias

from logrules.inference.observation import Observation
from logrules.model.collective import CollectiveCall, GroupRecord
from logrules.model.event import Event, Worker, as_rank, whole_number
from logrules.model.late_pattern import late_pattern
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
            known = self.calls.setdefault(group, Collective(seq, op, *sizes, timeout_s, observation))
            if seq < known.seq:
                self.mixed |= {group}
        enqueued, completed = whole_number(said.get("enqueued")), whole_number(said.get("completed"))
        if enqueued is not None and completed is not None:
            self.standings.setdefault(group, GroupProgress(enqueued, completed, observation))
            call = self.calls.get(None)
            if group is not None and call is not None and completed < call.seq <= enqueued:
                # A call without a group that is under way there is that group's.
                self.calls.setdefault(group, call)
                del self.calls[None]


# More ranks than these are told apart by nobody, and each keeps a line.
KEPT_RANKS = 65_536

# A process by its host and its number.
Process: TypeAlias = tuple[str | None, int]


class ProcessRanks:
    """The processes of a job by what they said of themselves.

    Lines tell by the captures ``own_rank`` (of their writer, or of the process ``of_pid`` on ``of_host``),
    ``world_size`` of the group that this is a rank of, and ``own_address`` by which others may call the writer's host.
    """

    def __init__(self) -> None:
        # Of the largest group in which each said its rank the size, and that rank; None where it said several there, as
        # who drives several GPUs does.
        self._said: dict[Process, tuple[int, int | None]] = {}
        # The rank of each process that wrote with both its number and its rank; None where it wrote for several.
        self._wrote_as: dict[Process, int | None] = {}
        self._hosts: dict[str, str] = {}
        # The roles of those that gave no rank, in the order in which they wrote first.
        self._roles: dict[str, None] = {}

    def see(self, event: Event) -> None:
        """Take down what a line tells of processes, its own writer first."""
        worker = event.worker
        if worker.rank is None:
            if worker.role is not None and len(self._roles) < KEPT_RANKS:
                self._roles[worker.role] = None
        elif worker.pid is not None and len(self._wrote_as) < KEPT_RANKS:
            process = (worker.host, worker.pid)
            if self._wrote_as.setdefault(process, worker.rank) != worker.rank:
                self._wrote_as[process] = None
        for said in (hit.captures for hit in event.hits if hit.captures):
            if worker.host is not None and len(self._hosts) < KEPT_RANKS:
                self._hosts |= dict.fromkeys(filter(None, (worker.host, said.get("own_address"))), worker.host)
            if (rank := as_rank(said.get("own_rank"))) is not None and len(self._said) < KEPT_RANKS:
                self._name_rank(worker, rank, said)

    def _name_rank(self, worker: Worker, rank: int, said: Mapping[str, str]) -> None:
        """The writer of a line, or the process that it tells of, is this rank."""
        if (pid := whole_number(said.get("of_pid"))) is not None:
            # Who runs on the driver's own node does not give its address.
            for host in (said.get("of_host"), None):
                self._said.setdefault((host, pid), (rank + 1, rank))
        elif worker.pid is not None:
            process, size = (worker.host, worker.pid), as_rank(said.get("world_size")) or 0
            known_size, known = self._said.setdefault(process, (size, rank))
            if known_size < size:
                self._said[process] = (size, rank)
            elif known_size == size and known != rank:
                self._said[process] = (size, None)

    def rank_of(self, worker: Worker) -> int | None:
        """The rank of a process whose line names only its number: as the process itself said it elsewhere."""
        if worker.rank is not None or worker.pid is None:
            return worker.rank
        process = (worker.host, worker.pid)
        return self._said[process][1] if process in self._said else self._wrote_as.get(process)

    def rank_of_process(self, pid: int, host: str | None) -> int | None:
        """The rank of a process of which another tells by its number, and its host; None where it may be of several."""
        place = host if host is None else self._hosts.get(host, host)
        ranks = {process: rank for process, (_, rank) in self._said.items()} | self._wrote_as
        if place is not None and (place, pid) in ranks:
            return ranks[place, pid]
        # Who writes on the driver's own node does not give its address.
        alike = {rank for (where, its), rank in ranks.items() if its == pid and None in (where, place)}
        return alike.pop() if len(alike) == 1 else None

    def number_of(self, worker: Worker) -> int | None:
        """The number of a process that says no rank, by its role, where those alike count from 0.

        One that stands alone may be anything.
        """
        own = _parts(worker.role) if worker.rank is None and worker.role in self._roles else None
        if own is None:
            return None
        alike = {its[1] for its in map(_parts, self._roles) if its is not None and its[0] == own[0]}
        return own[1] if 0 in alike and len(alike) > 1 else None

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts that processes were seen on."""
        return frozenset(self._hosts.values())

    def at(self, place: str) -> tuple[str, frozenset[int]]:
        """The host that a peer gives by its name or address, and the ranks that processes there said of themselves.

        These count in the largest group of any.
        """
        host = self._hosts.get(place) or self._hosts.get(place.partition(".")[0], place)
        largest = max((size for size, _ in self._said.values()), default=0)
        told = ((where, rank) for (where, _), (size, rank) in self._said.items() if size == largest)
        return host, frozenset(rank for where, rank in told if where == host and rank is not None)


_NUMBER = late_pattern(r"(?P<stem>.*[A-Za-z_/-])(?P<number>\d{1,5})")
# Compose numbers the replicas of a service from 1, also where the service's own name bears its number.
_ONLY_REPLICA = late_pattern(r"(.*\d)[-_]1")


@lru_cache(maxsize=1_024)
def _parts(role: str) -> tuple[str, int] | None:
    """What stands before the number of a role, and the number: EngineCore_DP3, trainer_3, DP1."""
    replica = _ONLY_REPLICA.fullmatch(role)
    found = _NUMBER.fullmatch(replica[1] if replica is not None else role)
    return (found["stem"], int(found["number"])) if found is not None else None


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
        """The host that a peer gives by its name or address, and the ranks that wrote from there or said so."""
        host, said = self.processes.at(place)
        return host, said | {rank for (_, rank), state in self.states.items() if state.host == host}

    def see(self, observation: Observation) -> None:
        """Take down what a line says of its writer."""
        event = observation.event
        self.processes.see(event)
        if isinstance(event, GroupRecord) and event.members:
            self._grow_to(event.members[-1] + 1)
        rank = event.worker.rank
        state = self._state_of((event.worker.role, rank), observation) if rank is not None else None
        for said in (hit.captures for hit in event.hits if hit.captures):
            if (world := as_rank(said.get("world_size"))) is not None:
                self._grow_to(world)
            for kind in ("tensor", "context", "pipeline"):
                if (size := whole_number(said.get(f"{kind}_parallel"))) is not None and size > 0:
                    self._sizes[kind] = size
            if state is not None:
                state.read(said, observation)

    def _state_of(self, key: tuple[str | None, int], observation: Observation) -> RankState | None:
        """The state of the rank that wrote a line, which is its last now; None of one too many."""
        state = self.states.get(key)
        if state is None:
            if len(self.states) >= KEPT_RANKS:
                return None
            state = self.states[key] = RankState(observation)
        state.last = observation
        state.host = observation.worker.host or state.host
        return state

    def _grow_to(self, world: int) -> None:
        self.world = max(self.world or 0, world)
