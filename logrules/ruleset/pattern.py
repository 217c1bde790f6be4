"""Patterns compiled once in a process, by whoever needs them first: the check of a rule file or the reader of a log.

Compiling one takes longer than reading a hundred lines with it, so that what was compiled is kept beside the pack.
"""

import copyreg
import marshal
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import regex

from logrules.model.late_pattern import late_pattern
from logrules.ruleset.cache_files import SPOILT

# What trying a pattern on one text may take. It is time of this process on its processors, which the `regex` package
# measures (`clock()`): how busy others keep the machine cannot matter, but on Windows, where it is time by the wall.
MAX_PATTERN_CPU_S = 5.0
# From so many tries on it pays to know how much work a pattern can take.
_FOR_WORK = 200
# More than any set of rules has; each takes a few kilobytes.
_KEPT = 8_192
# What is kept can be read back by the same version on the same kind of machine.
VERSION = f"{regex.__version__}-{sys.byteorder}"

# Recursion into a group or the whole pattern, groups defined for it, and fuzzy matching: nothing bounds what they cost,
# neither in time nor in memory. An escaped bracket begins no group.
_UNBOUNDED = late_pattern(
    r"(?<!\\)(?:\\\\)*+(\(\?(?:R|[+-]?\d+|&\w+|P>\w+)\)|\(\?\(DEFINE\)|\{(?:\d+<=?)?[eids](?:<=?\d+|[,:+}]))"
)
# `regex` writes a group that must come once at least a second time to repeat it, so that groups of groups double what a
# pattern takes: sixteen of them 90 MB, twenty 1.4 GB.
MAX_NESTED_REPEATS = 8
# Likewise it writes out what must come a number of times: `a{99999999}` takes gigabytes.
MAX_WRITTEN_OUT = 100_000
_PARTS = late_pattern(
    r"\\p\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]|(?P<opens>\()|(?P<closes>\))(?P<repeats>(?=[*+?{]))?"
    r"|\{(?P<least>\d+)[,}]|.",
    re.DOTALL | re.IGNORECASE,
)

_made: "dict[str, regex.Pattern[str]]" = {}


class _Stored:
    """The patterns that were kept, which this process need not compile."""

    forms: Mapping[str, bytes] = MappingProxyType({})


@lru_cache(maxsize=_KEPT)
def compiled(pattern: str) -> "regex.Pattern[str]":
    """The compiled pattern. Raises ValueError, with what is wrong, for one that is none."""
    form = _Stored.forms.get(pattern)
    if form is not None:
        with suppress(*SPOILT):
            return _restored(form)
    made = _checked(pattern)
    if len(_made) < _KEPT:
        _made[pattern] = made
    return made


def usable(pattern: str) -> bool:
    """True for a pattern that may be used; raises ValueError, with what is wrong, for another. One kept is known to."""
    return pattern in _Stored.forms or compiled(pattern) is not None


def _checked(pattern: str) -> "regex.Pattern[str]":
    """A pattern that nobody compiled before."""
    if found := _UNBOUNDED.search(pattern):
        raise ValueError(f"not a pattern that may be used: `{found[1]}` has no bound of work")
    nested, written_out = _repetition(pattern)
    if nested > MAX_NESTED_REPEATS:
        raise ValueError(
            f"not a pattern that may be used: more than {MAX_NESTED_REPEATS} repeated groups in each other"
        )
    if written_out > MAX_WRITTEN_OUT:
        raise ValueError(f"not a pattern that may be used: repeated to more than {MAX_WRITTEN_OUT:,} parts")
    try:
        return regex.compile(pattern)
    except regex.error as fault:
        raise ValueError(f"not a valid pattern: {fault}") from None
    except (RecursionError, OverflowError, MemoryError):
        raise ValueError("not a valid pattern: it is nested or repeated too often") from None


def _repetition(pattern: str) -> tuple[int, int]:
    """How many repeated groups lie in each other, where most do; and of how many parts the pattern is written out."""
    nested, all_of, last_of = [0], [0], [0]
    for found in _PARTS.finditer(pattern):
        part = 1
        if found["opens"]:
            for stack in (nested, all_of, last_of):
                stack.append(0)
            continue
        if found["closes"] and len(all_of) > 1:
            part, inner = all_of.pop(), nested.pop() + (found["repeats"] is not None)
            last_of.pop()
            nested[-1] = max(nested[-1], inner)
        elif found["least"]:
            part = last_of[-1] * (int(found["least"]) - 1)
        last_of[-1] = part + (last_of[-1] if found["least"] else 0)
        all_of[-1] += part
    return nested[0], all_of[0]


@lru_cache(maxsize=4)
def folded(text: str) -> str:
    """A text as the words are written that patterns need: many of these are tried on one."""
    return text.casefold()


def may_hold(words: tuple[str, ...], text: str) -> bool:
    """Whether a folded text has one of the words, or there are none to be had."""
    for word in words:
        if word in text:
            return True
    return not words


