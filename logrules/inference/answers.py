"""Requests that a web server has answered: what failed in one of them has not ended it."""

import re
from collections.abc import Iterable

from logrules.model.event import Event

# Uvicorn, gunicorn, werkzeug, aiohttp and hypercorn quote the request line. A client's log begins with the address.
# Compiled at the first line with a good status behind a quote: most logs hold none.
_ANSWER = r'(?P<above>.{0,400}?)"(?:GET|POST|PUT|PATCH|DELETE|OPTIONS) (?P<path>\S{1,2000}) HTTP/[\d.]+" %s\d\d\b'
_CLIENT = r"https?://\S+ $"
# What a front end answers by itself, whatever has become of what stands behind it.
_PROBE = r"(?i)/(?:-/)?(?:metrics|health\w*|ping|ready\w*|live\w*|status|version|v1/models|docs|openapi\.json)\b"


def answers(lines: Iterable[Event]) -> int:
    """How many of these lines say that a request was answered well, probes apart."""
    return sum(_answers(line.message) for line in lines)


def refuses(line: Event) -> bool:
    """Whether the line says that a request was answered with a failure, its own or the server's."""
    message = line.message
    found = re.match(_ANSWER % "[45]", message) if '" 4' in message or '" 5' in message else None
    return found is not None and not re.search(_CLIENT, found["above"])


def _answers(message: str) -> bool:
    """Whether it says so: of a request that came in, to what the server itself has to work on.

    A status below 200 or above 299 says nothing: redirections and refusals are told by what stands in front as well.
    """
    found = re.match(_ANSWER % "2", message) if '" 2' in message else None
    return found is not None and not re.search(_CLIENT, found["above"]) and not re.match(_PROBE, found["path"])
