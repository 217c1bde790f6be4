"""Rule files read on all cores: to compile their patterns is most of what a first run does."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from logrules.ruleset.compile import Read, read_source
from logrules.ruleset.pattern import forms_made, made_so_far, stored_so_far, use_stored
from logrules.ruleset.rule_file import RuleText

# Fewer are read sooner than processes are started.
FEW = 60
# Some files take a hundred times as long as others.
_TOGETHER = 8


def reading_with(processes: int | None) -> Callable[[Iterable[RuleText]], Iterator[Read]]:
    """What reads rule files by so many processes, by one a core unless told how many."""
    return lambda texts: _read(tuple(texts), processes)


def _read(texts: Sequence[RuleText], processes: int | None) -> Iterator[Read]:
    if len(texts) < FEW or processes == 1:
        yield from map(read_source, texts)
        return
    from logrules.engine.resilient_pool import default_processes, process_pool

    rest = iter(texts)
    parts = list(iter(lambda: tuple(islice(rest, _TOGETHER)), ()))
    with process_pool(processes or default_processes(), _begin, None, None) as pool:
        for found, forms in pool.map(_read_part, parts):
            use_stored({**stored_so_far(), **forms})
            yield from found


def _begin(_: None) -> None:
    """A file asks for nothing but itself."""


def _read_part(texts: Sequence[RuleText]) -> tuple[list[Read], dict[str, bytes]]:
    """What the texts say, and their patterns as they are stored: no process compiles what another one did."""
    known = frozenset(made_so_far())
    found = [read_source(text) for text in texts]
    return found, forms_made(known)
