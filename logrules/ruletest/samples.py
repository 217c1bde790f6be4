"""Samples judged: each text that a row carries, read as the line of a log is, and what the row makes of it."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime

import regex

from logrules.engine.run import Prepared
from logrules.inference.exception_table import ExceptionTable
from logrules.inference.metrics import printed_number
from logrules.inference.wording import Wordings
from logrules.model.event import Event, Worker
from logrules.model.failure import ExceptionLink, Failure, FailureKind, Frame, Origin
from logrules.model.position import Problem
from logrules.model.record import replace
from logrules.model.test_result import CaseFailure, Result
from logrules.parsing.exits import ExitReader
from logrules.parsing.header import HeaderParser, worker_of_name
from logrules.parsing.stance import StanceJudge
from logrules.parsing.timestamp import TimestampParser
from logrules.ruleset.pack import Pack
from logrules.ruleset.tables import ExceptionRow
from logrules.ruletest.harness import SOURCE, captures_in
from logrules.ruletest.rule_tests import Example, Sample

_SUMMARY = regex.compile(r"(?P<type>[\w.]+(?:\([\w.]+\))?)(?:: (?P<message>.*))?", regex.DOTALL)
_MISSED, _TAKEN = "does not recognise its sample", "recognises a line that it must not"


def sample_result(on: Prepared, sample: Sample) -> Result:
    """Try one sample."""
    return sample.result(CaseFailure(said, sample.text) for said in _FAULTS[sample.table](on, sample))


def misread_headers(on: Prepared, suite: Iterable[Example | Sample]) -> Iterator[Problem]:
    """The samples of headers of which a part is not what they say."""
    for sample in suite:
        if isinstance(sample, Sample) and sample.table == "headers":
            for fault in sample_result(on, sample).faults:
                yield Problem(sample.place, f"{sample.name} {fault.message}", code="LR115")


def _marker(on: Prepared, sample: Sample) -> Iterator[str]:
    signal = next(marker.signal for marker in on.pack.markers if marker.id == sample.owner)
    return _recognised(sample, captures_in(on, sample.text, signal) is not None)


def _recognised(sample: Sample, found: bool) -> Iterator[str]:  # noqa: FBT001 (an answer, no switch)
    if found is sample.near:
        yield _TAKEN if sample.near else _MISSED


def _read(found: object, sample: Sample) -> Iterator[str]:
    if found != sample.expected:
        yield f"reads {found!r}, not {sample.expected!r}"


def _metric(on: Prepared, sample: Sample) -> Iterator[str]:
    own = f"{sample.owner}:metric"
    metric = next(one for one in on.pack.metrics if on.pack.signals[one.signal].id == own)
    captures = captures_in(on, sample.text, metric.signal)
    read = printed_number(captures) if captures is not None else None
    value, wanted = math.nan if read is None else read * metric.scale, float(sample.expected)
    same = math.isclose(value, wanted, rel_tol=1e-9) or (math.isnan(value) and math.isnan(wanted))
    if read is None or not same:
        yield f"reads {None if read is None else value}, not {wanted}"


def _header(on: Prepared, sample: Sample) -> Iterator[str]:
    """By all formats of the pack, as a log's lines are peeled."""
    header = HeaderParser(on.pack).peel(sample.text)
    for part, wanted in sample.expected.items():
        if not hasattr(header, part):
            yield f"has no part `{part}`"
            continue
        found = getattr(header, part)
        got = found.name.lower() if part == "level" and found is not None else found
        if got != wanted:
            yield f"reads {part} as {got!r}, not {wanted!r}"


def _time(on: Prepared, sample: Sample) -> Iterator[str]:
    stamp = TimestampParser(on.pack.times, on.pack.unclocked).read(sample.text)
    written = datetime.fromtimestamp(stamp.seconds, UTC).replace(tzinfo=None).isoformat() if stamp is not None else None
    # Of a time without a year a sample says "-" for it.
    known = stamp is None or stamp.year_known
    return _read(written if known or written is None else f"-{written[4:]}", sample)


def _file_name(on: Prepared, sample: Sample) -> Iterator[str]:
    worker = worker_of_name(sample.text, on.pack.names)
    return _read({part: getattr(worker, part, None) for part in sample.expected}, sample)


