"""What titles and fixes may say of a failure record."""

from collections.abc import Mapping
from posixpath import basename

from logrules.model.failure import ExceptionLink, Failure, FailureKind, Frame

# A headline quotes no more of a message.
_SENTENCE = 120


def captures_of(failure: Failure, link: ExceptionLink | None = None) -> dict[str, str]:
    """What titles and fixes may say of a failure: its type and message, the innermost frame of the user's code.

    ``summary`` is all of it in a headline's form.
    """
    kind, message = (link.type, link.message) if link is not None else (failure.type, failure.message)
    found = {"type": kind, "message": message}
    frames = link.frames if link is not None and link.frames else failure.frames
    frame = next((frame for frame in reversed(frames) if frame.origin.own), frames[-1] if frames else None)
    if frame is not None:
        found |= {"file": frame.file, "line": str(frame.line or ""), "function": frame.function}
        found["summary"] = _summary(found, frame)
    elif kind:
        found["summary"] = _sentence(kind, message)
    if failure.worker.rank is not None and failure.kind is FailureKind.EXIT:
        found["rank"] = str(failure.worker.rank)
    if failure.worker.host is not None and failure.kind is FailureKind.EXIT:
        found["host"] = failure.worker.host
    return {name: value for name, value in found.items() if value}


def _summary(found: Mapping[str, str], frame: Frame) -> str:
    """What was raised and where, as a headline says it: ``ValueError: bad shape — loss.py:8 in step``."""
    place = ":".join(part for part in (basename(frame.file.replace("\\", "/")), found["line"]) if part)
    inside = f" in {frame.function}" if frame.function and frame.function != "<module>" else ""
    return f"{_sentence(found['type'], found['message'])} — {place}{inside}"


def _sentence(kind: str, message: str) -> str:
    """The class without its package, and the first line of the message."""
    # RayTaskError(ValueError) is named by what it passes on.
    name = kind.partition("(")[2].rstrip(")") or kind
    first = next((line.strip() for line in message.splitlines() if line.strip()), "")
    said = first if len(first) <= _SENTENCE else first[: _SENTENCE - 1].rstrip() + "…"
    return ": ".join(part for part in (name.rpartition(".")[2], said) if part)
