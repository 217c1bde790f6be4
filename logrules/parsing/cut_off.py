"""What a log ends before: the exception of a traceback that it cuts off, as far as its last lines tell of one."""

from collections.abc import Sequence

from logrules.model.event import Event
from logrules.model.late_pattern import late_pattern
from logrules.model.record import replace
from logrules.parsing.exception_chain import SOURCE_LINES, OpenTraceback
from logrules.parsing.exception_line import FRAME
from logrules.parsing.hit_lines import CONTEXT_LINES

# The message of an exception that the log ends before, in the place of its own.
CUT_OFF = "the log ends before its message"
# The same of one that is known by its heading alone: its last frames are not in the log either.
ONLY_HEADED = f"{CUT_OFF}, within its frames"
# A notebook names the exception in the heading of its traceback.
_NAMED_HEAD = late_pattern(r"\s{0,8}([A-Za-z_][\w.]{0,200})\s{2,200}Traceback \(most recent call last\)")
_RAISE = late_pattern(r"\braise ([A-Za-z_][\w.]{0,200})(?:\(|\s|$)")
# A notebook shows the source around a frame with the numbers of its lines, and marks the one that was left.
_SHOWN_SOURCE = late_pattern(r"\s{0,12}(?:-+> )?\s{0,8}(?:\d{1,6}|\[\d{1,6}\]\([^)\n]{1,1000}\)) ")
_DIGITS = late_pattern(r"\d")
# The sides of the boxes that tracebacks are drawn into.
_BOX = frozenset("│|")


def exception_cut_off(trace: OpenTraceback, lines: Sequence[Event]) -> tuple[Event, str, str] | None:
    """Where the last ``lines`` of a log tell best what they end before, its type and its message; None if not in it."""
    if not _ends_within(trace, lines):
        return None
    if named := _NAMED_HEAD.match(trace.first.message):
        return trace.first, named[1], ONLY_HEADED
    place = replace(_last_code(trace, lines), worker=trace.first.worker) if trace.frames.count else trace.first
    raised = _RAISE.search(place.text)
    is_type = raised is not None and raised[1].rpartition(".")[2][:1].isupper()
    return place, raised[1] if raised is not None and is_type else "Exception", CUT_OFF


def _ends_within(trace: OpenTraceback, lines: Sequence[Event]) -> bool:
    """Whether the last line is of the source of the last frame."""
    last = lines[-1]
    below = [line for line in lines if line.worker == trace.first.worker and line.line > trace.last_line]
    # A message without a name that tells goes on in lines that are indented.
    reach = SOURCE_LINES + sum(
        line.message[:1] in (" ", "\t") or bool(_SHOWN_SOURCE.match(line.message)) for line in below
    )
    is_near = trace.first.source == last.source and last.line - trace.last_line <= reach
    if not is_near or trace.nested or trace.chained or trace.frames.innermost_first:
        return False
    if trace.headless:
        return bool(trace.frames.count) and _begins_its_log(trace.first)
    # With no frame, what stands below the head is one that is torn off.
    further = (line.message.strip() for line in lines if line.line > trace.first.line)
    return bool(trace.frames.count) or all(one.startswith(FRAME) or FRAME.startswith(one) for one in further)


def _begins_its_log(first: Event) -> bool:
    """Whether nothing but its own text stands above a first frame: a stack that is printed has a heading."""
    prefix = _DIGITS.sub("0", first.text.removesuffix(first.message))
    rests = (_DIGITS.sub("0", line).removeprefix(prefix) for line in first.before)
    return len(first.before) == first.line - 1 and all(rest[:1].isspace() or rest[:1] in _BOX for rest in rests)


def _last_code(trace: OpenTraceback, lines: Sequence[Event]) -> Event:
    """The last line of the traceback that shows code: the last one of a log may be torn, or be marks."""
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place]
        shown = line.message.strip(" ^~")
        is_own = line.worker == trace.first.worker and line.line > trace.first.line
        if is_own and shown and not FRAME.startswith(shown):
            return replace(line, before=tuple(above.text for above in lines[max(place - CONTEXT_LINES, 0) : place]))
    return lines[-1]
