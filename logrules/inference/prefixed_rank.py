"""The rank that a program puts in brackets before each of its lines, in a form that is no header of a framework.

Of a single line nobody can say whether ``[3]`` counts processes, lines, epochs or files. Before both ends of one
traceback it is no count of lines, and what is told there tells of its writer.
"""

import re

_PREFIX = re.compile(
    r"(?P<open>[\[(<]?)(?:(?:(?:local[ _])?rank|worker|proc(?:ess)?|task|trainer|gpu|[rpw])[ _=:#-]?)?"
    r"(?P<rank>\d{1,5})(?:/\d{1,5})?(?P<close>[\])>|])",
    re.IGNORECASE,
)
_PAIRS = frozenset(("[]", "()", "<>", ">", "|"))


def prefixed_rank(first: str, last: str) -> int | None:
    """The number in the prefix that both the first and the last line of a record bear, or None."""
    opening, closing = _PREFIX.match(first), _PREFIX.match(last)
    if opening is None or closing is None or opening.group() != closing.group():
        return None
    return int(opening["rank"]) if opening["open"] + opening["close"] in _PAIRS else None
