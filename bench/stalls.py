"""How soon a stall is noticed, and how often one is imagined: saved logs played by their own times on a virtual clock.

``python bench/stalls.py [FOLDER ...]``: folders of cases (case.yaml beside the logs), by default those in fixtures/.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from logrules.engine.follow import Following
from logrules.engine.replay_source import ReplaySource
from logrules.model.change import Raised
from logrules.model.errors import SourceError
from logrules.model.report import Severity, Status
from logrules.model.stream import Block, End, Tick
from logrules.ruleset.load import load_pack
from logrules.ruleset.pack import Pack
from logrules.sources.discover import discover
from logrules.sources.source import Source

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "captured"
QUIET_S = 4 * 3600.0
BEAT_S = 1.0
START = 1_700_000_000.0


@dataclass(frozen=True, slots=True)
class Noticed:
    """A stall that was told of: by which rule, after how much quiet, and how much of it the rule allows (None: any)."""

    rule: str
    quiet_s: float
    patience_s: float | None
    stall: bool


class AllAtOnce:
    """A log whose lines bear no time: it comes as a whole, and then nothing does."""

    name = "all at once"

    def __init__(self, sources: Sequence[Source], quiet_s: float) -> None:
        self._blocks = [Block(item.source, item.offset, item.data, START) for item in _blocks(sources)]
        self._end = START + quiet_s

    def read(self, until: float | None) -> Block | Tick | End:
        """The next block, the next moment that matters, or the end."""
        if self._blocks:
            return self._blocks.pop(0)
        return End() if until is None or until >= self._end else Tick(until)


def _blocks(sources: Sequence[Source]) -> Iterator[Block]:
    for source in sources:
        while not isinstance(item := source.read(None), End):
            if isinstance(item, Block):
                yield item


def played(folder: Path, pack: Pack, quiet_s: float) -> tuple[list[Noticed], Status]:
    """The stalls told of while the logs were played and for ``quiet_s`` after, and the status before the end."""
    patience = {f"waits/{wait.id}": wait.patience_s for wait in pack.waits}

    def source() -> Source:
        found = discover([str(folder)]).sources
        try:
            return ReplaySource(found, pack, None, quiet_s)
        except SourceError:
            return AllAtOnce(discover([str(folder)]).sources, quiet_s)

    following, noticed, status = Following(source(), lambda: pack, BEAT_S if quiet_s else None), [], Status.HEALTHY
    stalls = {rule.id for rule in pack.rules if rule.stall}
    errors = {rule.id for rule in pack.rules if rule.severity is Severity.ERROR}
    for update in following:
        # A hang whose cause the log names is told of as an error, and at once.
        noticed += [
            Noticed(change.rule, change.quiet_s or 0.0, patience.get(change.rule), change.rule in stalls)
            for change in update.changes
            if isinstance(change, Raised) and change.rule in stalls | errors
        ]
        if noticed and not update.ended:
            status = following.report().status
            if quiet_s and status in (Status.STALLED, Status.FAILED):
                break
    return noticed, status


def main() -> int:
    """Play every case and print how it went."""
    pack = load_pack()
    folders = [Path(name) for name in sys.argv[1:]] or [FIXTURES]
    cases = [case.parent for folder in folders for case in sorted(folder.rglob("case.yaml"))]
    hit = missed = late = imagined = healthy = 0
    for case in cases:
        kind = yaml.safe_load((case / "case.yaml").read_text(encoding="utf-8"))["kind"]
        if kind not in ("stall", "healthy"):
            continue
        noticed, _ = played(case, pack, QUIET_S if kind == "stall" else 0.0)
        if kind == "healthy":
            healthy += 1
            noticed = [one for one in noticed if one.stall]
            imagined += bool(noticed)
            if noticed:
                sys.stdout.write(f"  imagined: {case.name}: {noticed[0]}\n")
            continue
        hit += bool(noticed)
        missed += not noticed
        late += any(one.patience_s is not None and one.quiet_s > one.patience_s + BEAT_S for one in noticed)
        if not noticed:
            sys.stdout.write(f"  missed: {case.name}\n")
    sys.stdout.write(f"stalls noticed: {hit} of {hit + missed}, {late} later than patience + 1 s\n")
    sys.stdout.write(f"stalls imagined in healthy logs: {imagined} of {healthy}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
