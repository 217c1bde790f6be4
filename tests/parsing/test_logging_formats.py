"""The level of a line and its message, in whatever order a format of Python's logging puts what stands before it."""

import logging

import pytest

from logrules import load_rules
from logrules.model.event import Level
from logrules.parsing.header import HeaderParser

SAID = "lease of a shard is lost"


@pytest.fixture(scope="module")
def headers():
    return HeaderParser(load_rules())


@pytest.mark.parametrize("dates", [None, "%Y-%m-%d %H:%M:%S", "%m/%d/%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%H:%M:%S"])
@pytest.mark.parametrize(
    "form",
    [
        "%(asctime)s %(levelname)s %(message)s",
        "%(asctime)s %(name)s %(process)d %(levelname)s %(message)s",
        "%(asctime)s - %(filename)s[line:%(lineno)d] - %(levelname)s: %(message)s",
        "%(asctime)s [%(filename)s:%(lineno)d] %(levelname)s %(message)s",
        "%(asctime)s <%(process)d> [%(filename)s (%(lineno)d)]  %(levelname)s %(message)s",
        "%(asctime)s (%(name)s - %(levelname)s)  %(message)s",
        "%(asctime)s | %(levelname)s | %(message)s",
        "%(asctime)s :: %(levelname)s :: %(message)s",
        "%(asctime)s,%(levelname)s,%(message)s",
        "%(asctime)s -%(name)s-%(levelname)s-%(message)s",
        "%(asctime)s [%(filename)s:%(lineno)d %(levelname)s] %(message)s",
        "[%(asctime)s %(levelname)s %(filename)s line %(lineno)d %(process)d] %(message)s",
        "[%(asctime)s  |  %(name)s  |  %(levelname)s]:\t%(message)s",
        "[%(asctime)s: %(levelname)s/%(processName)s] %(message)s",
        "[%(levelname)s %(asctime)s %(name)s] %(message)s",
        "[%(levelname)s|%(filename)s:%(lineno)s] %(asctime)s >> %(message)s",
        "%(levelname)s(%(asctime)s) [%(filename)s:%(lineno)d]:%(message)s",
        "%(levelname)s %(asctime)s %(filename)s:%(lineno)d] %(message)s",
    ],
)
@pytest.mark.parametrize("level", [Level.WARNING, Level.ERROR])
def test_level_and_message_are_read_whatever_stands_between(headers, form, dates, level):
    header = headers.peel(_line(level, form, dates))

    assert (header.level, header.message) == (level, SAID)


@pytest.mark.parametrize(
    "dates",
    [
        "%m/%d/%Y %I:%M:%S %p",
        "%Y.%m.%d %H:%M:%S",
        "%Y%m%d-%H%M%S",
        "%m-%d %H:%M",
        "%m/%d %H:%M:%S",
        "%H:%M",
        "%a %d %b %Y %H:%M:%S",
        "%a, %d %b %Y %H:%M:%S",
        "%b %d %H:%M:%S",
    ],
)
@pytest.mark.parametrize(
    "form", ["%(asctime)s - %(levelname)s - %(message)s", "%(asctime)s [%(levelname)s] %(message)s"]
)
def test_level_and_message_are_read_behind_any_time(headers, form, dates):
    header = headers.peel(_line(Level.ERROR, form, dates))

    assert (header.level, header.message) == (Level.ERROR, SAID)


@pytest.mark.parametrize("said", ["- ERROR - ", "- ", "[ERROR] ", ""])
@pytest.mark.parametrize("day", ["2025-03-01", "03/01/2025"])
def test_an_hour_of_the_afternoon_is_read_as_one(headers, day, said):
    stamps = [headers.peel(f"{day} 01:30:00 {half} {said}{SAID}").stamp for half in ("AM", "PM")]

    assert stamps[1].seconds - stamps[0].seconds == 12 * 3600


@pytest.mark.parametrize(
    "form",
    [
        "%(levelname)s:%(message)s",
        "%(levelname)s::%(module)s:%(lineno)d :: %(message)s",
        "%(levelname)s %(name)s %(message)s",
        "<%(levelname)s> %(message)s",
        "%(name)s:%(levelname)s:%(message)s",
        "%(name)s-%(levelname)s-%(message)s",
    ],
)
def test_level_is_read_without_a_time(headers, form):
    header = headers.peel(_line(Level.ERROR, form))

    assert header.level is Level.ERROR
    assert header.message.endswith(SAID)


@pytest.mark.parametrize(
    "line",
    [
        "2026-03-02 10:00:00 there was an ERROR in it",
        "2026-03-02 10:00:00 the run - which had no ERROR - went on",
        "[2026-03-02 10:00:00] 7 of 9 files, ERRORS: 0",
        "10:00:00 reading ERROR.txt",
        "10:00 ERROR.txt was read",
        "ERROR:0.31",
        "page HTTP-ERROR-404",
        "ERROR eval.mean 0.31",
        "[E 7/30] loss 0.31",
        "2026-03-02 10:00:00 [E] 7 [S] 700",
    ],
)
def test_prose_that_speaks_of_an_error_has_no_level(headers, line):
    assert headers.peel(line).level is None


def _line(level, form, dates=None):
    record = logging.LogRecord("jobs.fit", getattr(logging, level.name), "/srv/fit.py", 88, SAID, (), None)
    return logging.Formatter(form, dates).format(record)
