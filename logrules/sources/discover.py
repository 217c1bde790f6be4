"""What the user named, as sources: files, folders of rank logs, standard input."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from logrules.model.errors import SourceError, reason_of
from logrules.model.record import field, mutable_record, record
from logrules.model.report import SourceNote
from logrules.sources.archive import MAGIC_BYTES, codec_of
from logrules.sources.decoding import no_text
from logrules.sources.file import FileSource, StdinSource, opened, text_of
from logrules.sources.file_patterns import leads_inside, leads_to_kernel, matches
from logrules.sources.flight_names import is_dump
from logrules.sources.log_names import holds_logs, is_log_name, may_be_log, natural, short_names
from logrules.sources.remote import is_remote, remote_sources
from logrules.sources.source import BLOCK_BYTES, RecordSource, Source

_BINARY_CHECK_BYTES = 4 << 10
# Of the files that are called like no log, so many are looked at, and so many named.
_MAX_UNNAMED = 100
_MAX_TOLD = 5

_NOT_LOGS = {stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket"}


@record
class Discovered:
    """The sources in the order to read them, and what was passed over and why.

    ``total_bytes`` is what all of them will yield, and None where that cannot be known
    before: pipes, standard input, archives.
    """

    sources: tuple[Source, ...]
    notes: tuple[SourceNote, ...] = ()
    total_bytes: int | None = None


@mutable_record
class _Search:
    """What was found so far. ``seen`` says in which walk each (device, inode) of a file or folder was met first."""

    found: list[tuple[Path, int] | None] = field(default_factory=list)  # None stands for standard input
    dumps: list[tuple[Path, int]] = field(default_factory=list)
    notes: list[SourceNote] = field(default_factory=list)
    unnamed: list[Path] = field(default_factory=list)
    seen: dict[tuple[int, int], int] = field(default_factory=dict)
    within: Path | None = None
    walk: int = 0
    met_again: int = 0

    def is_new(self, status: os.stat_result) -> bool:
        identity = (status.st_dev, status.st_ino)
        if identity not in self.seen:
            self.seen[identity] = self.walk
            return True
        # What an earlier walk met was read; a link that leads back into its own folder is nothing to read.
        self.met_again += self.seen[identity] < self.walk
        return False

    def note(self, path: Path, reason: str, *, unread: bool = True) -> None:
        self.notes.append(SourceNote(str(path), reason, unread))


def discover(paths: Sequence[str], block_bytes: int = BLOCK_BYTES, within: Path | None = None) -> Discovered:
    """The sources behind ``paths``: files as given, ``-`` for standard input, folders searched for logs, URLs.

    A file that is named is read whatever it is called; in a folder, and in the folders
    below it, only log-like names count. A file that is reached twice is read once. In a
    folder, links that lead out of ``within`` (a resolved path) are not followed.
    Raises SourceError where a path cannot be used; what cannot be read inside a folder
    is a note.
    """
    if not paths:
        raise SourceError("no log given: name a file, a folder, or - for standard input")
    if "" in paths:
        raise SourceError("one of the names of logs is empty")
    search = _Search(within=within)
    remote = [source for path in paths if is_remote(path) for source in remote_sources(path, block_bytes)]
    local = [pattern for pattern in paths if not is_remote(pattern)]
    for given in (path for pattern in local for path in matches(pattern, within) or [pattern]):
        if given == "-":
            if None not in search.found:
                search.found.append(None)
        else:
            _look_at(Path(given), search)
    sizes = [_plain_size(file[0]) if file else None for file in search.found]
    total = None if remote or None in sizes else sum(size or 0 for size in sizes)
    sources = tuple(_sources(search.found, block_bytes))
    records, notes = _recorded(search.dumps) if search.dumps else ([], [])
    return Discovered((*sources, *remote, *records), (*search.notes, *notes), total)


def _recorded(dumps: Sequence[tuple[Path, int]]) -> tuple[list[RecordSource], list[SourceNote]]:
    from logrules.sources.flight_dump import read_dumps

    return read_dumps(list(zip((path for path, _ in dumps), short_names(dumps), strict=True)))


def _look_at(path: Path, search: _Search) -> None:
    search.walk += 1
    try:
        status = path.stat()
    except OSError as fault:
        raise SourceError(f"{path}: {reason_of(fault)}") from fault
    except ValueError:  # a NUL in it
        raise SourceError(f"{path}: is no name of a file") from None
    if stat.S_ISDIR(status.st_mode):
        _look_through(path, search, status)
        return
    if kind := _NOT_LOGS.get(stat.S_IFMT(status.st_mode)):
        raise SourceError(f"{path}: is {kind}, not a log")
    if stat.S_ISREG(status.st_mode):
        opened(path).close()  # an unreadable file is better reported now than after minutes of reading others
    if search.is_new(status):
        (search.dumps if stat.S_ISREG(status.st_mode) and is_dump(path) else search.found).append((path, 1))


def _look_through(folder: Path, search: _Search, status: os.stat_result) -> None:
    if not search.is_new(status):
        return
    before = len(search.found), len(search.dumps), search.met_again
    try:
        os.scandir(folder).close()
    except OSError as fault:
        raise SourceError(f"{folder}: {reason_of(fault)}") from fault
    logs = [path for path in _logs_below(folder, search) if _is_text(path, search)]
    search.found.extend(
        (path, len(path.parts) - len(folder.parts))
        for path in sorted(logs, key=lambda path: [*map(natural, path.parts)])
    )
    if before == (len(search.found), len(search.dumps), search.met_again):
        passed_over = "; ".join(f"{note.source} {note.note}" for note in search.notes[-1:])
        wanted = "looked for names such as *.log, *.out, *.err and *.txt"
        raise SourceError(f"{folder}: no log in this folder ({passed_over or wanted})")
    _tell_of_unnamed(folder, search)


def _tell_of_unnamed(folder: Path, search: _Search) -> None:
    """Say which texts were not read only because they are called like no log."""
    texts = [path.relative_to(folder).as_posix() for path in search.unnamed if _begins_with_text(path)]
    search.unnamed.clear()
    if texts:
        more = f" and {len(texts) - _MAX_TOLD} more" if len(texts) > _MAX_TOLD else ""
        named = ", ".join(texts[:_MAX_TOLD]) + more
        reason = f"not read, as the names are not those of logs: {named}; name them to read them"
        search.note(folder, reason, unread=False)


def _begins_with_text(path: Path) -> bool:
    try:
        with opened(path) as file:
            head = file.read(_BINARY_CHECK_BYTES)
    except (SourceError, OSError):
        return False  # some can be opened and not read, as those of processes
    return bool(head.strip()) and b"\0" not in head and not no_text(head)


def _logs_below(top: Path, search: _Search) -> Iterator[Path]:
    """Regular files with log-like names, links after what they may point to, each file and folder once.

    Dumps of the flight recorder are put aside on the way. A link to a folder above the searched one is not followed:
    what lies there was not named (in ``/proc`` one leads to the root of the whole machine). Nor are folders that the
    kernel makes up: of `/`, they are most.
    """
    above = {(status.st_dev, status.st_ino) for status in map(Path.stat, top.resolve().parents)}
    at_top = top.stat()
    left = [iter(_entries(top, search))]
    while left:
        path = next(left[-1], None)
        if path is None:
            left.pop()
            continue
        if search.within is not None and path.is_symlink() and not leads_inside(path, search.within):
            search.note(path, "leads out of the folder that may be read")
            continue
        try:
            status = path.stat()
        except OSError as fault:
            if is_log_name(path.name):
                search.note(path, reason_of(fault))
            continue
        if stat.S_ISDIR(status.st_mode):
            elsewhere = (status.st_dev, status.st_ino) in above or leads_to_kernel(status, at_top)
            if holds_logs(path.name) and not elsewhere and search.is_new(status):
                left.append(iter(_entries(path, search)))
        elif stat.S_ISREG(status.st_mode) and _is_wanted(path, status, top, search):
            yield path


def _entries(folder: Path, search: _Search) -> list[Path]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: (entry.is_symlink(), natural(entry.name)))
    except OSError as fault:
        search.note(folder, reason_of(fault))
        return []
    return [folder / entry.name for entry in entries]


def _is_wanted(path: Path, status: os.stat_result, top: Path, search: _Search) -> bool:
    """Whether the file is a log that was not met yet; a dump is put aside."""
    if is_log_name(path.name):
        return search.is_new(status)
    if is_dump(path) and search.is_new(status):
        search.dumps.append((path, len(path.parts) - len(top.parts)))
    elif may_be_log(path.name) and len(search.unnamed) < _MAX_UNNAMED:
        search.unnamed.append(path)
    return False


def _is_text(path: Path, search: _Search) -> bool:
    """Whether the file can be read and begins without a NUL byte, once expanded and turned into UTF-8."""
    faults: list[str] = []
    try:
        with opened(path) as file:
            head = next(text_of(file, _BINARY_CHECK_BYTES, faults), b"")
    except SourceError as fault:
        search.note(path, str(fault).removeprefix(f"{path}: "))
        return False
    if b"\0" in head or no_text(head):
        search.note(path, "is not text and was skipped", unread=False)
        return False
    return True


def _plain_size(path: Path) -> int | None:
    """The size of a regular file that can be read and is not an archive."""
    if not path.is_file():
        return None
    try:
        with opened(path) as file:
            return None if codec_of(file.read(MAGIC_BYTES)) else path.stat().st_size
    except OSError:
        return None  # whoever reads it says why it cannot be read


def _sources(found: Sequence[tuple[Path, int] | None], block_bytes: int) -> Iterator[FileSource | StdinSource]:
    names = iter(short_names([file for file in found if file]))
    for file in found:
        yield FileSource(file[0], next(names), block_bytes) if file else StdinSource(block_bytes)
