"""A level that a collector gave to all lines of the stream that they came from: it tells nothing of any of them.

What reads a program's standard error may call all of it an error (Google's agents and Vertex AI do).
"""

import re
from collections.abc import Sequence

from logrules.model.event import Event, Level
from logrules.model.record import replace

# Of fewer lines nobody can say that they are all that the program wrote.
_ENOUGH_LINES = 8
_TELLS_TROUBLE = re.compile(
    r"(?i)error|exception|fail|fatal|abort|assert|critical|panic|kill|died|dead\b|crash|denied|refus|reject|invalid"
    r"|unable|cannot|can't|could not|no such|not found|missing|timed? ?out|lost|exceed|out of|错误|失败|异常"
)


def by_their_words(lines: Sequence[Event], first_lines: Sequence[Event]) -> Sequence[Event]:
    """The last lines of a log, which began with these; where a collector gave their level, it is left to their words.

    It did where every line bears a level and one of the first is an error that tells of none: what the program logged
    itself may name another.
    """
    leveled = len(lines) >= _ENOUGH_LINES and all(line.level is not None for line in (*lines, *first_lines))
    if not leveled or not any(line.level is Level.ERROR and not _tells_trouble(line) for line in first_lines):
        return lines
    return [line if _tells_trouble(line) else replace(line, level=None) for line in lines]


def _tells_trouble(line: Event) -> bool:
    return _TELLS_TROUBLE.search(line.message) is not None
