"""The lines of a job's logs for the HTML page: read again, since only the report says which are needed."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from logrules.engine.dating import Alignment, dated_events
from logrules.engine.run import alignment_of, prepared
from logrules.inference.clock import Clock
from logrules.model.event import Event, LogLine, LogText
from logrules.model.record import replace
from logrules.model.report import Report
from logrules.parsing.log_ends import RawLine
from logrules.parsing.reader import Reader
from logrules.ruleset.pack import Pack
from logrules.sources.discover import Discovered
from logrules.sources.source import Source, modified_of, numbered_lines_of
from logrules.tools.recorded_source import RepeatedSource, is_saved, read_again

# What is shown of a long log: much of its end, some of its beginning, lines around evidence.
_HEAD_SHARE = 0.2
_AROUND = 20
# All lines together, and one of them: a page must open on a phone.
_MAX_CHARS = 12_000_000
_SHORTEST, _LONGEST = 200, 2_000
_TRACEBACK = "Traceback (most recent call last)"


def with_log(report: Report, found: Discovered, pack: Pack, lines: int, *, cache: bool) -> Report:
    """The report with the lines of its logs, as far as they can be read again."""
    there = [one for one in read_again(found.sources) if isinstance(one, RepeatedSource) or is_saved(one)]
    return replace(report, log=log_text(there, pack, report, lines, cache=cache))


def log_text(sources: Sequence[Source], pack: Pack, report: Report, most: int, *, cache: bool = False) -> LogText:
    """About ``most`` lines at most, from fresh sources of the report's logs, each with its writer and time.

    A log that is too long gives its beginning, its end, and the surroundings of everything that the report shows.
    """
    alignment = alignment_of(sources, pack)
    reader = prepared(pack, cache=cache).reader
    whole = report.lines <= most
    share = None if whole else max(most // max(len(sources), 1), 2 * _AROUND)
    longest = min(max(_MAX_CHARS // max(min(report.lines, most), 1), _SHORTEST), _LONGEST)
    wanted = _wanted(report)
    lines: list[LogLine] = []
    for source in sources:
        kept = _kept(_raw_lines(source), share, wanted.get(source.name, frozenset()))
        lines += _read(source, kept, reader, alignment, longest)
    return LogText(tuple(lines), report.lines)


def _wanted(report: Report) -> Mapping[str, frozenset[int]]:
    """The lines around those that the report shows, by source."""
    found: dict[str, set[int]] = {}
    for line in report.shown:
        found.setdefault(line.source, set()).update(range(line.line - _AROUND, line.line + _AROUND + 1))
    return {source: frozenset(numbers) for source, numbers in found.items()}


def _raw_lines(source: Source) -> Iterator[RawLine]:
    offset = 0
    for number, raw in numbered_lines_of(source):
        yield RawLine(number, offset, raw)
        offset += len(raw) + 1


def _kept(lines: Iterable[RawLine], share: int | None, wanted: frozenset[int]) -> Iterable[RawLine]:
    """All lines; if there are more than ``share``, the first, the last and the wanted ones."""
    if share is None:
        return lines
    head = int(share * _HEAD_SHARE)
    first: list[RawLine] = []
    last: deque[RawLine] = deque()
    for line in lines:
        if line.number <= head or line.number in wanted:
            first.append(line)
        else:
            last.append(line)
            if len(last) > share - head:
                last.popleft()
    return sorted((*first, *last), key=lambda line: line.number)


def _read(
    source: Source, lines: Iterable[RawLine], reader: Reader, alignment: Alignment, longest: int
) -> Iterator[LogLine]:
    clock = Clock(modified_of(source))
    writer, time, is_open = "", None, False
    read = (alignment.corrected(reader.unasked(source.name, line)) for line in lines)
    for event in dated_events(read, clock):
        if event.stamp is not None:
            time = event.stamp.seconds
        # Lines of a traceback without a prefix belong to whoever began it.
        if not (is_open and _is_bare(event)):
            writer = event.worker.label
        is_open = _TRACEBACK in event.text or (is_open and (not event.text.strip() or event.message[:1] in " \t"))
        text = event.text if len(event.text) <= longest else event.text[:longest] + "…"
        yield LogLine(source.name, event.line, writer, time, event.level, text)


def _is_bare(event: Event) -> bool:
    return event.stamp is None and event.level is None and event.message.strip() == event.text.strip()
