"""Handing one piece of news over: to a command, or to a web address. Standard library alone.

This file is also a program of its own, run without the rest of the package: it takes one delivery on its standard input
and has it done, whether or not the watcher that started it still lives. So nobody who hangs holds up a watched job.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from typing import Any

COMMAND_LIMIT_S = 30.0
POST_LIMIT_S = 10.0
# A server that answers one byte at a time never runs out of the other limits.
_WHOLE_LIMIT_S = 90
_TRIES = 3
_REST_S = 1.0
_MAX_ANSWER_BYTES = 1 << 16
_BAD_REQUEST, _TOO_MANY, _SERVER_FAULT = 400, 429, 500


class UndeliveredError(Exception):
    """Why the news did not arrive, in a few words, which may be those of somebody else."""


def run_bounded(words: Sequence[str], text: str, facts: Mapping[str, str], limit_s: float = COMMAND_LIMIT_S) -> None:
    """Run a command with ``text`` on its input. Raises UndeliveredError where it fails or is ended for its time."""
    try:
        child = subprocess.Popen(  # noqa: S603 (what the user asked for)
            words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, **facts}, start_new_session=True, text=True, encoding="utf-8", errors="replace",
        )  # fmt: skip
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        raise UndeliveredError(f"cannot be started ({reason.lower()})") from None
    try:
        child.communicate(text, timeout=limit_s)
    except subprocess.TimeoutExpired:
        kill_group(child)
        child.communicate()
        raise UndeliveredError(f"took longer than {limit_s:g} s and was ended") from None
    if child.returncode:
        raise UndeliveredError(f"ended with status {child.returncode}")


def kill_group(child: "subprocess.Popen[Any]") -> None:
    """End a process that leads a group of its own, and what it started; it is not waited for."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    except OSError:
        pass


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A post that goes on elsewhere would arrive there as a question without what it says."""

    def redirect_request(self, *_given: Any) -> None:
        return None


def post(
    url: str,
    body: bytes,
    limit_s: float = POST_LIMIT_S,
    rest_s: float = _REST_S,
    tell: Callable[[str], None] = lambda _reason: None,
) -> None:
    """Post JSON, trying again where the other side fails, of which ``tell`` hears the first time.

    Raises UndeliveredError when it is given up.
    """
    request = urllib.request.Request(url, body, {"Content-Type": "application/json; charset=utf-8"})  # noqa: S310 (checked)
    opener = urllib.request.build_opener(_NoRedirects)
    reason = ""
    for attempt in range(_TRIES):
        if attempt == 1:
            tell(f"not delivered yet ({reason}); it is tried again")
        if attempt:
            time.sleep(rest_s * 2**attempt)
        try:
            with opener.open(request, timeout=limit_s) as answer:
                reason = _refusal(answer.read(_MAX_ANSWER_BYTES))
            if not reason:
                return
            break
        except urllib.error.HTTPError as fault:
            moved = fault.headers.get("Location") if fault.code < _BAD_REQUEST else None
            reason = f"status {fault.code}" + (f", it points to {moved}" if moved else "")
            fault.close()
            # The same request would be refused again, unless it only came too soon after others.
            if fault.code < _SERVER_FAULT and fault.code != _TOO_MANY:
                break
        except (OSError, ValueError, http.client.HTTPException) as fault:
            cause = getattr(fault, "reason", None) or fault
            reason = str(cause).strip().lower()
            if isinstance(cause, ValueError):  # as a certificate that is not trusted is: it will not be the next time
                break
    raise UndeliveredError(f"not delivered ({reason})")


def _refusal(answer: bytes) -> str:
    """Why a chat took nothing: some say so in the body of an answer whose status is 200. Empty where it did take it."""
    try:
        told = json.loads(answer)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(told, dict):
        return ""
    # DingTalk and WeCom call it `errcode`, Feishu and Lark `code`: 0 is fine.
    code = told.get("errcode", told.get("code", 0))
    if not isinstance(code, int) or code == 0:
        return ""
    return f"code {code}: {str(told.get('errmsg', told.get('msg', '')))[:200]}"


def command_delivery(words: Sequence[str], text: str, facts: Mapping[str, str]) -> bytes:
    """A delivery for the program: run a command."""
    return json.dumps({"words": list(words), "text": text, "facts": dict(facts)}).encode()


def post_delivery(url: str, body: bytes) -> bytes:
    """A delivery for the program: post a body."""
    return json.dumps({"url": url, "body": body.decode()}).encode()


def started(delivery: bytes) -> "subprocess.Popen[bytes]":
    """A process that has the delivery and will outlive us; what goes wrong is on its output. Raises OSError."""
    # In a file of no name it is handed over at once, however late the process begins to read.
    with os.fdopen(os.memfd_create("delivery"), "w+b") if hasattr(os, "memfd_create") else TemporaryFile() as held:
        held.write(delivery)
        held.seek(0)
        return subprocess.Popen(  # noqa: S603 (this interpreter, this file)
            [sys.executable, "-I", "-S", __file__],
            stdin=held, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip


def _main() -> int:
    if hasattr(signal, "alarm"):
        signal.alarm(_WHOLE_LIMIT_S)
    delivery: Mapping[str, Any] = json.loads(sys.stdin.buffer.read())
    try:
        if "url" in delivery:
            post(delivery["url"], delivery["body"].encode(), tell=_tell)
        else:
            run_bounded(delivery["words"], delivery["text"], delivery["facts"])
    except UndeliveredError as fault:
        _tell(str(fault))
        return 1
    return 0


def _tell(what: str) -> None:
    """A line for whoever started us, if they are still there: at the end of a job they do not wait for the last try."""
    with suppress(OSError):
        os.write(1, " ".join(what.split()).encode(errors="replace") + b"\n")


if __name__ == "__main__":
    sys.exit(_main())
