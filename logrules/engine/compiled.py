"""What is compiled of a pack, once for all logs that this process reads with it."""

from collections import deque

from logrules.engine.extraction import Scanners
from logrules.inference.rule_index import Index, index_of
from logrules.ruleset.pack import Pack

# A program reads with one pack; a test or a server may go to and fro between a few.
_KEPT = 3
_latest: deque[tuple[Pack, bool, Scanners, Index]] = deque(maxlen=_KEPT)


def compiled(pack: Pack, *, cache: bool) -> tuple[Scanners, Index]:
    """Scanners for one log or job, and the index of the rules. With ``cache`` they are kept on disk as well."""
    for known, on_disk, scanners, index in tuple(_latest):
        if known is pack and on_disk == cache:
            return scanners.for_another(), index
    made = Scanners(pack, cache=cache), index_of(pack)
    _latest.append((pack, cache, *made))
    return made[0].for_another(), made[1]