def _exit_form(on: Prepared, sample: Sample) -> Iterator[str]:
    captures = captures_in(on, sample.text, on.pack.exit_signals[sample.row])
    reader = ExitReader(on.pack.tables.exit_forms, on.pack.tables.exit_codes)
    event = Event(SOURCE, 1, 0, sample.text, sample.text, Worker(SOURCE))
    ended = None if captures is None else reader.read(event, sample.row, captures)
    if sample.near:
        return _recognised(sample, ended is not None)
    return _recognised(sample, found=False) if captures is None else _read(ended.code if ended else None, sample)


def _stance(on: Prepared, sample: Sample) -> Iterator[str]:
    """Of several lines the last is judged."""
    *above, line = sample.text.split("\n")
    header = HeaderParser(on.pack).peel(line)
    event = Event(SOURCE, 1, 0, line, header.message, Worker(), level=header.level, before=tuple(above[-2:]))
    judge = StanceJudge(on.pack.tables.stances)
    form = judge.form_of(event)
    if sample.near:
        yield from _recognised(sample, form is not None and form.id == sample.row)
        return
    own = next(one for one in on.pack.tables.stances if one.id == sample.row)
    if (found := judge.of(event)) is not own.stance:
        yield f"is judged {found.value}, not {own.stance.value}"


def _wording(on: Prepared, sample: Sample) -> Iterator[str]:
    own = next(one for one in on.pack.tables.wordings if one.id == sample.row)
    return _recognised(sample, found=Wordings([own]).says(own.says, sample.text))


def _told_name(on: Prepared, sample: Sample) -> Iterator[str]:
    signal = on.pack.told_signals.get(sample.row)
    if signal is None:
        yield "is asked of no line: without `contains` only the lines of a diagnosis tell this name"
        return
    captures = captures_in(on, sample.text, signal)
    yield from _read(None if captures is None else captures.get("value"), sample)


def _exception(on: Prepared, sample: Sample) -> Iterator[str]:
    """Whether the sample's row knows such an exception, raised where the row wants it to be."""
    row = next(one for one in on.pack.tables.exceptions if one.id == sample.row)
    said = _SUMMARY.fullmatch(sample.text)
    if said is None and not sample.near:
        yield "is no last line of a traceback"
        return
    # What a healthy log says must not be known as the message of an exception either.
    own_class = row.classes[0] if row.classes else "Exception"
    kind, message = (said["type"], said["message"]) if said is not None else (own_class, sample.text)
    if _known(on.pack, row, kind, message or "") is sample.near:
        words = " (`words` is searched in the message, behind the class)" if row.words is not None else ""
        yield "knows an exception that it must not" if sample.near else f"does not know its sample{words}"


def _known(pack: Pack, row: ExceptionRow, kind: str, message: str) -> bool:
    """Whether the row alone knows the exception. A line says nothing of who raised it: that is taken to fit."""
    event = Event("sample", 1, 0, "", "", Worker())
    frames = tuple(_frame(place) for place in (*row.under[:1], *row.raised_in[:1]))
    raised = ExceptionLink(kind, message, frames, event)
    asked = ExceptionTable(pack.tables.classes, (replace(row, function=None),))
    return asked.match_of(Failure(1, FailureKind.EXCEPTION, Worker(), event, event, chain=(raised,))) is not None


def _frame(place: str) -> Frame:
    """A frame of a component or of its group, of the user's own code, or of a library that no table knows."""
    kind, _, phase = place.partition(":")
    origin = {"own": Origin(own=True, phase=phase or None), "library": Origin(phase=phase or None)}.get(
        kind, Origin(place, place)
    )
    return Frame(f"{kind}.py", 7, "run", origin)


# By the key under which the rows stand in a file.
_FAULTS: Mapping[str, Callable[[Prepared, Sample], Iterator[str]]] = {
    "markers": _marker,
    "metrics": _metric,
    "headers": _header,
    "times": _time,
    "names": _file_name,
    "exceptions": _exception,
    "exit_forms": _exit_form,
    "stances": _stance,
    "wordings": _wording,
    "told_names": _told_name,
}
TABLES = tuple(_FAULTS)
