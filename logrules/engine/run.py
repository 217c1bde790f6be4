"""From sources to a report: windows scanned on threads, events merged by time, one session.

``replay`` reads saved logs to their end. The report does not depend on block boundaries or on the number of
threads: a window is a fixed range of offsets, and windows are taken in order.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from logrules.engine.dating import Alignment, dated_events
from logrules.engine.extraction import Extraction, Progress, Scanners, Tally
from logrules.engine.merged_logs import OPEN_LOGS, merged
from logrules.engine.scan_pool import ScanPool
from logrules.inference.clock import Clock
from logrules.inference.rule_index import Index
from logrules.inference.session import Session
from logrules.model.errors import SourceError
from logrules.model.event import Event
from logrules.model.record import record, replace
from logrules.model.report import Report, SourceNote
from logrules.model.stream import End
from logrules.parsing.reader import Reader
from logrules.ruleset.kept_values import keep_patterns
from logrules.ruleset.pack import Pack
from logrules.sources.source import Source, modified_of


@record
class Prepared:
    """A pack prepared for reading logs: what is compiled once and shared.

    The ``reader`` serves many small logs; one of its own says of a log which patterns that made too slow.
    """

    pack: Pack
    scanners: Scanners
    reader: Reader
    index: Index

    def session(self) -> Session:
        """A new session of the pack."""
        return Session(self.pack, index=self.index, captures=self.reader.captures)


# A program uses one pack; a test or a server may alternate between a few.
_KEPT = 3
_latest: deque[tuple[bool, Prepared]] = deque(maxlen=_KEPT)


def prepared(pack: Pack, *, cache: bool = False) -> Prepared:
    """The pack with its literals compiled, with ``cache`` on disk as well, and its tables built."""
    for on_disk, known in tuple(_latest):
        if known.pack is pack and on_disk == cache:
            return known
    scanners = Scanners(pack, cache=cache)
    made = Prepared(pack, scanners, scanners.reader, Index(pack))
    _latest.append((cache, made))
    return made


def replay(
    sources: Sequence[Source],
    pack: Pack,
    *,
    threads: int = 2,
    progress: Progress | None = None,
    notes: Iterable[SourceNote] = (),
    cache: bool = False,
    observe: Callable[[Event], None] | None = None,
) -> Report:
    """The report on saved logs, read to their end. ``progress`` is told the bytes read so far.

    If one of several logs cannot be read, it is noted and the report is partial; a single one raises SourceError.
    With ``cache`` compiled literals and patterns are kept in the user's cache folder. ``observe`` sees every
    event in the order in which the session does. Without ``threads`` this one scans, which spares memory.
    """
    on = prepared(pack, cache=cache)
    session, tally = Session(pack, index=on.index), Tally()
    session.note(*notes)
    with ScanPool(threads) as pool:
        how = Extraction(on.scanners.for_another(), pool, session.note, tally, len(sources), progress)
        report = _read(how, session, sources, pack, observe)
    if cache:
        keep_patterns()
    return report


def replay_prepared(
    on: Prepared,
    session: Session,
    sources: Sequence[Source],
    notes: Iterable[SourceNote] = (),
    observe: Callable[[Event], None] | None = None,
) -> Report:
    """The same with a prepared pack, in this thread, and with a session that can answer more than a report.

    Raises SourceError too where there is no line, for a reason that was noted: who asks more would take it for a log.
    """
    session.note(*notes)
    how = Extraction(on.scanners, ScanPool(0), session.note, Tally(), len(sources), reader=on.reader)
    report = _read(how, session, sources, on.pack, observe)
    if why := why_empty(report, on.pack):
        raise SourceError(why)
    return report


def why_empty(report: Report, pack: Pack) -> str | None:
    """The first thing that was noted where there was no line; what is noted of the rules is no reason."""
    noted = (note for note in report.notes if note not in pack.notes)
    return next((f"{note.source}: {note.note}" for note in noted), None) if not report.lines else None


def _read(
    how: Extraction,
    session: Session,
    sources: Sequence[Source],
    pack: Pack,
    observe: Callable[[Event], None] | None,
) -> Report:
    unread: list[SourceNote] = []
    if len(sources) > 1:
        how = replace(how, unread=unread)
    # Made as they are read: there may be thousands.
    logs = (dated_events(how.events(source), Clock(modified_of(source))) for source in sources)
    reason(session, logs, len(sources), alignment_of(sources, pack), observe, OPEN_LOGS)
    session.note(*unread)
    lost = {note.source for note in unread}
    return session.report(how.tally.lines, tuple(source.name for source in sources if source.name not in lost))


def alignment_of(sources: Sequence[Source], pack: Pack) -> Alignment:
    """How the clocks of one job's logs differ; logs that can be read only once are left as they are."""
    if len(sources) < 2:  # noqa: PLR2004 (a log alone has nobody to disagree with)
        return Alignment()
    from logrules.engine.clock_sync import aligned

    return aligned(sources, pack)


def reason(
    session: Session,
    logs: Iterable[Iterator[Event]],
    count: int,
    alignment: Alignment,
    observe: Callable[[Event], None] | None = None,
    most_open: int | None = None,
) -> None:
    """Feed a session the dated events of the ``count`` logs of a job in order of time, then the end."""
    session.note(*alignment.notes)
    for event in merged((map(alignment.corrected, events) for events in logs), count, most_open):
        session.feed(event)
        if observe is not None:
            observe(event)
    session.feed(End())
