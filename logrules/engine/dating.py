"""Corrects the times of events: timestamps without a year get one, and the clocks of several logs are aligned."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from operator import attrgetter
from typing import TypeVar

from logrules.inference.clock import Clock
from logrules.model.event import Event, Timestamp, Worker
from logrules.model.record import field, record, replace
from logrules.model.report import SourceNote

Item = TypeVar("Item")

# If a log has full dates at all, the first is within its first so many events.
_MOST_AHEAD = 4096


def dated(event: Event, clock: Clock) -> Event:
    """The event with a year in its timestamp, by ``clock``: that of the log, which it advances."""
    time = clock.read(event)
    if time is not None and event.stamp is not None and not event.stamp.year_known:
        return replace(event, stamp=Timestamp(time, year_guessed=clock.near is None))
    return event


def dated_events(events: Iterable[Event], clock: Clock) -> Iterator[Event]:
    """The events of a saved log, with years in their timestamps; ``clock`` is that of the log."""
    return (dated(event, clock) for event in after_full_date(events, attrgetter("stamp"), clock))


def after_full_date(
    items: Iterable[Item], stamp_of: Callable[[Item], Timestamp | None], clock: Clock
) -> Iterator[Item]:
    """The same items, once ``clock`` knows the first full date that is among those at the beginning.

    Nothing is held back if the log's first timestamp has a year.
    """
    source = iter(items)
    ahead: list[Item] = []
    for item in islice(source, _MOST_AHEAD):
        ahead.append(item)
        stamp = stamp_of(item)
        if stamp is not None and stamp.year_known:
            clock.near = stamp.seconds
            break
    return chain(ahead, source)


@record
class NamedWorker:
    """Whose log it is, as its name says, and as its first lines introduce that worker."""

    named: Worker
    introduced: Worker

    def in_full(self, worker: Worker) -> Worker:
        """The writer of a line that says less about it than the first lines."""
        own_rank = worker.rank if worker.rank != self.named.rank else self.introduced.rank
        return replace(worker, host=worker.host or self.introduced.host, rank=own_rank)


@record
class Alignment:
    """How the logs of one job fit together, by source: how many seconds its clock is behind, and whose it is; notes."""

    behind_s: Mapping[str, float] = field(default_factory=dict)
    workers: Mapping[str, NamedWorker] = field(default_factory=dict)
    notes: tuple[SourceNote, ...] = ()

    def corrected(self, event: Event) -> Event:
        """The event on the clock that most of the job uses, with its worker."""
        behind_s = self.behind_s.get(event.source)
        worker = self.workers.get(event.source)
        if behind_s is not None and event.stamp is not None:
            event = replace(event, stamp=replace(event.stamp, seconds=event.stamp.seconds + behind_s))
        return event if worker is None else replace(event, worker=worker.in_full(event.worker))
