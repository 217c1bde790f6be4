"""Stamps without a year, given one by the full dates of their own log."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from operator import attrgetter
from typing import TypeVar

from logrules.inference.clock import Clock
from logrules.model.event import Event, Timestamp
from logrules.model.record import replace

Item = TypeVar("Item")

# Where a log has full dates at all, the first stands among the first lines of it that are of use.
_MOST_AHEAD = 4096


def dated(event: Event, clock: Clock) -> Event:
    """The event with a stamp that has a year, as ``clock`` reads it: the clock of the log, which it moves on."""
    time = clock.read(event)
    if time is not None and event.stamp is not None and not event.stamp.year_known:
        return replace(event, stamp=Timestamp(time, year_guessed=clock.guesses_years))
    return event


def dated_events(events: Iterable[Event], clock: Clock) -> Iterator[Event]:
    """The events of a saved log, their stamps with years; ``clock`` is that of the log."""
    return (dated(event, clock) for event in after_full_date(events, attrgetter("stamp"), clock))


def after_full_date(
    items: Iterable[Item], stamp_of: Callable[[Item], Timestamp | None], clock: Clock
) -> Iterator[Item]:
    """The same items, once ``clock`` knows the first full date that is among those at the beginning.

    Nothing is held back of a log whose first stamp has a year.
    """
    source = iter(items)
    ahead: list[Item] = []
    for item in islice(source, _MOST_AHEAD):
        ahead.append(item)
        stamp = stamp_of(item)
        if stamp is not None and stamp.year_known:
            clock.go_by(stamp.seconds)
            break
    return chain(ahead, source)
