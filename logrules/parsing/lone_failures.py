"""Failure records that no traceback makes: crashes of native code, what the kernel says, errors that were logged."""

from collections.abc import Iterable, Mapping
from itertools import islice

from logrules.model.event import Event, Level
from logrules.model.failure import ExceptionLink, Failure, FailureKind, Frame
from logrules.model.record import replace
from logrules.parsing.exception_chain import FrameList, GrowingRecord
from logrules.parsing.exception_line import MAX_MESSAGE
from logrules.parsing.exit_signals import signal_name, signal_number

MAX_CRASH_FRAMES = 24
# What std::terminate, assert and a failed check end in: minus the signal's number.
_ABORTED = -6
# The class under which rows of the table of exceptions know such an error.
LOGGED_ERROR = "LoggedError"
# A logger's message of several lines bears its header on the first of them only.
_FURTHER_LINES = 3


def tells_crash(event: Event, captures: Mapping[str, str]) -> bool:
    """Whether the line tells of a crash: a failed check that is logged below ERROR is none."""
    return "signal" in captures or event.level is None or event.level >= Level.ERROR


def crash_record(record: int, event: Event, captures: Mapping[str, str]) -> Failure:
    """The record of a crash that begins with this line."""
    number = _signal(captures)
    kind = captures.get("type") or (signal_name(number) if number else None) or ""
    code = -number if number is not None else _ABORTED
    return Failure(
        record, FailureKind.ABORT, event.worker, event, event, kind, _said(captures), code=code, workers=(event.worker,)
    )


def add_to_crash(record: GrowingRecord, event: Event, captures: Mapping[str, str]) -> Failure | None:
    """Take what another line tells of the same crash; the record if it says more now."""
    known, number = record.failure, _signal(captures)
    told = replace(
        known,
        type=known.type or captures.get("type", ""),
        message=known.message or _said(captures),
        code=-number if number is not None else known.code,
        last=event,
    )
    record.failure, record.last_line = told, event.line
    more = (told.type, told.message, told.code) != (known.type, known.message, known.code)
    return told if more else None


def add_crash_frame(record: GrowingRecord, event: Event, frame: Frame) -> Failure | None:
    """Take a frame of the thread that crashed; the record, or None if there are enough of them."""
    frames = record.crash_frames = record.crash_frames or FrameList(innermost_first=True)
    record.last_line = event.line
    if frames.count >= MAX_CRASH_FRAMES:
        return None
    frames.add(frame)
    known = record.failure
    link = ExceptionLink(known.type, known.message, frames.outermost_first, known.first)
    record.failure = replace(known, chain=(link,), last=event)
    return record.failure


def kernel_record(record: int, event: Event, captures: Mapping[str, str]) -> Failure:
    """What the kernel or its driver says of a process."""
    kind, number = " ".join(filter(None, map(captures.get, ("type", "code")))), _signal(captures)
    return Failure(
        record, FailureKind.KERNEL, event.worker, event, event, kind, event.message[:MAX_MESSAGE],
        code=-number if number is not None else None, workers=(event.worker,),
    )  # fmt: skip


def logged_record(number: int, line: Event, below: Iterable[str]) -> Failure:
    """The record of an error that this line states; the messages right ``below`` go on with its own."""
    message = "\n".join((line.message, *islice(below, _FURTHER_LINES)))[:MAX_MESSAGE]
    link = ExceptionLink(LOGGED_ERROR, message, (), line)
    return Failure(
        number, FailureKind.EXCEPTION, line.worker, line, line, LOGGED_ERROR, message, (link,), workers=(line.worker,)
    )


def _signal(captures: Mapping[str, str]) -> int | None:
    return signal_number(captures.get("signal") or captures.get("type", ""))


def _said(captures: Mapping[str, str]) -> str:
    return (captures.get("message") or captures.get("what") or "")[:MAX_MESSAGE]
