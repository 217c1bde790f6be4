"""Crashes of native code and what the kernel says of processes, to failure records."""

from collections.abc import Mapping

from logrules.model.event import Event, Level
from logrules.model.failure import ExceptionLink, Failure, FailureKind, Frame
from logrules.model.record import replace
from logrules.parsing.exception_chain import FrameList, GrowingRecord
from logrules.parsing.exception_line import MAX_MESSAGE
from logrules.parsing.exit_signals import signal_name, signal_number

MAX_CRASH_FRAMES = 24
# What std::terminate, assert and a failed check end in, and what the kernel does: minus the signal's number.
_ABORTED = -6
_KERNEL_CODES = {"out of memory": -9, "memory cgroup out of memory": -9, "oom-kill": -9, "segfault": -11}


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
    kind = captures.get("type", "")
    code = _KERNEL_CODES.get(kind.lower())
    if "code" in captures:
        kind = f"{kind} {captures['code']}"
    return Failure(
        record, FailureKind.KERNEL, event.worker, event, event, kind, event.message[:MAX_MESSAGE],
        code=code, workers=(event.worker,),
    )  # fmt: skip


def _signal(captures: Mapping[str, str]) -> int | None:
    return signal_number(captures.get("signal") or captures.get("type", ""))


def _said(captures: Mapping[str, str]) -> str:
    return (captures.get("message") or captures.get("what") or "")[:MAX_MESSAGE]
