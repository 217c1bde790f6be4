"""Records of one writer as bytes: alike but for their values, they are read by a pattern instead of a JSON decoder.

A pattern is made from what a few records of a block look like. What it does not fit (a message with escapes, a time
that is a number, another writer's record) is decoded; either way gives the same line.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from logrules.model.record import record
from logrules.sources.log_record import IN_UTC, SHOWN_LEVELS, STREAM, STREAMS, RecordForm, form_of

# In a smaller block there is too little to be gained.
LEAST_BYTES = 64 << 10
# So many records of a block are looked at, from its beginning to its end.
_SAMPLES = 32
# More writers, or names of one, have no pattern.
_MOST_LAYOUTS, _MOST_NAMES = 8, 24
_MAX_SAMPLE_BYTES = 16 << 10
# What needs no unescaping and is text in any encoding.
_PLAIN = rb"[ !#-\[\]-~]*"
_BESIDE = b'(?:"' + _PLAIN + b'"|true|false|null)'
_WHOLE = rb"(?:0|-?[1-9][0-9]{0,14})"
_FIGURE = b"(" + _WHOLE + b")"
_NAME = re.compile(r"[\w@./ -]{1,60}", re.ASCII)
# Docker's message is a line with its end.
_MESSAGE = b'"(' + _PLAIN + rb')(?:\\n)?"'
_TIME = b'"' + IN_UTC.encode() + b'"'
_SAID = b'"([A-Za-z]{1,12})"'
_GROUPS = {_TIME: 3, _SAID: 1, _MESSAGE: 1, _FIGURE: 1}
_LEVELS = {name.encode(): shown.encode() for name, shown in SHOWN_LEVELS.items()}
_STREAMS = {name.encode(): name.encode() for name in STREAMS}

LineOf = Callable[["re.Match[bytes]"], bytes | None]


@record
class _Layout:
    """A pattern for the records of a form, by the places of its groups: those of the time, the level, the message.

    ``shown`` is what is told for a level, or a stream. ``figures`` are numbers that are told, each with its name.
    """

    pattern: bytes
    places: tuple[int, ...]
    groups: int
    shown: Mapping[bytes, bytes]
    figures: tuple[tuple[bytes, int], ...]


def layouts_in(data: bytes) -> tuple[bytes, LineOf] | None:
    """A pattern of records in a block of whole lines, and what makes a line of a match; None where there is none.

    The latter gives None for a record that has to be decoded after all.
    """
    if len(data) < LEAST_BYTES:
        return None
    found = (_layout(form_of(tuple(fields)), fields) for fields in _samples(data))
    layouts = list(islice((one for one in found if one is not None), _MOST_LAYOUTS))
    return (b"|".join(one.pattern for one in layouts), _line_of(layouts)) if layouts else None


def _samples(data: bytes) -> Iterator[Mapping[str, Any]]:
    """Some records of a block, of each form one."""
    seen: set[tuple[str, ...]] = set()
    for at in range(0, len(data), len(data) // _SAMPLES):
        start = data.find(b"\n{", at) + 1
        end = data.find(b"\n", start, start + _MAX_SAMPLE_BYTES)
        try:
            fields = json.loads(data[start:end]) if end > start else None
        except (ValueError, RecursionError):
            continue
        if isinstance(fields, dict) and len(fields) <= _MOST_NAMES and (names := tuple(fields)) not in seen:
            seen.add(names)
            yield fields


def _layout(form: RecordForm, fields: Mapping[str, Any]) -> _Layout | None:
    """The pattern of records like this one; None where more than its time, level, message and figures is told."""
    if form.inside or form.faults or form.tracebacks or form.ranks or form.of_loguru:
        return None
    said = form.levels or ((STREAM,) if form.of_stream else ())
    if not len(form.times) == len(form.messages) == len(said) == 1:
        return None
    parts = {form.times[0]: _TIME, said[0]: _SAID, form.messages[0]: _MESSAGE}
    if not all(isinstance(fields[name], str) for name in parts) or not re.fullmatch(IN_UTC, fields[form.times[0]]):
        return None
    pieces, place, groups = [], {}, 0
    for name, value in fields.items():
        part = parts.get(name) or _part(value, told=name in form.figures)
        if part is None or not _NAME.fullmatch(name):
            return None
        place[name] = groups + 1
        groups += _GROUPS.get(part, 0)
        pieces.append(b'"%b": ?%b' % (re.escape(name).encode(), part))
    first = place[form.times[0]]
    return _Layout(
        rb"\{" + rb", ?".join(pieces) + rb"\}",
        (first, first + 1, first + 2, place[said[0]], place[form.messages[0]]),
        groups,
        _LEVELS if form.levels else _STREAMS,
        tuple((name.encode(), place[name]) for name in form.figures if type(fields[name]) is int),
    )


def _part(value: object, *, told: bool) -> bytes | None:
    """The pattern of a value beside the message; None for those that have no simple one."""
    if type(value) is int:
        return _FIGURE if told else _WHOLE
    return _BESIDE if value is None or isinstance(value, str | bool) else None


def _line_of(layouts: Sequence[_Layout]) -> LineOf:
    """What makes a line of a match of one of the patterns, by the last of its groups."""
    by_last: dict[int, tuple[tuple[int, ...], Mapping[bytes, bytes], tuple[tuple[bytes, int], ...]]] = {}
    before = 0
    for one in layouts:
        figures = tuple((name, before + place) for name, place in one.figures)
        by_last[before + one.groups] = tuple(before + place for place in one.places), one.shown, figures
        before += one.groups

    def line_of(found: "re.Match[bytes]") -> bytes | None:
        places, shown, figures = by_last[found.lastindex or 0]
        day, clock, thousandths, said, message = found.group(*places)
        if said not in shown or not message.strip():
            return None
        line = b"%b %b.%b [%b] %b" % (day, clock, thousandths, shown[said], message)
        return line + b"".join([b" %b=%b" % (name, found[place]) for name, place in figures]) if figures else line

    return line_of
