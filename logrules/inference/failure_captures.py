"""What titles and fixes may say of a failure record."""

from collections.abc import Mapping
from posixpath import basename

from logrules.model.failure import ExceptionLink, Failure, FailureKind, Frame
from logrules.model.late_pattern import late_pattern

# A headline quotes no more of a message.
_SENTENCE = 120
_INSTALLED = late_pattern(r"(?:site|dist)-packages/(\w+?)(?:\.py|/)")


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


def places_of(failure: Failure) -> dict[str, str]:
    """Whose code raised, each under a name of its own, so that steps can tell these cases apart.

    ``own_place`` where it was the user's; else ``library_place``, beside ``calling_place`` where the user's code called
    the library, and ``only_library``, its name, where it did not.
    """
    if not failure.frames:
        return {}
    last = failure.frames[-1]
    if last.origin.own:
        return {"own_place": _place(last)}
    calling = next((frame for frame in reversed(failure.frames) if frame.origin.own and frame.file), None)
    beside = {"calling_place": _place(calling)} if calling else {"only_library": _library(last)}
    return {"library_place": _place(last), **beside}


def raised_by(failure: Failure) -> str:
    """Whether the user's ``own`` code or a ``library`` raised it; nothing where no frame tells."""
    frames = failure.frames
    return ("own" if frames[-1].origin.own else "library") if frames else ""


def _place(frame: Frame) -> str:
    return f"{frame.file}:{frame.line or ''}{_inside(frame)}"


def _inside(frame: Frame) -> str:
    return f" in {frame.function}" if frame.function and frame.function != "<module>" else ""


def _library(frame: Frame) -> str:
    """The package that the file is installed as, else the component that it is known to be from."""
    installed = _INSTALLED.search(frame.file.replace("\\", "/"))
    return installed[1] if installed else frame.origin.component or ""


def _summary(found: Mapping[str, str], frame: Frame) -> str:
    """What was raised and where, as a headline says it: ``ValueError: bad shape — loss.py:8 in step``."""
    place = ":".join(part for part in (basename(frame.file.replace("\\", "/")), found["line"]) if part)
    return f"{_sentence(found['type'], found['message'])} — {place}{_inside(frame)}"


def _sentence(kind: str, message: str) -> str:
    """The class without its package, and the first line of the message."""
    # RayTaskError(ValueError) is named by what it passes on.
    name = kind.partition("(")[2].rstrip(")") or kind
    first = next((line.strip() for line in message.splitlines() if line.strip()), "")
    said = first if len(first) <= _SENTENCE else first[: _SENTENCE - 1].rstrip() + "…"
    return ": ".join(part for part in (name.rpartition(".")[2], said) if part)
