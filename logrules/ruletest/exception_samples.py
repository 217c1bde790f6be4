"""The samples of the table of exceptions judged: last lines of tracebacks, each asked of its row alone."""

from collections.abc import Iterator

import regex

from logrules.engine.run import Prepared
from logrules.inference.exception_table import ExceptionTable
from logrules.model.event import Event, Worker
from logrules.model.failure import ExceptionLink, Failure, FailureKind, Frame, Link, Origin
from logrules.model.record import replace
from logrules.ruleset.pack import Pack
from logrules.ruleset.tables import ExceptionRow
from logrules.ruletest.suite import Sample

_SUMMARY = regex.compile(r"(?P<type>[\w.]+(?:\([\w.]+\))?)(?:: (?P<message>.*))?", regex.DOTALL)


def exception_faults(on: Prepared, sample: Sample) -> Iterator[str]:
    """Whether the sample's row knows such an exception, raised where the row wants it to be."""
    row = next(one for one in on.pack.tables.exceptions if one.id == sample.row)
    said = _SUMMARY.fullmatch(sample.text)
    if said is None and not sample.near:
        yield "is no last line of a traceback"
        return
    # What a healthy log says must not be known as the message of an exception either.
    kind, message = (said["type"], said["message"]) if said is not None else (_class_of(row), sample.text)
    if _known(on.pack, row, kind, message or "") is sample.near:
        yield _misjudged(row, sample)


def _class_of(row: ExceptionRow) -> str:
    return row.classes[0] if row.classes else "Exception"


def _known(pack: Pack, row: ExceptionRow, kind: str, message: str) -> bool:
    """Whether the row alone knows the exception. A line says nothing of who raised it: that is taken to fit."""
    event = Event("sample", 1, 0, "", "", Worker())
    frames = tuple(_frame(place) for place in (*row.under[:1], *row.raised_in[:1]))
    raised = ExceptionLink(kind, message, frames, Link.ROOT, event)
    asked = ExceptionTable(pack.tables.classes, (replace(row, function=None),))
    return asked.match_of(Failure(1, FailureKind.EXCEPTION, Worker(), event, event, chain=(raised,))) is not None


def _frame(place: str) -> Frame:
    """A frame of a component or of its group, of the user's own code, or of a library that no table knows."""
    kind, _, phase = place.partition(":")
    origin = {"own": Origin(own=True, phase=phase or None), "library": Origin(phase=phase or None)}.get(
        kind, Origin(place, place)
    )
    return Frame(f"{kind}.py", 7, "run", origin)


def _misjudged(row: ExceptionRow, sample: Sample) -> str:
    if sample.near:
        return "knows an exception that it must not"
    words = " (`words` is searched in the message, behind the class)" if row.words is not None else ""
    return f"does not know its sample{words}"
