"""A record of a log, a JSON object, as the lines that it stands for."""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from logrules.model.event import LEVEL_NAMES, Level, as_rank
from logrules.model.record import record as frozen

# By the names that the writers document; the first that a record has counts.
_MESSAGES = ("message", "msg", "log", "event", "MESSAGE", "textPayload")
# Loguru's line, beside its record: alone, the name is that of samples too.
_LINE, _RECORD = "text", "record"
# What a collector read from a program's output: the level beside it is the collector's, one for all of standard error.
_RELAYED = ("log", "textPayload")
_TIMES = ("time", "timestamp", "ts", "asctime", "@timestamp", "datetime", "date", "__REALTIME_TIMESTAMP")
_LEVELS = ("level", "levelname", "severity", "log.level", "lvl", "PRIORITY")
_FAULTS = ("error", "err")
_TRACEBACKS = ("exc_info", "exc_text", "exception", "traceback", "stack_trace", "error.stack_trace")
_RANKS = ("rank", "global_rank")
# What is said of these elsewhere on the line.
_SAID = frozenset((*_TIMES, *_LEVELS, *_FAULTS, *_RANKS))
_FIGURE = re.compile(r"[A-Za-z_][\w./-]{0,60}")
# What else tells a record of a log from data that has a message: Docker's stream.
_STREAM, _STREAMS = "stream", ("stdout", "stderr")
# Where the fields stand inside another: of Rust's tracing, of Google's structured payloads.
_INSIDE = ("fields", "jsonPayload")
# What Rust's tracing puts before the message where it writes no JSON, beside the fields.
_TARGET = "target"
# Levels as numbers: of syslog, where 3 is an error, and in tens, where 30 is what bunyan and pino call info.
_NUMBERED = ["CRIT", "CRIT", "CRIT", "ERROR", "WARNING", "INFO", "INFO", "DEBUG"]
_IN_TENS = {10: "DEBUG", 20: "DEBUG", 30: "INFO", 40: "WARNING", 50: "ERROR", 60: "CRIT"}
# What is shown for the name of a level: as Python's loggers, and the header format ``record``, call it.
_SHOWN = {name: "CRITICAL" if level is Level.FATAL else level.name for name, level in LEVEL_NAMES.items()}
# As most writers spell it, so that it is one look-up for each record of a log.
_LEVELS_AS_WRITTEN = _SHOWN | {name.lower(): shown for name, shown in _SHOWN.items()}
# Seconds since the epoch are less than this until the year 5138; more are thousandths, millionths or
# thousandths of these.
_MOST_SECONDS = 1e11
_NUMBERS = (int, float)
# The records of real loggers have fewer names, of fewer characters together.
_KEPT_NAMES, _KEPT_CHARS, _KEPT_FORMS = 128, 4_096, 256
# `json.loads` looks for encodings that no line of a log has, and for blanks where a line has none.
_DECODER = json.JSONDecoder()
_BLANKS = " \t\r\n"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A time in UTC as most write it: day, clock, thousandths. All days of the calendar but 29 February.
_IN_UTC = re.compile(
    r"((?!0000)[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8])))[T ]((?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])[.,]([0-9]{3})[0-9]{0,6}"
    r"(?:Z|\+00:00)?"
)
# Most objects without a message are told by this, unread.
_NAMES = re.compile(rb'"(?:' + "|".join((*_MESSAGES, *_INSIDE, _RECORD)).encode() + rb')" ?:')


@frozen
class _RecordForm:
    """Which names of a record say what, by all names that it has: the records of a log are of few forms."""

    inside: tuple[str, ...]
    messages: tuple[str, ...]
    times: tuple[str, ...]
    levels: tuple[str, ...]
    faults: tuple[str, ...]
    tracebacks: tuple[str, ...]
    ranks: tuple[str, ...]
    figures: tuple[str, ...]
    of_loguru: bool
    of_stream: bool


def _form(names: tuple[str, ...]) -> _RecordForm:
    def of(known: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in known if name in names)

    relayed, messages = bool(of(_RELAYED)), of(_MESSAGES)
    # Of several the first that says something is the message; a number in another is a figure.
    said = _SAID if len(messages) > 1 else _SAID.union(messages)
    figures = () if relayed else tuple(name for name in names if name not in said and _FIGURE.fullmatch(name))
    return _RecordForm(
        inside=of(_INSIDE),
        messages=messages,
        times=of(_TIMES),
        levels=() if relayed else of(_LEVELS),
        faults=of(_FAULTS),
        tracebacks=of(_TRACEBACKS),
        ranks=of(_RANKS),
        figures=figures,
        of_loguru=_RECORD in names,
        of_stream=_STREAM in names,
    )


