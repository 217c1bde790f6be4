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
    record = logging.LogRecord("jobs.fit", getattr(logging, level.name), "/srv/fit.py", 88, SAID, (), None)

    header = headers.peel(logging.Formatter(form, dates).format(record))

    assert (header.level, header.message) == (level, SAID)


@pytest.mark.parametrize(
    "line",
    [
        "2026-03-02 10:00:00 there was an ERROR in it",
        "2026-03-02 10:00:00 the run - which had no ERROR - went on",
        "[2026-03-02 10:00:00] 7 of 9 files, ERRORS: 0",
        "10:00:00 reading ERROR.txt",
    ],
)
def test_prose_that_speaks_of_an_error_has_no_level(headers, line):
    assert headers.peel(line).level is None
