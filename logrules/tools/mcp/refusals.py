"""Answers to what is no message, under the id that it has: whoever waits for an answer gets one."""

import json
import re

from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError

_LONGEST_ID = 100
_ID = rb'"id"\s*:\s*(?P<id>-?\d{1,18}|"[^"\\]{0,100}")'
# In a message that was not read whole: in front of all else, or behind it.
_ID_IN_FRONT = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID)
_ID_BEHIND = re.compile(_ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')
_END_BYTES = 300


def refusal(fault: ValueError, line: bytes) -> JSONRPCError:
    """The answer to a line that could not be read."""
    # Pydantic's, which only the room of rule files may import.
    errors = getattr(fault, "errors", None)
    said = errors(include_url=False, include_context=False)[0] if errors is not None else None
    if said is None or said["type"] == "json_invalid":
        message = "no JSON in UTF-8, or a lone half of a UTF-16 pair in it"
        return _error(PARSE_ERROR, message, _id_in(line))
    return _error(INVALID_REQUEST, "no request of JSON-RPC", _id_in(line))


def refusal_of_length(line: bytes, most: int) -> JSONRPCError:
    """The answer to a message of more than so many bytes, of which only the beginning and the end are there."""
    found = _ID_IN_FRONT.match(line) or _ID_BEHIND.search(line[-_END_BYTES:])
    return _error(
        INVALID_REQUEST, f"a message has no more than {most} bytes", json.loads(found["id"]) if found else None
    )


def refusal_of_nameless(line: bytes) -> JSONRPCError | None:
    """The answer to a request whose id is no id, which is not to be taken for a notification."""
    if "id" not in json.loads(line):
        return None
    return _error(INVALID_REQUEST, "the id of a request is a whole number or a text", None)


def _error(code: int, message: str, name: str | int | None) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=name, error=ErrorData(code=code, message=message))


def _id_in(line: bytes) -> str | int | None:
    """The id of a request; Python's own reader also takes halves of pairs."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    given = found.get("id") if isinstance(found, dict) else None
    if isinstance(given, str) and given.isprintable() and len(given) <= _LONGEST_ID:
        return given
    return given if isinstance(given, int) and not isinstance(given, bool) else None
