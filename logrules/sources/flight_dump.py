"""Flight-recorder dumps, one a rank: JSON or a pickle of plain values, cut down to what can be compared.

What cannot be used is said and left out.
"""

import heapq
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import prod
from pathlib import Path, PurePath
from typing import Any, TypeAlias

from logrules.model.collective import GroupRecord, RecordedCall
from logrules.model.errors import reason_of
from logrules.model.event import Timestamp, Worker
from logrules.model.package_path import is_own
from logrules.model.report import SourceNote
from logrules.sources.flight_names import MAX_DUMPS, rank_of_name
from logrules.sources.plain_pickle import MAX_MEMORY, NotPlain, load
from logrules.sources.source import RecordSource

# TORCH_FR_DUMP_TEMP_FILE, formerly TORCH_NCCL_DEBUG_INFO_TEMP_FILE, with the rank behind it.
# A recorder of 2,000 calls with stacks takes some megabytes.
MAX_BYTES = 18 << 20
# Of each group: what is not completed, and as many calls before it as show where the ranks parted.
KEPT = 64
# So many calls of all dumps together are held: of very many ranks each has fewer.
MAX_CALLS = 200_000
# No rank is in more groups; of one that is, those are kept in which it called last.
MAX_GROUPS = 256
# What the objects, lists, members and text of a JSON dump take in memory at the most.
_BYTES_OF = {b"{": 150, b"[": 60, b",": 60}
_BYTES_OF_TEXT, _BYTES_OF_WIDE_TEXT = 3, 9
_MAX_SIZES = 64
_MAX_WORD = 120
# As many ranks as there are dumps take 24,000 characters.
_MAX_RANKS_TEXT = 100_000
_MAX_SECONDS = 1e11
# Operations in which all ranks give and take the same amounts, by the end of their names.
_EVEN = ("all_reduce", "allreduce", "broadcast", "_all_gather_base", "_reduce_scatter_base", "barrier")
# What torch itself is made of, wherever it was built.
_OF_TORCH = re.compile(r"[/\\]torch[/\\]|\.[ch]pp$")
# What a group is for, and its ranks where the dump says them.
_Group: TypeAlias = tuple[str, tuple[int, ...]]


class NoDump(ValueError):
    """The file is no dump that can be used; says why."""


