"""Which phase a failure is in, where frames of several phases call each other."""

from collections.abc import Iterable, Sequence

from logrules.model.failure import Frame, Origin
from logrules.ruleset.tables import Nesting


class NestedPhases:
    """Reads frames from the outermost in: an inner phase takes over unless the table says that it is a part."""

    def __init__(self, rows: Sequence[Nesting]) -> None:
        self._kept: dict[tuple[str, str], str] = {}
        self._unless_named: set[tuple[str, str]] = set()
        self._in_group: dict[tuple[str, str], str] = {}
        for row in rows:
            for inner in row.phases:
                self._kept |= {(outer, inner): row.becomes or outer for outer in row.inside}
                self._unless_named |= {(outer, inner) for outer in row.inside if not row.named}
                self._in_group |= {(group, inner): row.becomes or inner for group in row.groups}

    def innermost(self, frames: Iterable[tuple[Frame, Origin]]) -> tuple[str | None, Frame | None]:
        """The phase that is left, and the frame that says it.

        What a library calls of the user's code is named at random, so that words of such names count only until a
        library says a phase.
        """
        phase: str | None = None
        teller: Frame | None = None
        said_by_library = False
        groups: list[str] = []
        for frame, origin in frames:
            words_only = origin.own and origin.component is None
            if origin.phase is not None and not (words_only and said_by_library):
                inner = self._within(groups, origin.phase)
                kept = None if phase is None else self._kept.get((phase, inner))
                if phase is not None and not said_by_library and (phase, inner) in self._unless_named:
                    kept = None
                if kept is None or kept != phase:
                    phase, teller = kept or inner, frame
                said_by_library = said_by_library or not words_only
            if origin.group is not None and origin.group not in groups:
                groups.append(origin.group)
        return phase, teller

    def innermost_named(self, frames: Sequence[tuple[Frame, Origin, str | None]]) -> tuple[str | None, Frame | None]:
        """The phase that the innermost frame with a name of its own gives, below the groups of those around it."""
        for index in range(len(frames) - 1, -1, -1):
            frame, _, phase = frames[index]
            if phase is not None:
                groups = (origin.group for _, origin, _ in frames[:index] if origin.group is not None)
                return self._within(groups, phase), frame
        return None, None

    def _within(self, groups: Iterable[str], phase: str) -> str:
        return next((self._in_group[group, phase] for group in groups if (group, phase) in self._in_group), phase)
