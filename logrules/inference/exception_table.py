"""The table of exceptions, asked which cause an exception names.

A row of the table matches an exception of a failure's chain when all that the row gives holds there. Besides components
and groups, ``under``, ``outside`` and ``raised_in`` may name ``own`` (the user's code), ``own:PHASE`` (the user's code
whose names speak of that phase), ``library`` (all other code) and ``library:PHASE`` (of that, what works in this phase
alone). ``raised_in`` looks at the frame that raised: the innermost one, but for those that only pass on an attribute.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from operator import itemgetter
from types import MappingProxyType

import regex

from logrules.model.failure import ExceptionLink, Failure, Frame, Origin
from logrules.model.late_pattern import late_pattern
from logrules.model.record import record
from logrules.parsing.cut_off import ONLY_HEADED
from logrules.ruleset.bounds import CASELESS
from logrules.ruleset.pattern import may_hold, searched, shape_of
from logrules.ruleset.tables import ExceptionClass, ExceptionRow

_MAX_NAME = 400
_MAX_ANCESTORS = 64
# What a package's own class inherits from at least, where no table says more of it.
_AT_LEAST = ("Exception",)
# ``ray.exceptions.RayTaskError(ValueError)`` is both.
_NAMES = late_pattern(r"[\w.]+")


def class_parts(name: str) -> tuple[str, str]:
    """The package, or nothing, and the last part of a class's name: a class moves within its package."""
    head, _, last = name.rpartition(".")
    return head.partition(".")[0], last


@record
class ExceptionLineage:
    """An exception's own classes and what they inherit from: how far up, and of which package where that is known."""

    names: Mapping[str, tuple[int, str]]

    @classmethod
    def of(cls, printed: str, bases: Mapping[str, tuple[str, ...]]) -> "ExceptionLineage":
        """The lineage of a type as a traceback prints it; ``bases`` maps a class to those that it inherits from."""
        names: dict[str, tuple[int, str]] = {}
        level, distance = _NAMES.findall(printed[:_MAX_NAME])[:4], 0
        while level and len(names) < _MAX_ANCESTORS:
            above: list[str] = []
            for name in level:
                package, last = class_parts(name)
                if last and last not in names:
                    names[last] = (distance, package)
                    above += bases.get(f"{package}.{last}") or bases.get(last) or (_AT_LEAST if package else ())
            level, distance = above, distance + 1
        return cls(names)

    def distance(self, wanted: Iterable[str]) -> int | None:
        """How far up the nearest of the wanted classes is, or None. A package must agree where both name one."""
        found = []
        for name in wanted:
            package, last = class_parts(name)
            distance, of_package = self.names.get(last, (-1, ""))
            if distance >= 0 and (not package or not of_package or package == of_package):
                found.append(distance)
        return min(found, default=None)


# A log may claim what it likes: no chain, no traceback and no message is read further than this.
MAX_LINKS = 32
MAX_FRAMES = 512
MAX_MESSAGE = 4096
MAX_FUNCTION = 200

# What anything may be raised as, and where: narrows a row without making it know more.
_SAYS_LITTLE = frozenset(
    {"BaseException", "Exception", "AssertionError", "NotImplementedError", "RuntimeError", "TypeError", "ValueError"}
)
_OWN, _LIBRARY = "own", "library"
_ANYWHERE = frozenset({_OWN, _LIBRARY})
# A row that gives less and has no words is for what no other row knows.
_TELLING = 2
# These frames only pass on what somebody else asked for.
_PASSING_ON = frozenset({"__getattr__", "__getattribute__", "_lazy_import"})
# So do the frames of this group in origins/: they call the module that the frame above them has.
_CALLING = "module-call"
_ERRNO = late_pattern(
    r"\[(?:Errno|WinError) (-?\d{1,6})\]|\b(?:errno|errno is)[:=]? ?(-?\d{1,6})\b|\bos error (\d{1,6})\b"
    r"|\bOs \{ code: (\d{1,6})\b|\bcode: -(\d{1,6}), name: E",
    re.IGNORECASE,
)


# Many ranks raise the same, and a record is asked about again whenever it grows.
_KEPT_ANSWERS = 1_024
# Which rows may know messages of one shape is told for all of these at once.
_KEPT_SHAPES = 256


@record
class _Fit:
    """A row that holds of an exception, how far its class is, and how much of the message its words are."""

    row: ExceptionRow
    distance: int
    length: int

    def order(self, link: int) -> tuple[bool, bool, int, int, int, int, str]:
        """Smaller is better: rows that say something of the message or of two things, then what was raised first.

        The exception is that of this ``link`` of its chain.
        """
        row = self.row
        given = _given(row)
        generic = given < _TELLING and row.words is None
        return row.fallback, generic, link, -given, self.distance, -self.length, row.id


@record
class _Scene:
    """What rows ask of one exception of a chain: its class as printed, its message, and where it was raised."""

    kind: str
    message: str
    under: frozenset[str]
    raised_in: frozenset[str]
    function: str


