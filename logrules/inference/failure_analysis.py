"""What failure records say: whose code raised, whether it was lived through, who ended how."""

from collections.abc import Sequence
from posixpath import basename

from logrules.inference.observation import NEAR_LINES, Observation
from logrules.model.event import Event, hosts_of, ranks_of
from logrules.model.failure import MODULE_CODE, ExceptionLink, Failure, FailureKind, Frame
from logrules.model.package_path import PathKind, package_path
from logrules.model.record import mutable_record, record

# A headline quotes no more of a message.
_SENTENCE = 120


def captures_of(failure: Failure, link: ExceptionLink | None = None) -> dict[str, str]:
    """What titles and fixes may say of a failure: its type and message, the innermost frame of the user's code.

    ``summary`` is all of it as a headline says it: ``ValueError: bad shape — loss.py:8 in step``.
    """
    kind, message = (link.type, link.message) if link is not None else (failure.type, failure.message)
    found = {"type": kind, "message": message}
    frames = link.frames if link is not None and link.frames else failure.frames
    frame = next((frame for frame in reversed(frames) if frame.origin.own), frames[-1] if frames else None)
    if frame is not None or kind:
        found["summary"] = _sentence(kind, message)
    if frame is not None:
        line = str(frame.line or "")
        found |= {"file": frame.file, "line": line, "function": frame.function}
        place = ":".join(part for part in (basename(frame.file.replace("\\", "/")), line) if part)
        found["summary"] += f" — {place}{_inside(frame)}"
    if failure.kind is FailureKind.EXIT:
        told = {"status": failure.code, "rank": failure.worker.rank, "host": failure.worker.host}
        found |= {name: str(value) for name, value in told.items() if value is not None}
    return {name: value for name, value in found.items() if value}


def places_of(failure: Failure) -> dict[str, str]:
    """Whose code raised, each under a name of its own, so that steps can tell these cases apart.

    ``own_place`` where it was the user's; else ``library_place`` in ``raising_library``, beside ``calling_place`` where
    the user's code called the library, and ``only_library``, its name, where it did not.
    """
    if not failure.frames:
        return {}
    last = failure.frames[-1]
    if last.origin.own:
        return {"own_place": _place(last)}
    calling = next((frame for frame in reversed(failure.frames) if frame.origin.own and frame.file), None)
    path = package_path(last.file)
    library = path.parts[0].removesuffix(".py") if path.kind is PathKind.PACKAGE else last.origin.component or ""
    beside = {"calling_place": _place(calling)} if calling else {"only_library": library}
    return {"library_place": _place(last), "raising_library": library, **beside}


def raised_by(failure: Failure) -> str:
    """Whether the user's ``own`` code or a ``library`` raised it; nothing where no frame tells."""
    frames = failure.frames
    return ("own" if frames[-1].origin.own else "library") if frames else ""


def _place(frame: Frame) -> str:
    return f"{frame.file}:{frame.line or ''}{_inside(frame)}"


def _inside(frame: Frame) -> str:
    return f" in {frame.function}" if frame.function and frame.function != MODULE_CODE else ""


def _sentence(kind: str, message: str) -> str:
    """The class without its package, and the first line of the message."""
    # RayTaskError(ValueError) is named by what it passes on.
    name = kind.partition("(")[2].rstrip(")") or kind
    first = next((line.strip() for line in message.splitlines() if line.strip()), "")
    said = first if len(first) <= _SENTENCE else first[: _SENTENCE - 1].rstrip() + "…"
    return ": ".join(part for part in (name.rpartition(".")[2], said) if part)


@record
class KnownFailure:
    """A record, the rule of the row that knows it, the observation that shows it, and those that it grew by."""

    failure: Failure
    rule: str | None
    shown: Observation
    grown: tuple[Observation, ...]

    @property
    def telling(self) -> tuple[Observation, ...]:
        """The observations that show it, in order: of the end of a process also the place that told of it first."""
        first = self.grown[0] if self.failure.kind is FailureKind.EXIT and self.grown else self.shown
        return (self.shown,) if first.order == self.shown.order else (first, self.shown)


# A worker that raised the same thing so often lived through it: it does not end anything.
LIVED_THROUGH = 3
# What was raised before so many rounds of progress, and again after them, ends no job either, whoever raises it.
_ROUNDS_BETWEEN = 3


@mutable_record
class _Raised:
    """How often one writer raised the same, its last line of that, and how many lines the longest of them took."""

    last: Event | None = None
    longest: int = 0
    times: int = 0


class RepeatedFailures:
    """Counts what is raised, by whom, and knows what was raised so often that it was lived through."""

    def __init__(self) -> None:
        self._raised: dict[object, _Raised] = {}
        self._first_round: dict[object, int] = {}
        # What was raised, by itself or with its writer: of a process, its role stands for its peers.
        self._lived_through: set[object] = set()

    def count(self, failure: Failure, now: int) -> None:
        """Count one more, in this round; what unnamed processes tell in one go may be theirs all.

        Of what is told again few frames are read: it may begin as far above the first of them as the longest of its
        kind is long.
        """
        raised, worker = failure.raised, failure.worker
        told = self._raised.setdefault((worker, raised), _Raised())
        before, told.last = told.last, failure.last
        told.longest = max(told.longest, failure.last.line - failure.first.line)
        apart = before is None or failure.first.line - before.line > NEAR_LINES + told.longest
        # One process prints one at a time: what begins before its last has ended is of another.
        overlaps = before is not None and before.worker == worker and failure.first.line <= before.line
        if apart or (worker.is_process and not overlaps):
            told.times += 1
        if told.times >= LIVED_THROUGH:
            self._lived_through.add((worker.role if worker.is_process else worker, raised))
        if now - self._first_round.setdefault(raised, now) >= _ROUNDS_BETWEEN:
            self._lived_through.add(raised)

    def ends_nothing(self, failure: Failure) -> bool:
        """Whether what was raised here was raised so often."""
        raised, worker = failure.raised, failure.worker
        return not self._lived_through.isdisjoint((raised, (worker.role if worker.is_process else worker, raised)))


# Ends by a signal that others sent, and by one that a process sends itself behind a message.
_ASKED = frozenset((-15, -2, -1))
_AFTER_A_MESSAGE = frozenset((-6,))


def was_asked_for(end: Failure) -> bool:
    """Whether somebody else ended the process in order."""
    return end.code in _ASKED


def ended_ranks(ends: Sequence[Failure]) -> tuple[int, ...]:
    """The ranks that ended badly of themselves, the first to do so before the others."""
    # Who knows the process's own number started it; Slurm's tasks may be the launchers of many ranks.
    started = [one for one in ends if any(who.rank is not None and who.pid is not None for who in one.workers)]
    told = sorted(started or ends, key=lambda one: (one.code in _AFTER_A_MESSAGE, one.last.line))
    return ranks_of(worker for one in told for worker in one.workers)


def gone_of_themselves(ends: Sequence[Failure]) -> tuple[int, ...]:
    """The ranks that ended badly, but for those that were aborted behind a message: these may have waited."""
    return ended_ranks([one for one in ends if one.code not in _AFTER_A_MESSAGE])


def hosts_of_ended(ends: Sequence[Failure], rank: int | None = None) -> tuple[str, ...]:
    """Where processes ended by a launcher's word; of a rank, where it ran."""
    workers = (worker for one in ends for worker in one.workers)
    return hosts_of(worker for worker in workers if rank in (None, worker.rank))
