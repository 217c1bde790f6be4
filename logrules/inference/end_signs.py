"""What the first and last lines of a log show: requests answered, a line broken off, a program that opens anew."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from logrules.inference.wording import Wordings
from logrules.inference.worker_state import ANEW_S
from logrules.model.event import Event, Level, Stance, Worker
from logrules.model.late_pattern import late_pattern
from logrules.model.record import replace
from logrules.model.template import begins_statement, template_of
from logrules.ruleset.tables import Saying

# Uvicorn, gunicorn, werkzeug, aiohttp and hypercorn quote the request line. A client's log begins with the address.
# Compiled at the first line with a good status behind a quote: most logs hold none.
_ANSWER = r'(?P<above>.{0,400}?)"(?:GET|POST|PUT|PATCH|DELETE|OPTIONS) (?P<path>\S{1,2000}) HTTP/[\d.]+" %s\d\d\b'
_CLIENT = r"https?://\S+ $"
# What a front end answers by itself, whatever has become of what stands behind it.
_PROBE = r"(?i)/(?:-/)?(?:metrics|health\w*|ping|ready\w*|live\w*|status|version|v1/models|docs|openapi\.json)\b"

# Of fewer lines nobody can say that they are all that the program wrote.
_WHOLE_STREAM_LINES = 8


def answers(lines: Iterable[Event]) -> int:
    """How many of these lines say that a request was answered well, to what the server itself has to work on.

    A status below 200 or above 299 says nothing: redirections and refusals are told by what stands in front as well.
    """
    found = (_answered(line, "2") for line in lines)
    return sum(one is not None and re.match(_PROBE, one["path"]) is None for one in found)


def refuses(line: Event) -> bool:
    """Whether the line says that a request was answered with a failure, its own or the server's."""
    return _answered(line, "45") is not None


def _answered(line: Event, digits: str) -> re.Match[str] | None:
    """The request that came in, in a line that says that it was answered with a status that begins so."""
    if not any(f'" {digit}' in line.message for digit in digits):
        return None
    found = re.match(_ANSWER % f"[{digits}]", line.message)
    return found if found is not None and not re.search(_CLIENT, found["above"]) else None


# What a script says with the level of an error so that it is seen, or a figure that is called so: nothing went wrong.
_ANNOUNCES = late_pattern(
    r"(?i)\W*(?:start(?:ing|ed)|begin(?:ning|s))"
    r"(?: (?!fail|error|refus|deni|abort|cancel|not\b|no\b|too\b|tim)[\w.-]+){1,5}\W*"
    r"|(?:error\W{1,3})?\d{1,9}\.\d{1,20}(?:e-?\d{1,3})?%?"
)


def states_error(line: Event) -> bool:
    """Whether its logger says that something went wrong."""
    if line.level is None or line.level < Level.ERROR or line.stance is not Stance.FACT:
        return False
    return _ANNOUNCES.fullmatch(line.message) is None


# Whose work has come to its results goes on.
_MAX_RESULT = 300


def has_results(lines: Iterable[Event], worker: Worker, wordings: Wordings) -> bool:
    """Whether its logger notes in one of these lines that what it worked for is saved."""
    noted = (line for line in lines if line.worker == worker and line.level is Level.INFO)
    return any(wordings.says(Saying.RESULT, line.message[:_MAX_RESULT]) for line in noted)


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
# What the lines of a traceback begin with: each of a chain opens as the first one does.
_OF_TRACEBACKS = frozenset(("File", "Traceback", "During"))


def opening_of(head: Sequence[Event]) -> tuple[str, ...]:
    """The kinds of the lines that one process opens with, in order; nothing where several write at once.

    They end where the first of them comes again: a program that is started anew soon has opened twice by then.
    """
    kinds: list[str] = []
    for line in head:
        kind = _opening_kind(line)
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
        if early or _opening_kind(line) not in opening[:2]:
            continue
        place, told = -1, 0
        for further in later[start:]:
            if further.line - line.line > _WITHIN_LINES:
                break
            kind = _opening_kind(further)
            if kind in opening[place + 1 :]:
                place, told = opening.index(kind), told + 1
        if told >= max(_OPENING_KINDS, len(opening) // 2):
            # What only begins is no answer to a failure.
            return any(_opening_kind(further) not in (None, *opening) for further in later[start:])
    return False


def _opening_kind(line: Event) -> str | None:
    if line.worker.is_process or not begins_statement(line.message) or line.level is Level.ERROR:
        return None
    kind = template_of(line.message)
    words = [word for word in kind.split() if word != "#"]
    return kind if len(words) >= _WORDS and words[0] not in _OF_TRACEBACKS else None


def without_stream_level(lines: Sequence[Event], head: Sequence[Event], wordings: Wordings) -> Sequence[Event]:
    """The lines without a level that a collector gave to all of a stream, such as standard error; else as they are.

    It did where every line bears a level and one of the ``head`` is an error that tells of no trouble: what the program
    logged itself may name another. Google's agents and Vertex AI do so.
    """
    leveled = len(lines) >= _WHOLE_STREAM_LINES and all(line.level is not None for line in (*lines, *head))
    if not leveled or not any(line.level is Level.ERROR and not wordings.tells_trouble(line.message) for line in head):
        return lines
    return [line if wordings.tells_trouble(line.message) else replace(line, level=None) for line in lines]
