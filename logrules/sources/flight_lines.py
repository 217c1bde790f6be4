"""What dumps tell, as lines of a log of each rank, so that the rules read them as they read everything else."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from logrules.sources.flight_compare import CallDifference, FlightFinding, findings, groups_of, standing
from logrules.sources.flight_dump import Dump, Group, RecordedCall


def lines_of(dumps: Sequence[Dump]) -> dict[str, str]:
    """The text of each dump by its name: where its rank stands in each group, then what the comparison found of it."""
    known = groups_of(dumps)
    found = findings(dumps)
    names = {dump.rank: dump.name for dump in dumps}
    text: dict[str, list[str]] = {dump.name: list(_standings(dump)) for dump in dumps}
    for one in found:
        for rank, line in _told(one, known[one.group]):
            text[names[rank]].append(line)
    return {name: "\n".join((*lines, "")) for name, lines in text.items()}


def _standings(dump: Dump) -> Iterator[str]:
    for group, calls in dump.calls.items():
        waiting, enqueued, completed = standing(calls)
        last = next(waiting, calls[-1] if calls else None)
        head = _head(dump.rank, group, dump.groups.get(group, Group()), last)
        members = dump.groups.get(group, Group()).ranks
        world = f", world size: {max(members) + 1}" if members else ""
        yield f"{head}flight recorder: enqueued up to {enqueued}, completed up to {completed}{world}"


def _told(one: FlightFinding, group: Group) -> Iterator[tuple[int, str]]:
    """(rank, line): of each odd rank what it did otherwise, then of one other what it waits in."""
    theirs, own = one.theirs, one.own
    for rank in one.odd[:64]:
        head = _head(rank, one.group, group, theirs)
        yield rank, f"{head}flight recorder: rank {rank} {_otherwise(one, own)}"
    if one.parting is CallDifference.EXTRA:
        return
    rank = one.others[0]
    head = _head(rank, one.group, group, theirs)
    yield rank, f"{head}flight recorder: rank {rank} called {_shown(theirs)}, and {len(one.others) - 1} others with it"


def _otherwise(one: FlightFinding, own: RecordedCall | None) -> str:
    theirs = one.theirs
    if one.parting is CallDifference.MISSED:
        last = f"its last was {_shown(own)}" if own is not None else "it called none"
        return f"never called collective {one.seq} ({theirs.op}) that {len(one.others)} others wait in; {last}"
    what = own.op if own is not None else "nothing"
    if one.parting is CallDifference.EXTRA:
        return f"called {what} as collective {one.seq}, {len(one.others)} others never called it{_at(own)}"
    if one.parting is CallDifference.OTHER_OPERATION:
        return f"called {what} as collective {one.seq}, {len(one.others)} others called {theirs.op}{_at(own)}"
    mine = f"{own.numel_in}->{own.numel_out}" if own is not None else "0"
    return (
        f"called {what} as collective {one.seq} with {mine} elements, "
        f"{len(one.others)} others with {theirs.numel_in}->{theirs.numel_out}{_at(own)}"
    )


def _shown(call: RecordedCall) -> str:
    return f"collective {call.seq} ({call.op}){_at(call)}"


def _at(call: RecordedCall | None) -> str:
    return f" at {call.place}" if call is not None and call.place else ""


def _head(rank: int, name: str, group: Group, call: RecordedCall | None) -> str:
    """The prefix that c10d itself gives its lines, behind the time at which the call was made."""
    told = f"{name}({group.description})" if group.description else name
    prefix = f"[rank{rank}]: [PG ID 0 PG GUID {told} Rank {rank}] "
    if call is None or call.created is None:
        return prefix
    return f"{datetime.fromtimestamp(call.created, UTC):%Y-%m-%d %H:%M:%S.%f} {prefix}"
