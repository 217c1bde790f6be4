"""A record of a log, a JSON object, as the lines that it stands for."""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from logrules.model.event import LEVEL_NAMES, Level, as_rank

# By the names that the writers document; the first that a record has counts.
_MESSAGES = ("message", "msg", "log", "event", "MESSAGE", "textPayload")
# Loguru's line, beside its record: alone, the name is that of samples too.
_LINE, _RECORD = "text", "record"
# What a collector read from a program's output: the level beside it is the collector's, one for all of standard error.
_RELAYED = frozenset(("log", "textPayload"))
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
    """The lines that a record stands for; None where it is no record of a log."""
    fields, target = record, None
    for name in _INSIDE:
        if isinstance(inner := record.get(name), dict):
            target = record.get(_TARGET)
            fields = {**fields, **inner}
    relayed = not _RELAYED.isdisjoint(fields)
    of_loguru = isinstance(fields.get(_RECORD), dict)
    message = _first(fields, (*_MESSAGES, _LINE) if of_loguru else _MESSAGES)
    if not isinstance(message, str):
        return None
    time = time_of(_first(fields, _TIMES))
    level = "" if relayed else _level(_first(fields, _LEVELS))
    stream = fields[_STREAM] if fields.get(_STREAM) in _STREAMS else ""
    if not (time or level or stream or of_loguru):
        return None
    fault = _first(fields, _FAULTS)
    if isinstance(fault, str) and fault not in message:
        message = f"{message}: {fault}"
    if not message or message.isspace():
        return [""]
    lines = (f"{target}: {message}" if isinstance(target, str) else message).rstrip("\n").split("\n")
    told = _first(fields, _TRACEBACKS)
    if isinstance(told, str) and told.strip() and told not in message:
        lines += told.strip("\n").split("\n")
    # As the header format ``record`` reads time and level: what is behind it may be indented.
    said = f"[{level or stream or 'log'}] {lines[0]}"
    lines[0] = (f"{time} {said}" if time else said) + ("" if relayed else _figures(fields))
    if (told := _first(fields, _RANKS)) is None or (rank := as_rank(str(told))) is None:
        return lines
    return [f"[rank{rank}]: {line}" for line in lines]


def _figures(fields: Mapping[str, Any]) -> str:
    """The numbers beside a message (a step, its loss), as loggers print them on a console."""
    figures = ""
    for name, value in fields.items():
        if type(value) in _NUMBERS and name not in _SAID and _FIGURE.fullmatch(name):
            figures += f" {name}={value}"
    return figures


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
