"""Lines that state an error in words of their own, without the level of a logger: ``loader: failed to open x``."""

from collections.abc import Iterator, Sequence

from logrules.model.event import Event, Stance
from logrules.model.late_pattern import late_pattern
from logrules.model.template import template_of

# What a line says of itself stands at its beginning; what to do comes behind.
_MAX_READ = 160
# What ended a program is among the last things that it says.
_LAST_LINES = 20
# Brackets, times and the names of programs and functions that stand before what is said.
_PREFIX = r"\W{0,4}(?:(?:\[[^\]\n]{1,60}\]|<[^>\n]{1,40}>|\d[\d:.,/TZ+-]{3,30}|[\w.()/~-]{1,60}:)\s{0,4}){0,4}"
_UNABLE = r"(?:unable|not able) to\b|fail(?:ed|ure)\b|could(?: not|n't)\b|can(?:not|'t| not)\b"
_COMPLAINT = late_pattern(
    rf"(?i)(?:{_PREFIX}(?:(?:fatal|critical|internal|unexpected|unhandled|unrecoverable|runtime|system) )?"
    rf"(?:error|fatal|panic|no such file or directory|permission denied|{_UNABLE})(?![\w=])"
    r"|.{0,60}[\[<](?:error|fatal)[\]>]"
    r"|(?:.{0,40}\s)?[EF] [\w./-]{1,120}\.(?:cc|cpp|cu|c|h|cxx):\d{1,6}\]"
    r"|[\w./ -]{1,60}: .{0,80}\b(?:failed|command not found)\b"
    # A heading in words: ``Socket connect error: ...``.
    r"|(?:[A-Za-z]\w{1,20} ){1,3}(?:error|failure) ?:)"
)
# Counts and rates of errors, and what is said of one that there is none.
_NO_COMPLAINT = late_pattern(
    r"(?i)\b(?:no|0|zero|without|any) (?:errors?|failures?)\b|\bfailed ?[:=]? ?0\b"
    r"|\berrors? ?(?:rate|bars?|count|=|of \d|[:=] ?[\d.]+(?:e-?\d+)?%?\s*$)"
    # Few of many things; without these it may be the place of one among them.
    r"|(?<!\d)(?:\d (?:of|out of) \d{3,}|\d\d (?:of|out of) \d{4,}) (?:[a-z]+ )?[a-z]{3,}s\b"
    r"|\b(?:ignor|skip|fall(?:ing)? ?back|instead|continu|optional|default)\w*"
)
# What scripts clean up, set up and look around with: they go on where it fails.
_HOUSEKEEPING = late_pattern(
    r"(?:\S{1,80}: )?(?:rm|rmdir|mv|cp|ln|ls|chmod|chown|mkdir|touch|p?kill|u?mount|ulimit|find|grep|du|df|tput|stty"
    r"|debconf): "
    r"|(?:\S{1,80}: )?(?:line \d{1,6}: |\d{1,6}: )?(?:module|deactivate|nvidia-smi|tput|stty|clear): "
    r"(?:command )?not found\b"
)
# Whoever is asked for help says more below it; what a log ends in answers a call that was wrong.
_USAGE = late_pattern(r"[Uu]sage: \S")
# Which may be said on the line below, too, or that it worked then.
_TRIES_AGAIN = late_pattern(
    r"(?i)\b(?:re-?tr(?:y|ies|ying)|trying|try again|resum(?:e|ing)|attempt \d)\b"
    r"|\A\W{0,4}(?:(?:re-?)?connected\b|connection (?:re-?established|restored)\b)"
)


def complaints(lines: Sequence[Event], went_on: int) -> Iterator[Event]:
    """Those of the last of these ``lines`` of a log that complain, behind the line where it last ``went_on``.

    What was complained of before its program went on is no end, nor is what the line below says is tried again.
    """
    early, last = lines[:-_LAST_LINES], lines[-_LAST_LINES:]
    before = {template_of(line.message) for line in early if complains(line)}
    for place, line in enumerate(last):
        tried_again = any(_TRIES_AGAIN.search(said.message[:_MAX_READ]) for said in last[place : place + 2])
        if line.line > went_on and complains(line) and not tried_again and template_of(line.message) not in before:
            yield line
    if last and last[-1].line > went_on and last[-1].level is None and _USAGE.match(last[-1].message):
        yield last[-1]


def complains(line: Event) -> bool:
    """Whether a line states an error in words of its own."""
    if line.level is not None or line.stance is not Stance.FACT or _HOUSEKEEPING.match(line.message):
        return False
    return _COMPLAINT.match(line.message) is not None and _NO_COMPLAINT.search(line.message[:_MAX_READ]) is None
