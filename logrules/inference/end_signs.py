"""What the first and last lines of a log show: a line broken off, a program that opens anew."""

from collections import Counter
from collections.abc import Sequence

from logrules.inference.wording import Wordings
from logrules.inference.worker_state import ANEW_S
from logrules.model.event import Event, Level
from logrules.model.late_pattern import late_pattern
from logrules.model.template import begins_statement, template_of
from logrules.ruleset.name_tables import Saying

_FIGURES = late_pattern(r"\d+")
# Something follows these.
_GOES_ON = (",", "(", "[", "{")
# What tqdm draws between the percentage and the counters, as long as it has come.
_DRAWN = late_pattern(r"[\u2588-\u258f ]+")
# A bar that ends within the bracket of its times.
_UNCLOSED = late_pattern(r"/\d+ \[\d+:\d\d(?:<[^\]]*)?\s*\Z")
# So many lines of one kind show how lines of it end; of a single one a word must be broken.
_KNOWN = 2
# The lines above that are compared, and so much of each.
_COMPARED, _MAX_CHARS = 400, 400


def is_cut_short(lines: Sequence[Event]) -> bool:
    """Whether the last of these lines ends where no statement does, or as the beginning of such as stand above it."""
    if not lines or not lines[-1].message.strip():
        return False
    if lines[-1].text.rstrip().endswith(_GOES_ON):
        return True
    last = _shape_of(lines[-1])
    kinds = Counter(map(_shape_of, lines[-_COMPARED:-1]))
    if last in kinds:
        return False
    if _UNCLOSED.search(lines[-1].text[:_MAX_CHARS]) is not None:
        return True
    longer = ((kind[len(last)], count) for kind, count in kinds.items() if kind.startswith(last))
    # A line of a single kind must end within a word.
    return any(count >= _KNOWN or (last[-1:].isalnum() and (then.isalnum() or then == "_")) for then, count in longer)


def _shape_of(line: Event) -> str:
    return _FIGURES.sub("#", _DRAWN.sub(" ", line.text[:_MAX_CHARS])).strip()


# So many kinds of lines, in the order of the first time, are no coincidence.
_OPENING_KINDS = 3
# A program's own opening is told in one go.
_WITHIN_LINES = 64
# Fewer words are a heading, a rule or a number.
_WORDS = 2


def opening_of(head: Sequence[Event], wordings: Wordings) -> tuple[str, ...]:
    """The kinds of the lines that one process opens with, in order; nothing where several write at once.

    They end where the first of them comes again: a program that is started anew soon has opened twice by then.
    """
    kinds: list[str] = []
    for line in head:
        kind = _opening_kind(line, wordings)
        if kind is None:
            continue
        if kind in kinds[:1]:
            break
        if kind in kinds:
            return ()
        kinds.append(kind)
    return tuple(kinds) if len(kinds) >= _OPENING_KINDS else ()


def opens_again(opening: Sequence[str], later: Sequence[Event], failed_at: float | None, wordings: Wordings) -> bool:
    """Whether these lines hold the first kind of an opening and, close below it and in order, enough of the others.

    What opens within a minute of a failure that bears its time may be another process of the same run.
    """
    for start, line in enumerate(later):
        at = line.stamp.seconds if line.stamp is not None else None
        early = at is not None and failed_at is not None and at - failed_at < ANEW_S
        if early or _opening_kind(line, wordings) not in opening[:2]:
            continue
        place, told = -1, 0
        for further in later[start:]:
            if further.line - line.line > _WITHIN_LINES:
                break
            kind = _opening_kind(further, wordings)
            if kind in opening[place + 1 :]:
                place, told = opening.index(kind), told + 1
        if told >= max(_OPENING_KINDS, len(opening) // 2):
            # What only begins is no answer to a failure.
            return any(_opening_kind(further, wordings) not in (None, *opening) for further in later[start:])
    return False


def _opening_kind(line: Event, wordings: Wordings) -> str | None:
    if line.worker.is_process or not begins_statement(line.message) or line.level is Level.ERROR:
        return None
    kind = template_of(line.message)
    words = sum(word != "#" for word in kind.split())
    return kind if words >= _WORDS and not wordings.says(Saying.TRACEBACK, line.message) else None
