"""What takes long and asks for nothing but itself, on all cores: rule files read, above all their patterns compiled."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from logrules.ruleset.compile import Read, read_source
from logrules.ruleset.pattern import forms_made, made_so_far, stored_so_far, use_stored
from logrules.ruleset.rule_file import RuleText

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# Fewer files are read sooner than processes are started.
FEW = 60
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

    with process_pool(processes or default_processes(), _begin, None, None) as pool:
        yield from pool.map(work, items, chunksize=together)


def _begin(_: None) -> None:
    """The work asks for nothing but its item."""


def reading_with(processes: int | None) -> Callable[[Iterable[RuleText]], Iterator[Read]]:
    """What reads rule files by so many processes, by one a core unless told how many."""
    return lambda texts: _read(tuple(texts), processes)


def _read(texts: Sequence[RuleText], processes: int | None) -> Iterator[Read]:
    if len(texts) < FEW or processes == 1:
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
