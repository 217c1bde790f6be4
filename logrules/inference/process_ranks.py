"""Which rank a process is that a line names in another way: by its number, its role or its host.

Lines tell by the captures ``own_rank`` (of their writer, or of the process ``of_pid`` on ``of_host``), ``world_size``
of the group that this is a rank of, and ``own_address`` by which others may call the writer's host.
"""

from collections.abc import Mapping
from typing import TypeAlias

from logrules.model.event import Event, Worker, as_rank, whole_number
from logrules.model.late_pattern import late_pattern
from logrules.model.record import record

# More ranks than these are told apart by nobody, and each keeps a line.
KEPT_RANKS = 65_536

# A process by its host and its number.
Process: TypeAlias = tuple[str | None, int]


@record
class _SaidRank:
    """The rank that a process said of itself in a group of this size; None where it said several there.

    Such a process drives several GPUs.
    """

    size: int
    rank: int | None


class ProcessRanks:
    """The processes of a job by what they said of themselves."""

    def __init__(self) -> None:
        # In the largest group in which each said its rank.
        self._said: dict[Process, _SaidRank] = {}
        # The rank of each process that wrote with both its number and its rank; None where it wrote for several.
        self._wrote_as: dict[Process, int | None] = {}
        self._hosts: dict[str, str] = {}
        self._roles = NumberedRoles()

    def see(self, event: Event) -> None:
        """Take down what a line tells of processes, its own writer first."""
        worker = event.worker
        if worker.rank is None:
            if worker.role is not None:
                self._roles.see(worker.role)
        elif worker.pid is not None and len(self._wrote_as) < KEPT_RANKS:
            process = (worker.host, worker.pid)
            if self._wrote_as.setdefault(process, worker.rank) != worker.rank:
                self._wrote_as[process] = None
        for hit in event.hits:
            if hit.captures:
                self._name_host(worker, hit.captures)
                self._name_rank(worker, hit.captures)

    def _name_host(self, worker: Worker, said: Mapping[str, str]) -> None:
        if worker.host is not None and len(self._hosts) < KEPT_RANKS:
            self._hosts[worker.host] = worker.host
            if (address := said.get("own_address")) is not None:
                self._hosts[address] = worker.host

    def _name_rank(self, worker: Worker, said: Mapping[str, str]) -> None:
        rank = as_rank(said.get("own_rank"))
        if rank is None or len(self._said) >= KEPT_RANKS:
            return
        if (pid := whole_number(said.get("of_pid"))) is not None:
            # Who runs on the driver's own node does not give its address.
            for host in (said.get("of_host"), None):
                self._said.setdefault((host, pid), _SaidRank(rank + 1, rank))
        elif worker.pid is not None:
            process, told = (worker.host, worker.pid), _SaidRank(as_rank(said.get("world_size")) or 0, rank)
            known = self._said.setdefault(process, told)
            if known.size < told.size:
                self._said[process] = told
            elif known.size == told.size and known != told:
                self._said[process] = _SaidRank(known.size, None)

    def rank_of(self, worker: Worker) -> int | None:
        """The rank of a process whose line names only its number: as the process itself said it elsewhere."""
        if worker.rank is not None or worker.pid is None:
            return worker.rank
        process = (worker.host, worker.pid)
        said = self._said.get(process)
        return said.rank if said is not None else self._wrote_as.get(process)

    def rank_of_process(self, pid: int, host: str | None) -> int | None:
        """The rank of a process of which another tells by its number, and its host; None where it may be of several."""
        place = host if host is None else self._hosts.get(host, host)
        ranks = {process: said.rank for process, said in self._said.items()} | self._wrote_as
        if place is not None and (place, pid) in ranks:
            return ranks[place, pid]
        # Who writes on the driver's own node does not give its address.
        alike = {rank for (where, its), rank in ranks.items() if its == pid and None in (where, place)}
        return alike.pop() if len(alike) == 1 else None

    def number_of(self, worker: Worker) -> int | None:
        """The number of a process that says no rank among those alike, by its role."""
        return self._roles.number_of(worker.role) if worker.rank is None else None

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts that processes were seen on."""
        return frozenset(self._hosts.values())

    def host_of(self, place: str) -> str:
        """The host that a peer gives by its name or address."""
        return self._hosts.get(place) or self._hosts.get(place.partition(".")[0], place)

    def ranks_on(self, host: str) -> frozenset[int]:
        """The ranks of those who said on this host which rank they are, in the largest group of any."""
        size = max((said.size for said in self._said.values()), default=0)
        here = (said for (where, _), said in self._said.items() if where == host and said.size == size)
        return frozenset(said.rank for said in here if said.rank is not None)


_NUMBER = late_pattern(r"(?P<stem>.*[A-Za-z_/-])(?P<number>\d{1,5})")
# Compose numbers the replicas of a service from 1, also where the service's own name bears its number.
_ONLY_REPLICA = late_pattern(r"(.*\d)[-_]1")
_KEPT_KINDS = 1_024
_KEPT_NUMBERS = 65_536


class NumberedRoles:
    """The numbers of the roles that wrote, by what stands before them: EngineCore_DP3, trainer_3, DP1."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, int] | None] = {}
        self._numbers: dict[str, set[int]] = {}

    def see(self, role: str) -> None:
        """Take down a role that wrote a line."""
        if role in self._known or len(self._known) >= _KEPT_NUMBERS:
            return
        parts = self._known[role] = _parts(role)
        if parts is not None and (parts[0] in self._numbers or len(self._numbers) < _KEPT_KINDS):
            self._numbers.setdefault(parts[0], set()).add(parts[1])

    def number_of(self, role: str | None) -> int | None:
        """The number of a role where its kind counts from 0 and has several; one that stands alone may be anything."""
        parts = self._known.get(role) if role is not None else None
        if parts is None:
            return None
        numbers = self._numbers.get(parts[0], set())
        return parts[1] if 0 in numbers and len(numbers) > 1 else None


def _parts(role: str) -> tuple[str, int] | None:
    replica = _ONLY_REPLICA.fullmatch(role)
    found = _NUMBER.fullmatch(replica[1] if replica is not None else role)
    return (found["stem"], int(found["number"])) if found is not None else None
