"""Which ranks work together, and which group those share that stand apart. Pure functions.

Whoever hangs or is slow drags its own group along first: where all that stand apart are of one group, the fault is
there, though the stack of each may look innocent.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from logrules.model.collective import GroupRecord
from logrules.model.event import as_rank
from logrules.model.record import record, replace
from logrules.model.timeline import ParallelSizes

MAX_RANKS = 65_536
# How trainers and servers call the sizes on their command lines.
_OPTION = re.compile(r"--?(tensor|context|pipeline)[-_](?:model[-_])?parallel[-_]size(?:=(\d{1,5}))?")


@record
class ProcessGroup:
    """Ranks that call collectives together; ``name`` says what for."""

    name: str
    ranks: tuple[int, ...]


def sizes_of(arguments: Sequence[str], world: int | None = None) -> ParallelSizes:
    """The sizes that a command line gives, by the names of Megatron and vLLM."""
    found: dict[str, int] = {}
    for option, following in pairwise((*arguments, "")):
        if (known := _OPTION.fullmatch(option)) is not None:
            found[known[1]] = as_rank(known[2] or following) or 1
    return ParallelSizes(world, found.get("tensor", 1), found.get("context", 1), found.get("pipeline", 1))


def groups_of_sizes(sizes: ParallelSizes) -> tuple[ProcessGroup, ...]:
    """The groups of a job of these sizes; none where nothing is shared out, or the sizes do not fit.

    Ranks are laid out as Megatron and DeepSpeed do: neighbours share a tensor, then a context; stages of a pipeline
    are furthest apart.
    """
    inner = max(sizes.tensor, 1), max(sizes.context, 1)
    pipeline, world = max(sizes.pipeline, 1), sizes.world or 0
    model = inner[0] * inner[1] * pipeline
    if model == 1 or not 0 < world <= MAX_RANKS or world % model:
        return ()
    names = ("tensor parallel", "context parallel", "data parallel", "pipeline parallel")
    extents = (*inner, world // model, pipeline)
    found = []
    stride = 1
    for name, extent in zip(names, extents, strict=True):
        if extent > 1:
            first = [rank for rank in range(world) if rank // stride % extent == 0]
            groups = [tuple(rank + stride * place for place in range(extent)) for rank in first]
            found += [ProcessGroup(f"{name} group {number}", ranks) for number, ranks in enumerate(groups)]
        stride *= extent
    return tuple(found)


def groups_of_records(records: Iterable[GroupRecord]) -> tuple[ProcessGroup, ...]:
    """The groups that flight recorders know, without the one of all ranks."""
    known = {one.group: ProcessGroup(one.group_name, one.members) for one in records if len(one.members) > 1}
    world = {rank for group in known.values() for rank in group.ranks}
    return tuple(group for group in known.values() if len(group.ranks) < len(world))


def shared_group(ranks: Iterable[int], groups: Iterable[ProcessGroup]) -> ProcessGroup | None:
    """The smallest group that all of these ranks are in; None for fewer than two, or where there is none."""
    wanted = frozenset(ranks)
    fitting = [group for group in groups if wanted <= frozenset(group.ranks)]
    return min(fitting, key=lambda group: len(group.ranks), default=None) if len(wanted) > 1 else None


def group_apart(rounds: Sequence[Iterable[int]], groups: Sequence[ProcessGroup]) -> tuple[ProcessGroup, int] | None:
    """The group with most of the ranks that stood apart, in more than half of the rounds, and in how many it was so.

    Of two with as many, the smaller one counts: its ranks have more in common.
    """
    counts: Counter[ProcessGroup] = Counter()
    for apart in rounds:
        names = frozenset(apart)
        held = {group: len(names.intersection(group.ranks)) for group in groups}
        most = max(held, key=lambda group: (held[group], -len(group.ranks)), default=None)
        if most is not None and held[most] > 1:
            counts[most] += 1
    best = max(counts, key=lambda group: counts[group], default=None)
    return (best, counts[best]) if best is not None and 2 * counts[best] > len(rounds) else None


def groups_of_job(
    sizes: ParallelSizes, arguments: Iterable[Sequence[str]], environments: Iterable[Mapping[str, str]]
) -> tuple[ProcessGroup, ...]:
    """The groups by what the log says, else by the command lines and environments of the job's processes."""
    counts = (as_rank(one.get("WORLD_SIZE")) for one in environments)
    world = sizes.world or next((count for count in counts if count is not None), None)
    said = replace(sizes, world=world)
    lines = (sizes_of(words, world) for words in arguments)
    return next((found for one in (said, *lines) if (found := groups_of_sizes(one))), ())
