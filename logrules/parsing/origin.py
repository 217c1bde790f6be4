"""Which component a frame or a line is from and what it was doing, by the table of origins."""

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import chain

from logrules.model.failure import ExceptionLink, Frame, Origin
from logrules.model.late_pattern import late_pattern
from logrules.model.package_path import PackagePath, PathKind, package_path
from logrules.model.record import record, replace
from logrules.parsing.origin_table import STANDARD_LIBRARY, OriginRow, OriginTable
from logrules.parsing.own_words import OwnNames, is_module_code, only_imported, words_of
from logrules.ruleset.tables import Component, Nesting, OwnWords

_MAX_MEMO = 20_000
_MAX_NAME = 200
_MAX_FRAMES = 2_000
# How far above a package its repository's folder stands: vllm/vllm/, sglang/python/sglang/.
_CHECKOUT_DEPTH = 2
_UNKNOWN = Origin()
# What packages of these groups call their functions speaks of a job's phases; elsewhere one validates a connection.
_WITH_LOOPS = frozenset({"trainer", "rl", "engine", "serving", "model-code", "quantization"})
# How Python says that a call does not fit the function's parameters.
_REFUSED = late_pattern(r"(?P<function>[\w.<>]{1,200})\(\) (?:got (?:an? unexpected|multiple|some)|missing \d|takes )")
# Headers stand first; what a long message quotes is no longer where it was printed.
_MAX_HEADER = 200
_SOURCE = late_pattern(
    r"(?<!\w)([\w./-]{0,160}\w\.(?:py|cc|cpp|cu|hpp|go|rs))(?:[:,(] ?\d{1,6}(?::(\w{1,80}))?|(?=\]))"
)
_LOGGER = late_pattern(r"(?<![\w./-])([a-z_]\w{0,40}(?:\.[a-z_]\w{0,40}){1,8})(?=[:\s\])|-])")


@record
class _Reading:
    """An origin and a phase that counts where no other frame tells one.

    Of the user's own code that is what the file's name speaks of, of a package no row knows better, its function's.
    """

    origin: Origin
    file_phase: str | None = None


class OriginResolver:
    """Answers where frames and headers are from, and which frame tells the phase of a failure."""

    def __init__(
        self, components: Sequence[Component], own_words: Sequence[OwnWords], nesting: Sequence[Nesting] = ()
    ) -> None:
        self._components = components
        self._own_words = own_words
        self._nested = NestedPhases(nesting)
        self._read = lru_cache(_MAX_MEMO)(self._read_anew)

    @cached_property
    def _table(self) -> OriginTable:
        """Made where a log first has a frame, or a header that names a logger or a file: most have neither."""
        return OriginTable(self._components)

    @cached_property
    def _words(self) -> OwnNames:
        return OwnNames(self._own_words)

    def of_frame(self, file: str, function: str) -> Origin:
        """The origin of a frame as a traceback prints it; ``own`` for the user's code and for copies of a library's."""
        return self._read(file, function).origin

    def of_header(self, logger: str | None, source: str | None, function: str | None) -> Origin | None:
        """The origin of a line by what its header names: a logger, a source file, a function; None if none is known."""
        name = (function or "")[-_MAX_NAME:].strip()
        found = self._of_logger(logger[:_MAX_NAME], name) if logger else None
        return found if found is not None or not source else self._of_source(source, name)

    def of_line(self, text: str) -> Origin | None:
        """The origin of a line whose header names where it was printed; None if it does not, or if no row knows it."""
        header = text[:_MAX_HEADER]
        sources = (self.of_header(None, found[1], found[2]) for found in _SOURCE.finditer(header))
        loggers = (self.of_header(found[1], None, None) for found in _LOGGER.finditer(header))
        return next((origin for origin in chain(sources, loggers) if origin is not None), None)

    def phase_of(self, frames: Sequence[Frame]) -> tuple[str | None, Frame | None]:
        """The phase that the frames of an exception tell, the outermost first, and the frame that tells it.

        Frames go by their file and function. Libraries and the functions of the user's code count first; where they say
        nothing, the file names of the user's code; then, whether an import was running. What a module that is just
        imported is called says what it is for, not what it did.
        """
        frames = frames[-_MAX_FRAMES:]
        readings = [(frame, self._read(frame.file, frame.function)) for frame in frames]
        phase, teller = self._nested.innermost((frame, reading.origin) for frame, reading in readings)
        if phase is not None:
            return phase, teller
        if self._words.is_imported(frames):
            return self._words.of_import(frames)
        imported = only_imported(frames)
        named = [
            (one, read.origin, None if place in imported else read.file_phase)
            for place, (one, read) in enumerate(readings)
        ]
        phase, teller = self._nested.innermost_named(named)
        return (phase, teller) if phase is not None else self._words.of_import(frames)

    def phase_of_chain(self, links: Sequence[ExceptionLink]) -> tuple[str | None, Frame | None]:
        """The phase of a failure, by its chain from the innermost cause out, and the frame that tells it.

        The frames of a cause begin where it was caught, so that what called that stands in the exception after it. An
        exception further out tells the phase only where those before it do not.
        """
        for index, link in enumerate(links):
            phase, teller = self.phase_of((*_with_callers(links[index:]), *_refused_call(link), *_remote_call(link)))
            if phase is not None:
                return phase, teller
        return None, None

    def _read_anew(self, file: str, function: str) -> _Reading:
        path, function = package_path(file), function[-_MAX_NAME:].strip()
        row = self._row_of(path, _names(function))
        if row is not None:
            if is_module_code(file, function) and not row.functions:
                return _Reading(_imported(row.origin))
            named = row.origin.phase is None and row.origin.group in _WITH_LOOPS and len(words_of(function)) > 1
            return _Reading(row.origin, self._words.of_function(function) if named else None)
        if path.kind is PathKind.STANDARD_LIBRARY:
            return _Reading(self._table.standard_library)
        if path.kind is PathKind.PACKAGE:
            # Trainers that no table knows name their loops as people do theirs.
            return _Reading(_UNKNOWN, self._words.of_function(function))
        return self._own(path.parts[-1] if path.parts else "", function)

    def _row_of(self, path: PackagePath, names: Sequence[str]) -> OriginRow | None:
        if path.kind is PathKind.STANDARD_LIBRARY:
            return self._table.row_of((STANDARD_LIBRARY, *path.parts), names)
        if path.kind is PathKind.PACKAGE:
            return self._table.row_of(path.parts, names)
        return self._checkout(path.parts, names)

    def _checkout(self, parts: Sequence[str], names: Sequence[str]) -> OriginRow | None:
        """The row of a package that lies outside of where packages are installed.

        A folder that merely has a package's name is the user's own: it takes a part of the package that the table
        names, or a repository's folder of the same name around it.
        """
        for index in range(len(parts) - 2, -1, -1):
            if not self._table.has_package(parts[index]):
                continue
            row = self._table.row_of(parts[index:], names)
            if row is None:
                continue
            above = {_plain(part) for part in parts[max(0, index - _CHECKOUT_DEPTH) : index]}
            if row.names_part or _plain(parts[index]) in above:
                return row
        return None

    def _own(self, file: str, function: str) -> _Reading:
        copied = self._copied(file, _names(function)[0])
        if copied is not None:
            return _Reading(copied)
        phase = self._words.of_function(function)
        return _Reading(Origin(phase=phase, own=True), None if phase else self._words.of_file(file))

    def _copied(self, file: str, function: str) -> Origin | None:
        """What a file name and a function together say outside of any package: copied, vendored and renamed code.

        Only functions of several words count, since those of one are named alike everywhere. The component is said only
        where no other one has them and the words are none that people choose for their own code.
        """
        alike = self._table.pairs.get((file, function))
        if alike is None or len(words_of(function)) == 1:
            return None
        first, *others = alike
        if any(other.phase != first.phase for other in others):
            return None
        if others or self._words.of_function(function) is not None:
            return Origin(phase=first.phase, own=True)
        return Origin(first.component, first.group, first.phase, own=True)

    def _of_logger(self, logger: str, function: str) -> Origin | None:
        """A logger is mostly named by its module, whose file's row says more than a row for all of a package."""
        module = tuple(logger.split("."))
        row = self._table.row_of((*module[:-1], f"{module[-1]}.py"), _names(function)) if len(module) > 1 else None
        return row.origin if row is not None and len(row.path) > 1 else self._table.of_logger(logger)

    def _of_source(self, source: str, function: str) -> Origin | None:
        path = package_path(source)
        row = self._row_of(path, _names(function)) if len(path.parts) > 1 else None
        if row is not None:
            return row.origin
        found = self._table.of_source(path.parts)
        if found is not None:
            return found
        alike = self._table.pairs.get((path.parts[-1], function), ()) if path.parts else ()
        return next(iter(alike)) if len(alike) == 1 else None


