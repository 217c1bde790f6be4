"""The lines that a message of several lines goes on with: only the first of them bears a header."""

from collections.abc import Iterable, Iterator

from logrules.model.event import Event
from logrules.model.late_pattern import late_pattern

# No part of the message above: a time, a traceback, a warning, another exception, what a shell or a launcher says.
_BEGINS_ANEW = late_pattern(
    r"\s*(?:Traceback \(most recent|File \"|During handling of the above|The above exception|Exception ignored"
    r"|raise [A-Z]\w{1,99}\(|at [\w.$]{3,200}[(.<])"
    r"|\W{0,3}\d{2,4}[-/:]\d\d[-/:]\d\d|\[rank\d|\S{1,400}:\d+: \w*Warning: "
    r"|(?:[A-Za-z_]\w{0,99}\.){0,12}[A-Z]\w{0,99}(?:Error|Exception|Interrupt|Exit)\b"
    r"|(?:\([\w.-]{1,40}\) )?[\w.@~:/\\-]{0,80}[$#>] "
    r"|(?:srun|slurmstepd|mpirun|prterun|make|bash|sh|\S{1,80}\.sh)(?:\[\d+\])?: "
)
_ENDS = (".", "!", "?", ":", ";")
_ITEM = late_pattern(r"\s*(?:[-*•]|\(?\d{1,2}[.)]) ")


def lines_below(line: Event, below: Iterable[Event]) -> Iterator[str]:
    """The messages right below a line that bear no header of their own, to where something else begins.

    ``below`` are lines of its log in their order, of which blank ones are left out: one may stand between two parts.
    """
    last = line.line
    for after in below:
        begins_anew = after.level is not None or after.stamp is not None or after.worker != line.worker
        if begins_anew or after.line > last + 2 or _BEGINS_ANEW.match(after.message) is not None:
            return
        yield after.message
        last = after.line


def sentences(lines: Iterable[str]) -> Iterator[str]:
    """The texts that were broken into these lines: each ends where a sentence does, or an item of a list begins."""
    held: list[str] = []
    for line in lines:
        if held and (held[-1].endswith(_ENDS) or _ITEM.match(line) is not None):
            yield " ".join(held)
            held = []
        held.append(line.strip())
    yield " ".join(held)
