"""Whether a program that wrote to a log opens it once more: what failed before that is past."""

from collections.abc import Sequence

from logrules.inference.worker_state import ANEW_S
from logrules.model.event import Event, Level
from logrules.model.template import begins_statement, template_of

# So many kinds of lines, in the order of the first time, are no coincidence.
_OPENING_KINDS = 3
# A program's own opening is told in one go.
_WITHIN_LINES = 64
# Fewer words are a heading, a rule or a number.
_WORDS = 2


def opening_of(head: Sequence[Event]) -> tuple[str, ...]:
    """The kinds of the lines that one process opens with, in order; nothing where several write at once.

    They end where the first of them comes again: a program that is started anew soon has opened twice by then.
    """
    kinds: list[str] = []
    for line in head:
        kind = _kind(line)
        if kind is None:
            continue
        if kind in kinds[:1]:
            break
        if kind in kinds:
            return ()
        kinds.append(kind)
    return tuple(kinds) if len(kinds) >= _OPENING_KINDS else ()


def opens_again(opening: Sequence[str], later: Sequence[Event], failed_at: float | None) -> bool:
    """Whether these lines hold the first kind of an opening and, close below it and in order, enough of the others.

    What opens within a minute of a failure that bears its time may be another process of the same run.
    """
    for start, line in enumerate(later):
        at = line.stamp.seconds if line.stamp is not None else None
        early = at is not None and failed_at is not None and at - failed_at < ANEW_S
        if early or _kind(line) not in opening[:2]:
            continue
        place, told = -1, 0
        for further in later[start:]:
            if further.line - line.line > _WITHIN_LINES:
                break
            kind = _kind(further)
            if kind in opening[place + 1 :]:
                place, told = opening.index(kind), told + 1
        if told >= max(_OPENING_KINDS, len(opening) // 2):
            return True
    return False


def _kind(line: Event) -> str | None:
    if line.worker.is_process or not begins_statement(line.message) or line.level is Level.ERROR:
        return None
    kind = template_of(line.message)
    words = [word for word in kind.split() if word != "#"]
    return kind if len(words) >= _WORDS and words[0] != "File" else None