def _with_callers(links: Sequence[ExceptionLink]) -> tuple[Frame, ...]:
    """The frames of a chain's first exception, below those that called where it was caught, or that waited for it."""
    frames = links[0].frames
    for outer in links[1:]:
        if not frames:
            return frames
        caught = (frames[0].file, frames[0].function)
        places = [(frame.file, frame.function) for frame in outer.frames]
        if caught in places:
            frames = (*outer.frames[: places.index(caught)], *frames)
        elif outer.wraps:
            frames = (*outer.frames, *frames)
    return frames


def _refused_call(link: ExceptionLink) -> tuple[Frame, ...]:
    """The call that did not come about, as the frame that it would have been: its arguments were refused."""
    call = _REFUSED.match(link.message) if link.type == "TypeError" and link.frames else None
    return (replace(link.frames[-1], function=call["function"]),) if call is not None else ()


def _remote_call(link: ExceptionLink) -> tuple[Frame, ...]:
    """The call in another process that an exception is passed on from, as the frame that it would have been here."""
    calls = (hit.captures["called"] for hit in link.event.hits if "called" in hit.captures)
    return tuple(Frame("", None, call) for call in calls)


def _names(function: str) -> tuple[str, ...]:
    """The last part of a qualified name, and the last two; IPython prints arguments after it."""
    parts = function.partition("(")[0].split(".")
    return (parts[-1], ".".join(parts[-2:])) if len(parts) > 1 else (parts[-1],)


def _imported(origin: Origin) -> Origin:
    """What is known of module-level code: what a file is for says nothing of when it is imported."""
    return Origin(origin.component, origin.group, own=origin.own)


def _plain(folder: str) -> str:
    return folder.translate({ord(mark): None for mark in "-_. "}).lower()


class NestedPhases:
    """Reads frames from the outermost in: an inner phase takes over unless the table says that it is a part."""

    def __init__(self, rows: Sequence[Nesting]) -> None:
        self._kept: dict[tuple[str | None, str], str] = {}
        self._unless_named: set[tuple[str | None, str]] = set()
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
                part = said_by_library or (phase, inner) not in self._unless_named
                kept = self._kept.get((phase, inner)) if part else None
                if phase is None or kept != phase:
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
