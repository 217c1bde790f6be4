"""Patterns of our own that are compiled when first used: a start defines a hundred, and most logs need a third of them.

Patterns of rules are compiled in `ruleset.pattern`, within bounds; those that stand in code need none.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from re import compile as late_pattern
else:

    class late_pattern:  # noqa: N801 (to its users it is a function that returns a pattern)
        """What ``re.compile`` would return, compiled when it is first used."""

        def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
            self.__dict__["_given"] = (pattern, flags)

        def __getattr__(self, name: str) -> object:
            # Only what this instance does not have yet is asked for here. A method that was used once is kept, so that
            # a second use costs what it costs on the pattern itself.
            found = getattr(re.compile(*self._given), name)
            setattr(self, name, found)
            return found


__all__ = ["late_pattern"]