_SAME_DIGIT = str.maketrans(dict.fromkeys("123456789", "0"))


def shape_of(text: str) -> str:
    """The text with all its digits the same: what varies in lines of one kind are mostly these."""
    return text.translate(_SAME_DIGIT)


class BoundedPattern:
    """A pattern that is tried on lines of logs, within bounds: each try takes no more than any sound pattern does.

    Asking the clock takes longer than most patterns do. How much a pattern that is tried again and again can take is
    therefore reckoned once; on texts on which that is little it is tried without. Each of the methods raises
    TimeoutError where a text takes too long.

    None lets go of the interpreter's lock (``concurrent``): most tries end within a microsecond, and beside a thread
    that scans, the lock comes back after milliseconds.
    """

    __slots__ = ("_made", "_matched", "_pattern", "_searched", "_tries")

    def __init__(self, pattern: str, unclocked: tuple[int, int] = (0, 0)) -> None:
        """``unclocked`` is what `pattern_work.lengths_without_clock` says of it, where that is known already."""
        self._pattern = pattern
        self._made = compiled(pattern)
        self._tries = 0
        self._searched, self._matched = unclocked

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> "regex.Match[str] | None":
        """Its first match between two places."""
        if len(text) <= self._searched:
            return self._made.search(text, start, end, concurrent=False)
        self._count()
        return self._made.search(text, start, end, timeout=MAX_PATTERN_CPU_S, concurrent=False)

    def match(self, text: str) -> "regex.Match[str] | None":
        """Its match at the start of the text."""
        if len(text) <= self._matched:
            return self._made.match(text, concurrent=False)
        self._count()
        return self._made.match(text, timeout=MAX_PATTERN_CPU_S, concurrent=False)

    def fullmatch(self, text: str) -> "regex.Match[str] | None":
        """Its match of the whole text."""
        if len(text) <= self._matched:
            return self._made.fullmatch(text, concurrent=False)
        self._count()
        return self._made.fullmatch(text, timeout=MAX_PATTERN_CPU_S, concurrent=False)

    def _count(self) -> None:
        self._tries += 1
        if self._tries == _FOR_WORK:
            from logrules.ruleset.pattern_work import lengths_without_clock

            self._searched, self._matched = lengths_without_clock(self._pattern)


@lru_cache(maxsize=_KEPT)
def bounded(pattern: str, unclocked: tuple[int, int] = (0, 0)) -> BoundedPattern:
    """The pattern, to be tried on lines of logs. Raises ValueError, with what is wrong, for one that is none."""
    return BoundedPattern(pattern, unclocked)


def searched(pattern: str, text: str, start: int = 0) -> "regex.Match[str] | None":
    """The pattern's first match in a text of a log, from a place on; None too where looking for it takes too long."""
    try:
        return bounded(pattern).search(text, start)
    except TimeoutError:
        return None


def found_in_time(pattern: str, text: str, limit_s: float) -> bool | None:
    """Whether the pattern is in the text; None where looking takes longer. Raises ValueError for one that is none."""
    try:
        return compiled(pattern).search(text, timeout=limit_s) is not None
    except TimeoutError:
        return None


def use_stored(stored: Mapping[str, bytes]) -> None:
    """Take patterns from here, instead of compiling them: what `forms_made` gave, here or in another process."""
    _Stored.forms = stored


def let_go_of_stored(stored: Mapping[str, bytes]) -> None:
    """Take patterns from here that were just stored; compiled, the thousands of all rules take 14 MB, and few are used.

    Whoever uses one holds it.
    """
    use_stored(stored)
    compiled.cache_clear()
    _made.clear()


def forms_made() -> dict[str, bytes]:
    """The patterns that this process compiled itself, to be stored; rare kinds cannot be."""
    made = ((pattern, _stored_form(one)) for pattern, one in _made.items())
    return {pattern: form for pattern, form in made if form is not None}


def _stored_form(made: "regex.Pattern[str]") -> bytes | None:
    """The compiled pattern as bytes, None for one of a rare kind. It is made of what the pattern is pickled as."""
    _, parts = _rebuilding(made)
    try:
        return marshal.dumps(parts)
    except ValueError:
        return None


def _restored(form: bytes) -> "regex.Pattern[str]":
    rebuild, _ = _rebuilding(regex.compile(""))
    found: regex.Pattern[str] = rebuild(*marshal.loads(form))  # noqa: S302 (see `kept_values`)
    return found


def _rebuilding(made: "regex.Pattern[str]") -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """What rebuilds a compiled pattern, and from what: as `copyreg` knows it, by which patterns are pickled."""
    # typeshed has no names for what is in the table.
    table: Mapping[type, Callable[[Any], Any]] = copyreg.dispatch_table
    rebuild, parts = table[type(made)](made)
    return rebuild, tuple(parts)
