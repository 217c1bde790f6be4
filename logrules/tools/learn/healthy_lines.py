"""Lines of healthy logs, a few of each kind: what near misses are taken from."""

from collections.abc import Iterable
from pathlib import Path

from logrules.model.errors import SourceError
from logrules.model.template import template_of
from logrules.parsing.clean import clean
from logrules.ruletest.log_lines import REACH
from logrules.sources.discover import discover
from logrules.sources.source import lines_of

# Of all logs together.
_MOST_KINDS = 20_000
_LONGEST = 400


def healthy_lines(logs: Iterable[str]) -> tuple[str, ...]:
    """The first line of each kind in the first lines of these logs; a kind is a message without what varies in it."""
    kinds: dict[str, str] = {}
    for log in logs:
        for line in _first_lines(Path(log)):
            if len(kinds) >= _MOST_KINDS:
                return tuple(kinds.values())
            kinds.setdefault(template_of(line), line)
    kinds.pop("", None)
    return tuple(kinds.values())


def _first_lines(log: Path) -> Iterable[str]:
    try:
        (source,) = discover([str(log)]).sources
    except (SourceError, ValueError):
        return
    for _, raw in zip(range(REACH), lines_of(source), strict=False):
        if len(raw) <= _LONGEST:
            yield clean(raw.removesuffix(b"\n"))
