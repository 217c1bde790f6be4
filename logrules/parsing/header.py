"""Prefixes peeled from a line, outside in: who wrote it, when, how loud, and the bare message; who wrote a file.

The grammars are data (rules/formats/). Where prefixes disagree, the innermost says who wrote the
line and the outermost when: a collector stamps every line, a logger only its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache

import regex

from logrules.model.event import LEVEL_NAMES, Level, Timestamp, Worker, as_rank, whole_number
from logrules.model.record import mutable_record
from logrules.parsing.timestamp import TimestampParser, compiled_once
from logrules.ruleset.pack import HeaderFormat, NameForm, Pack
from logrules.ruleset.pattern import searched

MAX_DEPTH = 12
MAX_HEADER_CHARS = 512

# More digits in the name of a file are a time or a hash, and no process id.
_MAX_PID_DIGITS = 10
_ANY = ""
# As many first characters as the lines of most logs have.
_MAX_STARTS = 4_096
_OF_WRITER = ("host", "role", "pid", "rank", "world_rank", "level")


@mutable_record
class Header:
    """What the prefixes and suffixes of a line said.

    ``begins`` says that what is left may begin as any line does: none but those who passed it on, and clocks, stood
    before it. ``carried`` is what stood behind each prefix of those, the outermost first. ``forms`` are the formats.
    """

    message: str
    begins: bool = True
    carried: tuple[str, ...] = ()
    level: Level | None = None
    stamp: Timestamp | None = None
    host: str | None = None
    role: str | None = None
    pid: int | None = None
    rank: int | None = None
    repeat: int = 1
    group: str | None = None
    forms: tuple[str, ...] = ()


class HeaderParser:
    """Peels the header formats of a pack. Patterns are compiled on first use; one that runs out of time is dropped."""

    def __init__(self, pack: Pack) -> None:
        self._stamps = TimestampParser(pack.times, pack.unclocked)
        self._levels = {**LEVEL_NAMES, **{word: Level[level.upper()] for word, level in pack.levels.items()}}
        self._suffixes = tuple(form for form in pack.headers if form.ends)
        self._by_start: dict[str, list[HeaderFormat]] = {}
        for form in sorted(pack.headers, key=lambda form: form.generic):
            if not form.ends:
                for start in form.starts or [_ANY]:
                    self._by_start.setdefault(start, []).append(form)
        self._candidates_for = lru_cache(_MAX_STARTS)(self._starting_with)
        self._compiled = compiled_once(pack.unclocked)
        self._dropped: dict[str, str] = {}

    def for_another(self) -> "HeaderParser":
        """The same for another log: tables and what is compiled are shared, what is dropped on the way is its own."""
        twin = copy(self)
        twin._stamps, twin._dropped = self._stamps.for_another(), {}  # noqa: SLF001 (a copy of its own kind)
        return twin

    @property
    def dropped(self) -> Iterable[str]:
        """Formats that ran out of time, each in a sentence."""
        return self._dropped.values()

    def peel(self, line: str) -> Header:
        """The line without its prefixes and suffixes, and what they said. Any text will do."""
        header = Header(line)
        for _ in range(MAX_DEPTH):
            if not self._peel_one(header):
                break
        for form in self._suffixes:
            if form.holds not in header.message:
                continue
            found = self._tried(form, header.message, max(0, len(header.message) - MAX_HEADER_CHARS))
            if found is not None:
                header.message = header.message[: found.start()] + header.message[found.end() :]
                self._take(header, form, found.groupdict())
        if header.repeat > 1:
            # The copy that is printed bears the time of the first of the lines that it stands for.
            header.stamp = None
        return header

    def carrier(self, opening: str) -> Header:
        """What those say who passed on the line that begins so: it holds for all that was drawn over its beginning."""
        header, carrier = Header(opening), Header(opening)
        for _ in range(MAX_DEPTH):
            if not self._peel_one(header) or not header.begins:
                break
            if len(header.carried) > len(carrier.carried):
                carrier = copy(header)
        return carrier

    def _peel_one(self, header: Header) -> bool:
        """Peel the first prefix that fits. One of no width is part of the message; it only tells something."""
        bare = header.message.lstrip(" \t")
        if not bare:
            return False
        # The blanks at the end of a line are gone, and with them those between a prefix and nothing.
        bare = f"{bare} "
        head, begins = bare[:MAX_HEADER_CHARS], header.begins
        for form in self._candidates_for(bare[0]):
            if (form.first and not begins) or form.holds not in head:
                continue
            found = self._tried(form, head, 0)
            if found is None:
                continue
            said = found.groupdict()
            # Two do not count the ranks of one line: the second number is that of an item.
            if form.first and header.rank is not None and said.get("rank"):
                continue
            self._take(header, form, said)
            if found.end() > 0:
                header.message = bare[found.end() : -1]
                if form.relayed:
                    header.carried = (*header.carried, header.message)
                return True
        return False

    def _starting_with(self, start: str) -> tuple[HeaderFormat, ...]:
        """The formats that may begin with this character."""
        kinds = [start, _ANY]
        if start.isdigit():
            kinds.insert(1, "9")
        elif start.isalpha():
            kinds.insert(1, "A" if start.isupper() else "a")
        return tuple(dict.fromkeys(form for kind in kinds for form in self._by_start.get(kind, ())))

    def _tried(self, form: HeaderFormat, text: str, start: int) -> "regex.Match[str] | None":
        """A prefix at the start of the text, or a suffix behind ``start``; None too where time ran out."""
        if form.id in self._dropped:
            return None
        pattern = self._compiled(form.pattern)
        try:
            return pattern.search(text, start) if form.ends else pattern.match(text)
        except TimeoutError:
            self._dropped[form.id] = f"the header format {form.id} ran out of time and was dropped"
            return None

    def _take(self, header: Header, form: HeaderFormat, said: Mapping[str, str | None]) -> None:
        header.forms = (*header.forms, form.id)
        tells = form.role or any(said.get(part) for part in _OF_WRITER)
        header.begins = form.relayed or (header.begins and not tells)
        header.host = said.get("host") or header.host
        header.role = said.get("role") or form.role or header.role
        header.group = said.get("group") or header.group
        pid = whole_number(said.get("pid"))
        header.pid = header.pid if pid is None else pid
        # The outermost rank is that within the job, an inner one may be that within a process group.
        header.rank = header.rank if header.rank is not None else as_rank(said.get("rank"))
        # srun labels the task, which may be a launcher of many ranks; who says its rank in the job knows better.
        world_rank = as_rank(said.get("world_rank"))
        header.rank = header.rank if world_rank is None else world_rank
        header.repeat = whole_number(said.get("repeat")) or header.repeat
        if form.relayed:
            header.level = None
        if level := said.get("level"):
            header.level = self._levels.get(level.upper(), header.level)
        if header.stamp is None and (time := said.get("time")):
            header.stamp = self._stamps.read(time)


def worker_of_name(name: str, forms: Sequence[NameForm]) -> Worker:
    """The worker of a file by its name. Each form may tell a part: the folder the host, the file the rank.

    Of several that tell the same part, the first that fits decides.
    """
    path = name.replace("\\", "/")
    parts: dict[str, str] = {}
    for form in forms:
        found = searched(form.pattern, path)
        if found is not None:
            said = (("role", form.role), *found.groupdict().items())
            parts = {**{part: text for part, text in said if text}, **parts}
    pid, rank = whole_number(parts.get("pid"), _MAX_PID_DIGITS), as_rank(parts.get("rank"))
    return Worker(name, parts.get("host"), parts.get("role"), pid, rank)
