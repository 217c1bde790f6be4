"""The number of a step, read off the line that told of it."""

import re

# A named counter (`step 9`, `'global_step': 9`, `iteration 9/100`), else what a bar has done of its total.
_NAMED = re.compile(r"(?:step|iter(?:ation)?|update|batch)s?\b[\"']?\s{0,4}[:=\[]?\s{0,4}(\d{1,12})", re.IGNORECASE)
_OF_TOTAL = re.compile(r"(?<![\d.])(\d{1,12})/\d{1,12}(?![\d.]?\d)")
_MAX_CHARS = 2_000


def step_of(progress: str) -> int | None:
    """The step that a progress line counts, or None where it names none."""
    text = progress[:_MAX_CHARS]
    found = _NAMED.search(text) or _OF_TOTAL.search(text)
    return int(found[1]) if found else None
