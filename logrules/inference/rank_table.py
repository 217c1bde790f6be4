"""What each rank of a job has said of itself: its last line, its host, its last step, the collective that it is in.

Rules and markers say which lines tell: by the captures ``seq`` and ``op`` (with ``numel_in``, ``numel_out`` and
``timeout_ms``) of a collective that is waited for, ``enqueued`` and ``completed`` of what a rank has started and
finished, ``step``, ``world_size``, ``own_rank`` of a process that elsewhere only gives its number (its writer, or the
process ``of_pid`` on ``of_host`` of which its writer tells), ``own_address`` by which others may call its host, and
``tensor_parallel``, ``context_parallel`` and ``pipeline_parallel``, the sizes of groups.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from logrules.inference.numbered_roles import NumberedRoles
from logrules.inference.observation import Observation
from logrules.model.collective import CollectiveCall, GroupRecord
from logrules.model.event import Worker, as_rank, whole_number
from logrules.model.record import field, mutable_record, record
from logrules.model.worker_status import ParallelSizes

# More ranks than these are told apart by nobody, and each keeps a line.
KEPT_RANKS = 65_536

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
    mixed: set[str | None] = field(default_factory=set)

    def wait_in(self, group: str | None, call: Collective) -> None:
        """Take down a collective that the rank waits for."""
        if call.seq < self.calls.setdefault(group, call).seq:
            self.mixed.add(group)

    def stand_at(self, group: str | None, progress: GroupProgress) -> None:
        """Take down how far the rank is in a group; a call without one that is under way there is that group's."""
        self.standings.setdefault(group, progress)
        call = self.calls.get(None)
        if group is not None and call is not None and progress.completed < call.seq <= progress.enqueued:
            self.calls.setdefault(group, call)
            del self.calls[None]


class RankTable:
    """Every rank that was seen, by role and rank, and how many there are by the log's own word."""

    def __init__(self) -> None:
        self.states: dict[tuple[str | None, int], RankState] = {}
        self.world: int | None = None
        self._sizes: dict[str, int] = {}
        # Of which size the largest communicator is in which a process said its rank, and that rank; None of a process
        # that said several: it drives several GPUs.
        self._ranks: dict[tuple[str | None, int], tuple[int, int | None]] = {}
        # The rank of each process that wrote with both its number and its rank; None where it wrote for several.
        self._writers: dict[tuple[str | None, int], int | None] = {}
        self._hosts: dict[str, str] = {}
        self._roles = NumberedRoles()

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

    def rank_of(self, worker: Worker) -> int | None:
        """The rank of a process whose line names only its number: as the process itself said it elsewhere."""
        if worker.rank is not None or worker.pid is None:
            return worker.rank
        key = (worker.host, worker.pid)
        known = self._ranks.get(key)
        return known[1] if known is not None else self._writers.get(key)

    def rank_of_process(self, pid: int, host: str | None) -> int | None:
        """The rank of a process of which another tells by its number, and its host; None where it may be of several."""
        place = host if host is None else self._hosts.get(host, host)
        said = {key: rank for key, (_, rank) in self._ranks.items()} | self._writers
        if place is not None and (place, pid) in said:
            return said[place, pid]
        # Who writes on the driver's own node does not give its address.
        ranks = {rank for (where, its), rank in said.items() if its == pid and None in (where, place)}
        return ranks.pop() if len(ranks) == 1 else None

    def number_of(self, worker: Worker) -> int | None:
        """The number of a process that says no rank among those alike, by its role."""
        return self._roles.number_of(worker.role) if worker.rank is None else None

    def of_local(self, rank: int) -> int | None:
        """The rank of the process of this number on its node; None where there may be several nodes."""
        hosts = {state.host for state in self.states.values()} | set(self._hosts.values())
        return rank if len(hosts - {None}) <= 1 and (self.world is None or rank < self.world) else None

    def at(self, place: str) -> tuple[str, frozenset[int]]:
        """The host that a peer gives by its name or address, and the ranks that run there as far as they said so."""
        host = self._hosts.get(place) or self._hosts.get(place.partition(".")[0], place)
        size = max((size for size, _ in self._ranks.values()), default=0)
        own = {
            rank
            for (where, _), (its, rank) in self._ranks.items()
            if where == host and its == size and rank is not None
        }
        return host, frozenset(own | {rank for (_, rank), state in self.states.items() if state.host == host})

    def see(self, observation: Observation) -> None:
        """Take down what a line says of its writer."""
        state = self._state_of(observation)
        if state is None and (role := observation.worker.role) is not None:
            self._roles.see(role)
        if isinstance(observation.event, GroupRecord) and observation.event.members:
            self.world = max(self.world or 0, observation.event.members[-1] + 1)
        for hit in observation.event.hits:
            if hit.captures:
                self._introduce(hit.captures, observation.worker)
                self._read(hit.captures, observation, state)

    def _introduce(self, said: Mapping[str, str], worker: Worker) -> None:
        if worker.host is not None and len(self._hosts) < KEPT_RANKS:
            self._hosts[worker.host] = worker.host
            if (address := said.get("own_address")) is not None:
                self._hosts[address] = worker.host
        rank, size = as_rank(said.get("own_rank")), as_rank(said.get("world_size"))
        if rank is not None and (pid := whole_number(said.get("of_pid"))) is not None and len(self._ranks) < KEPT_RANKS:
            # Who runs on the driver's own node does not give its address.
            for host in (said.get("of_host"), None):
                self._ranks.setdefault((host, pid), (rank + 1, rank))
            return
        if rank is None or worker.pid is None or len(self._ranks) >= KEPT_RANKS:
            return
        key, told = (worker.host, worker.pid), (size or 0, rank)
        known = self._ranks.get(key)
        if known is None or known[0] < told[0]:
            self._ranks[key] = told
        elif known[0] == told[0] and known != told:
            self._ranks[key] = (known[0], None)

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
        if worker.pid is not None and len(self._writers) < KEPT_RANKS:
            known = self._writers.setdefault((worker.host, worker.pid), worker.rank)
            if known != worker.rank:
                self._writers[worker.host, worker.pid] = None
        return state

    def _read(self, said: Mapping[str, str], observation: Observation, state: RankState | None) -> None:
        if (world := as_rank(said.get("world_size"))) is not None:
            self.world = max(self.world or 0, world)
        for kind in ("tensor", "context", "pipeline"):
            if (size := whole_number(said.get(f"{kind}_parallel"))) is not None and size > 0:
                self._sizes[kind] = size
        if state is None:
            return
        if (step := whole_number(said.get("step"))) is not None:
            state.step, state.stepped = step, observation
        group = observation.event.group
        seq, op = whole_number(said.get("seq")), said.get("op")
        if seq is not None and op is not None:
            limit = whole_number(said.get("timeout_ms"))
            timeout_s = None if limit is None else limit / 1_000
            sizes = whole_number(said.get("numel_in")), whole_number(said.get("numel_out"))
            state.wait_in(group, Collective(seq, op, *sizes, timeout_s, observation))
        enqueued, completed = whole_number(said.get("enqueued")), whole_number(said.get("completed"))
        if enqueued is not None and completed is not None:
            state.stand_at(group, GroupProgress(enqueued, completed, observation))
