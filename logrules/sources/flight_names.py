"""Which files are dumps of the flight recorder: told without loading what reads them, as most folders have none."""

import re
from pathlib import Path, PurePath

from logrules.model.late_pattern import late_pattern

# What torch writes by default, and the names that tools give what they gather.
_NAME = late_pattern(
    r"(?:\w*?trace_rank_(?P<rank>\d{1,6})(?:\.(?:json|pkl|pickle))?|rank_(?P<rank_alone>\d{1,6})"
    r"|\w*?_dump_(?:rank_?)?(?P<rank_of_dump>\d{1,6})(?:\.(?:json|pkl|pickle))?)",
    re.IGNORECASE,
)
_HEAD_BYTES = 256
# As many ranks as one reads at a sitting; the others are said to be left out.
MAX_DUMPS = 4_096


def rank_of_name(name: str) -> int | None:
    """The rank of a dump by the name of its file; None for a name that dumps do not have."""
    found = _NAME.fullmatch(PurePath(name).name)
    return int(found["rank"] or found["rank_alone"] or found["rank_of_dump"]) if found else None


def is_dump(path: Path) -> bool:
    """Whether a regular file is a dump, by its name and its first bytes: of a binary pickle or of a JSON object."""
    if rank_of_name(path.name) is None:
        return False
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return False
    return head[:1] == b"\x80" or head.lstrip()[:1] == b"{"
