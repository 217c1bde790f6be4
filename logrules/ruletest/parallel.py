"""What takes long, on all cores: tests run on a pack, rule files read, above all their patterns compiled."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from logrules.engine.run import Prepared, prepared
from logrules.ruleset.compile import Read, read_source
from logrules.ruleset.pack import Pack
from logrules.ruleset.pattern import forms_made, made_so_far, stored_so_far, use_stored
from logrules.ruleset.rule_file import RuleText

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# Below this many tests starting processes costs more than it saves.
FEW_TESTS = 150
_CHUNKS_A_PROCESS = 8
# Fewer files are read sooner than processes are started.
FEW_FILES = 60
# Some files take a hundred times as long as others.
_TOGETHER = 8


def mapped(
    work: Callable[[Item], Answer], items: Sequence[Item], processes: int | None, *, few: int, together: int = 1
) -> Iterator[Answer]:
    """``work`` of each item, in order, by one process a core unless told how many; of a few, in this one.

    It is a function of a module. Each process is given so many items ``together``.
    """
    if len(items) < few or processes == 1:
        yield from map(work, items)
        return
    # What few items do without takes longer to load than they do.
    from logrules.engine.resilient_pool import default_processes, process_pool

    with process_pool(processes or default_processes(), _begin_alone, None, None) as pool:
        yield from pool.map(work, items, chunksize=together)


def _begin_alone(_: None) -> None:
    """The work asks for nothing but its item."""


def reading_with(processes: int | None) -> Callable[[Iterable[RuleText]], Iterator[Read]]:
    """What reads rule files by so many processes, by one a core unless told how many."""
    return lambda texts: _read(tuple(texts), processes)


def _read(texts: Sequence[RuleText], processes: int | None) -> Iterator[Read]:
    if len(texts) < FEW_FILES or processes == 1:
        yield from map(read_source, texts)
        return
    rest = iter(texts)
    parts = list(iter(lambda: tuple(islice(rest, _TOGETHER)), ()))
    for found, forms in mapped(_read_part, parts, processes, few=0):
        use_stored({**stored_so_far(), **forms})
        yield from found


def _read_part(texts: Sequence[RuleText]) -> tuple[list[Read], dict[str, bytes]]:
    """What the texts say, and their patterns as they are stored: no process compiles what another one did."""
    known = frozenset(made_so_far())
    found = [read_source(text) for text in texts]
    return found, forms_made(known)


class _Here:
    """The pack of this process."""

    on: Prepared


def on_all_cores(
    task: Callable[[Prepared, Item], Answer],
    items: Sequence[Item],
    on: Prepared,
    processes: int | None,
    few: int = FEW_TESTS,
) -> Iterator[Answer]:
    """``task`` of each item, in order, by one process a core unless told how many. It is a function of a module."""
    if len(items) < few or processes == 1:
        yield from (task(on, item) for item in items)
        return
    # What few tests do without takes longer to load than they do.
    from logrules.engine.resilient_pool import default_processes, process_pool

    processes = processes or default_processes()
    with process_pool(processes, _begin, on, on.pack) as pool:
        size = max(1, len(items) // (processes * _CHUNKS_A_PROCESS))
        yield from pool.map(_do, [(task, item) for item in items], chunksize=size)


def _begin(given: Prepared | Pack) -> None:
    _Here.on = prepared(given, cache=True) if isinstance(given, Pack) else given


def _do(work: tuple[Callable[[Prepared, Any], Any], Any]) -> Any:
    task, item = work
    return task(_Here.on, item)
