"""The places of Gloo's source where it gives up: what its macros make of a condition and the words behind it.

An error of Gloo reaches a job as Python's ``RuntimeError`` below the collective that was called, so that is the log.
Checks without words of their own are left out, as bare assertions of Python are.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from native_sites import NativeSite, spelled

# Each macro with the arguments before its words, and the sign between these where there are two.
_MACROS = {
    "GLOO_ENFORCE": (1, ""),
    "GLOO_ENFORCE_EQ": (2, "=="),
    "GLOO_ENFORCE_NE": (2, "!="),
    "GLOO_ENFORCE_LE": (2, "<="),
    "GLOO_ENFORCE_LT": (2, "<"),
    "GLOO_ENFORCE_GE": (2, ">="),
    "GLOO_ENFORCE_GT": (2, ">"),
    "GLOO_THROW": (0, ""),
    "GLOO_THROW_IO_EXCEPTION": (0, ""),
    "GLOO_THROW_INVALID_OPERATION_EXCEPTION": (0, ""),
    "GLOO_ERROR_MSG": (0, ""),
}
_CALL = re.compile(rf"(?<!define )\b(?P<macro>{'|'.join(sorted(_MACROS, key=len, reverse=True))})\(")
_NO_JOB = re.compile(r"(^|/)(tests?|benchmark|examples|mpi|nccl|docs)/")
_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
SAYS = re.compile(r"[A-Za-z]{2,}\W+[A-Za-z]{2,}")
_TRACE = (
    "Traceback (most recent call last):\n"
    '  File "/workspace/main.py", line 12, in <module>\n'
    "    main()\n"
    '  File "/opt/venv/lib/python3.11/site-packages/{file}", line 281, in {function}\n'
    "    {source}\n"
    "{error}: {{words}}\n"
)


def traceback_of(file: str, function: str, source: str, error: str) -> str:
    """How native code that is called there fails in a log; ``{words}`` stands where its own words are."""
    return _TRACE.format(file=file, function=function, source=source, error=error)


IN_ALL_REDUCE = traceback_of(
    "torch/distributed/distributed_c10d.py", "all_reduce", "work = group.allreduce([tensor], opts)", "RuntimeError"
)


def enforced_sites_of(folder: Path) -> Iterator[NativeSite]:
    """The sites of all sources below ``folder``."""
    for file in sorted(one for one in folder.rglob("*") if one.suffix in {".cc", ".h"}):
        path = file.relative_to(folder).as_posix()
        if _NO_JOB.search(path) or path.endswith(("common/logging.h", "common/error.h")):
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        for found in _CALL.finditer(text):
            before, sign = _MACROS[found["macro"]]
            arguments = arguments_at(text, found.end())
            message = "".join(map(_printed, arguments[before:]))
            if not SAYS.search(message):
                continue
            line = text.count("\n", 0, found.start()) + 1
            condition = f" {sign} ".join(arguments[:before])
            head = f"[enforce fail at third_party/gloo/{path}:{line}] {condition}. " if before else f"[{path}:{line}] "
            values = "7 vs 8. " if sign else ""
            yield NativeSite(path, line, message, IN_ALL_REDUCE.format(words=head + values + message))


def arguments_at(text: str, start: int) -> Sequence[str]:
    """The arguments of the call whose bracket opened right before ``start``."""
    found, depth, begun, at = [], 0, start, start
    while at < len(text):
        literal = _LITERAL.match(text, at)
        if literal is not None:
            at = literal.end()
            continue
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and text[at] == ","):
            found.append(" ".join(text[begun:at].split()))
            begun = at + 1
        if depth < 0:
            break
        at += 1
    return [one for one in found if one]


def _printed(argument: str) -> str:
    """What an argument adds to the message: its text, or something that may stand for its value."""
    if _LITERAL.match(argument):
        before, after = (" " if edge == " " else "" for edge in (argument[1:2], argument[-2:-1]))
        return f"{before}{spelled(argument)}{after}"
    return "alpha" if re.search(r"str|name|addr|what|msg|key|iface|file|path", argument) else "7"
