"""A rule's own examples, run through the real engine on a virtual clock."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from logrules.engine import Scanners
from logrules.extract.extract import Reader
from logrules.extract.window import Window
from logrules.model.block import End, Tick
from logrules.model.report import Diagnosis, Report
from logrules.pack.pack import Pack
from logrules.pack.schema import ExampleFile, FiresFile, seconds
from logrules.reason.session import Session

# Any moment will do: live examples begin here.
_START = 1_700_000_000.0


@dataclass(frozen=True, slots=True)
class Bench:
    """A pack made ready to run many small logs."""

    pack: Pack
    scanners: Scanners
    reader: Reader


def bench(pack: Pack) -> Bench:
    """Compile the pack's literals once for all examples."""
    scanners = Scanners(pack)
    return Bench(pack, scanners, Reader(pack, scanners.signals_of))


def run_log(on: Bench, log: str, quiet_s: float | None = None) -> Report:
    """The report on a few lines: saved and ended, or live and then silent for ``quiet_s``."""
    session = Session(on.pack)
    window = Window("example", 0, 0, log.encode())
    events = list(on.reader.events(on.scanners.find(window), 1))
    lines = log.rstrip("\n").splitlines() or [""]
    events.append(on.reader.last_event("example", len(lines), 0, lines[-1].encode()))
    if quiet_s is None:
        for event in events:
            session.feed(event)
        session.feed(End())
    else:
        for event in events:
            session.feed(replace(event, arrived=_START))
        session.feed(Tick(_START + quiet_s))
    return session.report(len(lines), ("example",))


def captures_in(on: Bench, line: str, signal: int) -> Mapping[str, str] | None:
    """What one signal captures in a line, or None where the line does not carry it."""
    events = on.reader.events(on.scanners.find(Window("sample", 0, 0, line.encode())), 1)
    return next((hit.captures for event in events for hit in event.hits if hit.signal == signal), None)


def failures(on: Bench, rule: str, example: ExampleFile) -> Iterator[str]:
    """What the example asks for and the rule does not do, each in a sentence."""
    report = run_log(on, example.log, seconds(example.quiet) if example.quiet else None)
    fired = _fired(report, rule)
    if example.fires is False:
        if fired:
            yield "fires, though it must not"
        return
    if not fired:
        others = ", ".join(one.rule for one in report.diagnoses) or "nothing"
        yield f"does not fire; {others} did"
    elif isinstance(example.fires, FiresFile):
        yield from _mismatches(report, rule, example.fires)


def _fired(report: Report, rule: str) -> bool:
    names = [one.rule for one in report.diagnoses]
    return rule in (*names, *(other.rule for one in report.diagnoses for other in one.consequences))


def _mismatches(report: Report, rule: str, wanted: FiresFile) -> Iterator[str]:
    one = next((one for one in report.diagnoses if one.rule == rule), None)
    if one is None:
        yield "is only a consequence of " + next(
            d.rule for d in report.diagnoses if any(c.rule == rule for c in d.consequences)
        )
        return
    captures = {name: value for line in reversed(one.evidence) for name, value in line.captures.items()}
    for name, value in wanted.captures.items():
        if captures.get(name) != value:
            yield f"captures {name}={captures.get(name)!r}, not {value!r}"
    yield from _unlike("ranks", list(one.ranks), wanted.ranks)
    yield from _unlike("phase", one.phase, wanted.phase)
    if wanted.evidence is not None and not _shows(one, wanted.evidence):
        yield f"does not show {wanted.evidence!r} as evidence"


def _unlike(what: str, got: object, wanted: object) -> Iterator[str]:
    if wanted is not None and got != wanted:
        yield f"has {what} {got!r}, not {wanted!r}"


def _shows(one: Diagnosis, text: str) -> bool:
    return any(text in line.text for line in one.evidence)


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """How one example of one rule went."""

    rule: str
    number: int
    place: str
    faults: Sequence[str]
