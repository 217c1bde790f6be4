"""The same failure told by several ranks, prefixes and copies, as one record."""

import re
from collections.abc import Iterable
from typing import TypeAlias

from logrules.model.event import Stance
from logrules.model.failure import Failure
from logrules.model.record import replace

MAX_MERGED_WORKERS = 4_096
_KEPT_CHARS = 300
_VARIABLE = re.compile(r"0x[0-9a-fA-F]+|[0-9a-fA-F]{8,}|\d+(?:[.:]\d+)*")

_Kind: TypeAlias = tuple[str, str, str, object]


def merge(failures: Iterable[Failure]) -> list[Failure]:
    """One record for what has the same innermost type, message but for its numbers, and innermost frame.

    The earliest told stays, with all workers, its own first; a fact among them makes it one. Exits are the same in
    the same form with the same code.
    """
    found: dict[_Kind, Failure] = {}
    for failure in failures:
        kind = _kind(failure)
        known = found.get(kind)
        found[kind] = failure if known is None else _joined(known, failure)
    return list(found.values())


def message_template(message: str) -> str:
    """A message without what differs from rank to rank: numbers, addresses, identifiers."""
    return _VARIABLE.sub("#", message[:_KEPT_CHARS])


def _kind(failure: Failure) -> _Kind:
    place: object = None
    if failure.frames:
        frame = failure.frames[-1]
        place = (frame.file, frame.line, frame.function)
    told = message_template(failure.message)
    return failure.kind.value, failure.type, told, (place, failure.form, failure.code)


def _joined(known: Failure, other: Failure) -> Failure:
    early, late = (other, known) if _precedes(other, known) else (known, other)
    workers = tuple(dict.fromkeys((*early.workers, *late.workers)))[:MAX_MERGED_WORKERS]
    stance = Stance.FACT if Stance.FACT in (early.stance, late.stance) else early.stance
    return replace(early, workers=workers, stance=stance, last=late.last)


def _precedes(failure: Failure, known: Failure) -> bool:
    """Whether it was told before the known one: by line within a source, else by time where both lines bear one."""
    one, other = failure.first, known.first
    if one.source == other.source:
        return one.line < other.line
    if one.stamp is None or other.stamp is None or one.stamp.year_known != other.stamp.year_known:
        return False
    return one.stamp.seconds < other.stamp.seconds