class ExceptionTable:
    """Which row of exceptions/ knows a failure. ``required`` are words that patterns of rows cannot be without."""

    def __init__(
        self,
        classes: Iterable[ExceptionClass],
        rows: Iterable[ExceptionRow],
        required: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    ) -> None:
        self._required = required
        self._bases = {one.name: one.bases for one in classes}
        self._by_class: dict[str, list[ExceptionRow]] = {}
        self._of_any_class: list[ExceptionRow] = []
        for row in rows:
            if not row.classes:
                self._of_any_class.append(row)
            for name in {class_parts(one)[1] for one in row.classes}:
                self._by_class.setdefault(name, []).append(row)
        self._fitting = lru_cache(maxsize=_KEPT_ANSWERS)(self._fits)
        self._that_may_fit = lru_cache(maxsize=_KEPT_SHAPES)(self._rows_for)

    def match_of(self, failure: Failure, printed_by: Origin | None = None) -> tuple[ExceptionRow, ExceptionLink] | None:
        """The row that says most about the failure and the exception that it knows, or None.

        Where it has no frames, ``printed_by`` stands for them: where the line that tells of it was printed.

        A row that only names a class comes after those that know more, on whichever exception of the chain; of rows
        of one kind goes first which knows the exception nearest to the innermost cause, then which gives more, then
        which names the nearer class, then which finds more in the message.
        """
        chain = failure.chain[:MAX_LINKS]
        frames = (frame for link in chain for frame in islice(link.frames, MAX_FRAMES))
        under = _places(frames) or _named_by(printed_by)
        found = [(fit.order(at), fit.row, link) for at, link in enumerate(chain) for fit in self._fits_of(link, under)]
        return min(found, key=itemgetter(0))[1:] if found else None

    def _fits_of(self, link: ExceptionLink, under: frozenset[str]) -> tuple[_Fit, ...]:
        raising = _raising(link.frames[-MAX_FRAMES:]) if link.message != ONLY_HEADED else ()
        function = raising[-1].function[:MAX_FUNCTION] if raising else ""
        return self._fitting(_Scene(link.type, link.message[:MAX_MESSAGE], under, _places(raising), function))

    def _fits(self, scene: _Scene) -> tuple[_Fit, ...]:
        numbers = frozenset(int(next(filter(None, found))) for found in _ERRNO.findall(scene.message))
        lineage = ExceptionLineage.of(scene.kind, self._bases)
        fits = []
        for row in self._that_may_fit(scene.kind, shape_of(scene.message)):
            distance = lineage.distance(row.classes) if row.classes else 0
            if distance is not None and not (row.errno and numbers.isdisjoint(row.errno)):
                fits.append(_fit(row, distance, scene))
        return tuple(fit for fit in fits if fit is not None)

    def _rows_for(self, kind: str, shape: str) -> tuple[ExceptionRow, ...]:
        """The rows that may know an exception with a message of this shape: most lack a word that they need."""
        lineage, folded = ExceptionLineage.of(kind, self._bases), shape.casefold()
        rows = {row.id: row for name in lineage.names for row in self._by_class.get(name, ())}
        needed = ((row, self._required.get(row.words or "", ())) for row in (*rows.values(), *self._of_any_class))
        return tuple(row for row, words in needed if may_hold(_shapes(words), folded))


@cache
def _shapes(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words as the messages are written that they are looked for in."""
    return tuple(map(shape_of, words))


def _fit(row: ExceptionRow, distance: int, scene: _Scene) -> _Fit | None:
    """The row with its fit, where frames, function and message are as it asks."""
    asked = ((row.under, scene.under), (row.raised_in, scene.raised_in))
    if any(places and found.isdisjoint(places) for places, found in asked) or not scene.under.isdisjoint(row.outside):
        return None
    if row.function is not None and not _search(row.function, scene.function):
        return None
    words = _search(row.words, scene.message) if row.words is not None else None
    if (words is None) is not (row.words is None) or (row.without is not None and _search(row.without, scene.message)):
        return None
    return _Fit(row, distance, len(words.group()) if words is not None else 0)


def _search(words: str, message: str) -> "regex.Match[str] | None":
    """The words in the message, whatever their case; none where looking for them takes too long."""
    return searched(CASELESS + words, message[:MAX_MESSAGE])


def _given(row: ExceptionRow) -> int:
    # A number says as well that it is an error of the system.
    classes = bool(row.errno) or not _SAYS_LITTLE.issuperset(row.classes)
    places = sum(not _ANYWHERE.issuperset(names) for names in (row.under, row.raised_in))
    return classes + bool(row.errno) + (row.words is not None) + places


def _places(frames: Iterable[Frame]) -> frozenset[str]:
    found: set[str] = set()
    for origin in (frame.origin for frame in frames):
        kind = _OWN if origin.own and origin.component is None else _LIBRARY
        found |= _named_by(origin) | {kind, f"{kind}:{origin.phase}"}
    return frozenset(found)


def _named_by(origin: Origin | None) -> frozenset[str]:
    """The component and the group of an origin, as rows name them."""
    return frozenset(name for name in (origin.component, origin.group) if name) if origin is not None else frozenset()


def _raising(frames: Sequence[Frame]) -> Sequence[Frame]:
    """The innermost frame that does not only pass on what somebody else asked for; none, or that alone."""
    while frames and (frames[-1].function.rpartition(".")[2] in _PASSING_ON or frames[-1].origin.group == _CALLING):
        frames = frames[:-1]
    return frames[-1:]
