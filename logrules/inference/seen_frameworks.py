"""The frameworks that a run shows, and how they change what its markers mean."""

from collections.abc import Iterable
from itertools import chain
from typing import TypeVar

from logrules.model.event import Event
from logrules.model.failure import Failure
from logrules.model.record import replace
from logrules.ruleset.pack import Marker, Pack

Key = TypeVar("Key")
Value = TypeVar("Value")


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, tuple[Value, ...]]:
    """By its first part what stands beside it, each once."""
    found: dict[Key, dict[Value, None]] = {}
    for key, value in pairs:
        found.setdefault(key, {})[value] = None
    return {key: tuple(values) for key, values in found.items()}


class FrameworkSigns:
    """What shows frameworks, by a pack: signals, headers of lines, components of frames; and where their jobs loop."""

    def __init__(self, pack: Pack) -> None:
        self.by_signal = grouped((sign, one.id) for one in pack.frameworks for sign in one.signals)
        self.by_header = grouped((sign, one.id) for one in pack.frameworks for sign in one.headers)
        self.by_component = grouped((sign, one.id) for one in pack.frameworks for sign in one.components)
        self.loops = {one.id: one.loops for one in pack.frameworks if one.loops}
        self.looping_phases = frozenset(phase.id for phase in pack.phases if phase.loop)
        # Of phases that may be part of another one, that one.
        self.wholes = {phase.id: phase.part_of for phase in pack.phases if phase.part_of is not None}


class SeenFrameworks:
    """The ``names`` of the frameworks that one run shows, by its lines or by frames of its failures."""

    def __init__(self, signs: FrameworkSigns) -> None:
        self.names: set[str] = set()
        self._signs = signs
        # Only lines change what markers mean: a frame may be of a library that a job merely calls.
        self._by_lines: set[str] = set()
        self._loops: set[str] = set()
        self._within: dict[str, str] = {}

    def see(self, event: Event) -> None:
        """Take the frameworks that a line shows by its headers and signals."""
        by_header, by_signal = self._signs.by_header, self._signs.by_signal
        shown = chain(
            (by_header.get(header, ()) for header in event.headers),
            (by_signal.get(hit.signal, ()) for hit in event.hits),
        )
        for name in chain.from_iterable(shown):
            if name not in self._by_lines:
                self._by_lines.add(name)
                self.names.add(name)
                loops = self._signs.loops.get(name, ())
                self._loops.update(loops)
                wholes = self._signs.wholes.items()
                self._within |= {part: whole for part, whole in wholes if whole in loops and part not in loops}

    def see_frames(self, failure: Failure) -> None:
        """Take those that frames of a failure show."""
        for frame in chain.from_iterable(link.frames for link in failure.chain):
            if frame.origin.component is not None:
                self.names.update(self._signs.by_component.get(frame.origin.component, ()))

    def as_meant(self, marker: Marker, *, measuring: bool) -> Marker:
        """The marker as it is meant in this job: its phase may be part of another, and a guess may lose its phase.

        A guess does so where the frameworks seen loop only in other phases, or its writer is ``measuring`` a model.
        """
        if marker.enters in self._within:
            marker = replace(marker, enters=self._within[marker.enters])
        if marker.guess and measuring:
            return replace(marker, enters=None, opens=())
        alien = marker.guess and self._loops and marker.enters not in self._loops
        return replace(marker, enters=None) if alien else marker

    def likely_loop(self, phase: str | None) -> str | None:
        """The phase; where it is a loop that no job of the frameworks seen has, the first that one has."""
        loops = [loops for name, loops in self._signs.loops.items() if name in self.names]
        foreign = phase in self._signs.looping_phases and loops and not any(phase in one for one in loops)
        return loops[0][0] if foreign else phase