def read_dump(name: str, rank: int, data: bytes, max_calls: int = KEPT * MAX_GROUPS) -> tuple[GroupRecord, ...]:
    """What the dump in these bytes holds of each group, up to ``max_calls`` in all.

    Raises NoDump in words that follow the file's name.
    """
    plain = _plain(data)
    entries = plain.get("entries")
    if not isinstance(entries, list):
        raise NoDump("is a flight-recorder dump without entries and was skipped")
    groups = dict(_groups(plain.get("pg_config"), entries))
    called: dict[str, dict[int, int]] = {name: {} for name, (_, members) in groups.items() if rank in members}
    for place, group, seq in _calls(entries):
        # Coalesced calls share a number: the first tells of all.
        called.setdefault(group, {}).setdefault(seq, place)
    # The groups in which the rank called last.
    last = {group: max(places.values(), default=-1) for group, places in called.items()}
    kept = frozenset(heapq.nlargest(min(MAX_GROUPS, max_calls), last, key=last.__getitem__))
    each = min(KEPT, max_calls // max(len(kept), 1))
    worker = Worker(name, rank=rank)
    return tuple(
        _record(worker, group, groups.get(group, ("", ())), _latest(places, each, entries))
        for group, places in called.items()
        if group in kept
    )


def _latest(places: Mapping[int, int], count: int, entries: Sequence[Mapping[Any, Any]]) -> list[RecordedCall]:
    """The last calls of a group in order, by their numbers and the places of their entries."""
    return [_call(seq, places[seq], entries[places[seq]]) for seq in sorted(places)[-count:]]


def _record(worker: Worker, group: str, of_group: _Group, calls: Sequence[RecordedCall]) -> GroupRecord:
    description, members = of_group
    last = calls[-1] if calls else None
    stamp = Timestamp(last.created) if last is not None and last.created is not None else None
    bare = GroupRecord(
        worker.source, 1, 0, "", "", worker, stamp=stamp, group=group, description=description, members=members,
        calls=tuple(calls),
    )  # fmt: skip
    return bare.at(last)


def _plain(data: bytes) -> dict[Any, Any]:
    try:
        plain = _json(data) if data.lstrip()[:1] == b"{" else load(data)
    except NotPlain as fault:
        raise NoDump(f"is no flight-recorder dump that can be read: {fault}") from None
    except (ValueError, RecursionError):
        raise NoDump("is no flight-recorder dump that can be read: it is not valid JSON") from None
    if not isinstance(plain, dict):
        raise NoDump("is no flight-recorder dump")
    return plain


def _json(data: bytes) -> Any:
    wide = not data.isascii() or b"\\u" in data
    taken = len(data) * (_BYTES_OF_WIDE_TEXT if wide else _BYTES_OF_TEXT)
    if taken + sum(data.count(sign) * size for sign, size in _BYTES_OF.items()) > MAX_MEMORY:
        raise NotPlain("it holds too many values")
    return json.loads(data)


def _calls(entries: Iterable[Any]) -> Iterator[tuple[int, str, int]]:
    """The collectives in order: the place of each, its group and its number there.

    Point-to-point calls have no partner in every rank and are left out.
    """
    for place, entry in enumerate(entries):
        if not isinstance(entry, dict) or entry.get("is_p2p") is True:
            continue
        seq, op = entry.get("collective_seq_id"), entry.get("profiling_name")
        if type(seq) is int and isinstance(op, str) and -1 < seq < 1 << 62:
            yield place, _group_of(entry)[0], seq


def _call(seq: int, place: int, entry: Mapping[Any, Any]) -> RecordedCall:
    op = entry["profiling_name"]
    given, taken = (entry.get(key) if op.endswith(_EVEN) else None for key in ("input_sizes", "output_sizes"))
    return RecordedCall(
        seq,
        sys.intern(word(op)),
        _numel(given),
        _numel(taken),
        entry.get("state") == "completed",
        _seconds(entry.get("time_created_ns")),
        place + 1,
        sys.intern(_place(entry.get("frames"))),
    )


def _group_of(entry: Mapping[Any, Any]) -> tuple[str, str]:
    """(name, description) of the entry's group."""
    said = entry.get("process_group")
    if isinstance(said, list | tuple) and said and isinstance(said[0], str):
        description = said[1] if len(said) > 1 and isinstance(said[1], str) and said[1] != "undefined" else ""
        return word(said[0]) or "0", word(description)
    if isinstance(said, str) and said:
        return word(said), ""
    number = entry.get("pg_id", 0)
    return (word(str(number)) if isinstance(number, int | str) else "") or "0", ""


def _groups(config: Any, entries: Iterable[Any]) -> Iterator[tuple[str, _Group]]:
    """What each group is for, and its ranks; those that the configuration tells of come last, and stand."""
    for entry in entries:
        if isinstance(entry, dict):
            name, description = _group_of(entry)
            yield name, (description, ())
    if not isinstance(config, dict):
        return
    for key, one in config.items():
        if isinstance(key, str) and isinstance(one, dict):
            said = one.get("desc")
            description = word(said) if isinstance(said, str) and said != "undefined" else ""
            yield word(key) or "0", (description, _ranks(one.get("ranks")))


def _ranks(said: Any) -> tuple[int, ...]:
    """Ranks as dumps say them: "[0, 1]", or a list."""
    text = said if isinstance(said, str) else ""
    if isinstance(said, list | tuple):
        ranks = (rank for rank in said if type(rank) is int and 0 <= rank < 1_000_000)  # noqa: PLR2004 (as many ranks)
        text = " ".join(map(str, ranks))
    return _ranks_in(text[:_MAX_RANKS_TEXT])


# There are as many dumps as ranks in a group, and all say the same.
@lru_cache(maxsize=64)
def _ranks_in(text: str) -> tuple[int, ...]:
    return tuple(sorted({int(part) for part in re.findall(r"\d{1,6}", text)}))


def _numel(sizes: Any) -> int | None:
    """How many elements a call gives or takes, by the sizes of its tensors."""
    if not isinstance(sizes, list | tuple) or len(sizes) > _MAX_SIZES:
        return None
    total = 0
    for size in sizes:
        if not isinstance(size, list | tuple) or len(size) > _MAX_SIZES:
            return None
        if not all(type(part) is int and 0 <= part < 1 << 48 for part in size):
            return None
        total += prod(size)
    return total if total < 1 << 62 else None


def _seconds(nanoseconds: Any) -> float | None:
    if type(nanoseconds) is not int or not 0 < nanoseconds < _MAX_SECONDS * 1e9:
        return None
    return nanoseconds / 1e9


def _place(frames: Any) -> str:
    """Where the user's own code made the call: the innermost frame that is not of a library."""
    if not isinstance(frames, list):
        return ""
    for frame in frames[:200]:
        if not isinstance(frame, dict):
            continue
        file, function, line = frame.get("filename"), frame.get("name"), frame.get("line")
        if not (isinstance(file, str) and isinstance(function, str)):
            continue
        file = file[-300:]
        if is_own(file) and _OF_TORCH.search(file) is None:
            return f"{word(PurePath(file).name)}:{line if type(line) is int else 0} in {word(function)}"
    return ""


def word(text: str) -> str:
    """A name from a dump as it may stand in a line: nothing in it can begin another line, or a prefix."""
    return re.sub(r"[^\w.:<>+-]", "_", text[:_MAX_WORD])


def read_dumps(dumps: Sequence[tuple[Path, str]], among: int = 0) -> tuple[list[RecordSource], list[SourceNote]]:
    """The dumps (path, name in the report) that can be used; and what a reader must know of the others.

    They are all, or some ``among`` so many: of many each has fewer calls.
    """
    read: list[RecordSource] = []
    notes: list[SourceNote] = []
    each = MAX_CALLS // max(min(max(len(dumps), among), MAX_DUMPS), 1)
    for path, name in dumps[:MAX_DUMPS]:
        try:
            read.append(RecordSource(name, dump_at(path, name, rank_of_name(path.name) or 0, each)))
        except NoDump as fault:
            notes.append(SourceNote(name, str(fault)))
    notes += (passed_over(name) for _, name in dumps[MAX_DUMPS : MAX_DUMPS + 1])
    return read, notes


def passed_over(name: str) -> SourceNote:
    """What to say of the first dump that is one too many."""
    return SourceNote(name, f"was skipped: it comes after the first {MAX_DUMPS} dumps")


def dump_at(path: Path, name: str, rank: int, max_calls: int = KEPT * MAX_GROUPS) -> tuple[GroupRecord, ...]:
    """What the dump of a rank holds, a file called ``name`` in the report. Raises NoDump."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as fault:
        raise NoDump(f"cannot be read ({reason_of(fault)})") from None
    if len(data) > MAX_BYTES:
        raise NoDump(f"is more than {MAX_BYTES >> 20} MB, too much for a flight-recorder dump, and was skipped")
    return read_dump(name, rank, data, max_calls)