_known_form = lru_cache(_KEPT_FORMS)(_form)


def _form_of(names: tuple[str, ...]) -> _RecordForm:
    """What the names of a record say. A hostile log may have another form a record, of names without end."""
    is_small = len(names) <= _KEPT_NAMES and sum(map(len, names)) <= _KEPT_CHARS
    return (_known_form if is_small else _form)(names)


def lines_of_record(raw: bytes) -> list[str] | None:
    """Time, level, message and figures, then the traceback; None where the bytes are no record of a log."""
    if not _NAMES.search(raw):
        return None
    try:
        text = raw.decode(errors="surrogatepass")
        record, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or (end < len(text) and text[end:].strip(_BLANKS)):
        return None
    return _lines_of(record)


def _lines_of(record: Mapping[str, Any]) -> list[str] | None:
    """The lines that a record stands for; None where it is no record of a log.

    There is one for each line of such a log: what its form has no names for is not looked for.
    """
    fields, form, target = record, _form_of(tuple(record)), None
    for name in form.inside:
        if isinstance(inner := record[name], dict):
            target = record.get(_TARGET)
            fields = {**fields, **inner}
            form = _form_of(tuple(fields))
    of_loguru = form.of_loguru and isinstance(fields[_RECORD], dict)
    message = _first(fields, (*form.messages, _LINE) if of_loguru else form.messages)
    if not isinstance(message, str):
        return None
    time = time_of(_first(fields, form.times)) if form.times else ""
    level = _level(_first(fields, form.levels)) if form.levels else ""
    stream = next((name for name in _STREAMS if fields[_STREAM] == name), "") if form.of_stream else ""
    if not (time or level or stream or of_loguru):
        return None
    fault = _first(fields, form.faults) if form.faults else None
    if isinstance(fault, str) and fault not in message:
        message = f"{message}: {fault}"
    if not message or message.isspace():
        return [""]
    lines = (f"{target}: {message}" if isinstance(target, str) else message).rstrip("\n").split("\n")
    told = _first(fields, form.tracebacks) if form.tracebacks else None
    if isinstance(told, str) and told.strip() and told not in message:
        lines += told.strip("\n").split("\n")
    # As the header format ``record`` reads time and level: what is behind it may be indented.
    said = f"[{level or stream or 'log'}] {lines[0]}"
    lines[0] = f"{time} {said}" if time else said
    if form.figures:
        lines[0] += _figures(fields, form)
    rank = as_rank(str(_first(fields, form.ranks))) if form.ranks else None
    return lines if rank is None else [f"[rank{rank}]: {line}" for line in lines]


def _figures(fields: Mapping[str, Any], form: _RecordForm) -> str:
    """The numbers beside a message (a step, its loss), as loggers print them on a console."""
    return "".join([f" {name}={fields[name]}" for name in form.figures if type(fields[name]) in _NUMBERS])


def time_of(value: object) -> str:
    """A time in UTC, "2026-01-31 10:20:30.250"; what is no form that is known in its words, and nothing for none."""
    if isinstance(value, str) and (known := _IN_UTC.fullmatch(value)):
        return f"{known[1]} {known[2]}.{known[3]}"
    moment: datetime | None = None
    number = _number(value)
    try:
        if number is not None:
            thousands = next((n for n in range(4) if abs(number) < _MOST_SECONDS * 1000**n), 0)
            moment = _EPOCH + timedelta(seconds=number / 1000**thousands)
        elif isinstance(value, str):
            moment = datetime.fromisoformat(value)
        if moment is not None and moment.tzinfo not in (None, UTC):
            moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        return " ".join(value.split()) if isinstance(value, str) else ""
    return moment.isoformat(" ", "milliseconds")[: len("2026-01-31 10:20:30.250")]


def _level(value: object) -> str:
    """A level by its name or number, empty where it is none."""
    if isinstance(value, str) and (shown := _LEVELS_AS_WRITTEN.get(value)):
        return shown
    number = _number(value)
    if number is None:
        # Go's slog writes what lies between two levels as "ERROR+4".
        name = value.upper().partition("+")[0] if isinstance(value, str) else ""
    else:
        name = _NUMBERED[int(number)] if 0 <= number < len(_NUMBERED) else _IN_TENS.get(int(number), "")
    return _SHOWN.get(name, "")


def _number(value: object) -> float | None:
    if isinstance(value, str):
        return float(value) if value.isdecimal() and len(value) <= len("1700000000000000000") else None
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    # JSON as Python reads it has NaN and Infinity, and whole numbers beyond any float.
    return float(value) if abs(value) <= sys.float_info.max else None


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> object:
    for name in names:
        if (value := fields.get(name)) is not None:
            return value
    return None
