"""An error that was logged without an exception, as a failure record: its words are all that is known of it."""

from collections.abc import Iterable
from itertools import islice

from logrules.model.event import Event
from logrules.model.failure import ExceptionLink, Failure, FailureKind
from logrules.model.record import replace
from logrules.parsing.exception_line import MAX_MESSAGE

# The class under which rows of the table of exceptions know such an error.
LOGGED_ERROR = "LoggedError"
# A logger's message of several lines bears its header on the first of them only.
_FURTHER_LINES = 3


def logged_record(number: int, line: Event, below: Iterable[str]) -> Failure:
    """The record of an error that this line states; the messages right ``below`` go on with its own."""
    message = "\n".join((line.message, *islice(below, _FURTHER_LINES)))[:MAX_MESSAGE]
    link = ExceptionLink(LOGGED_ERROR, message, (), line)
    return Failure(
        number, FailureKind.EXCEPTION, line.worker, line, line, LOGGED_ERROR, message, (link,), workers=(line.worker,)
    )


def stated(crash: Failure, told: Event) -> Failure:
    """A crash as the error that its own words state, on this line: rows know them as those of any error.

    What a failed check says is its condition: only rows that know the words in an exception of any class know it.
    """
    kind = LOGGED_ERROR if crash.type else ""
    return replace(crash, type=kind, chain=(ExceptionLink(kind, crash.message, (), told),))
