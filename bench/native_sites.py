"""The places of a C or C++ library's source where it logs an error, found by the macros that it logs with.

No syntax tree: the macro's name, the literals that stand together as its first argument, and the places where the
compiler would put a number or a text, which are filled in.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_NO_JOB = re.compile(
    r"(^|/)(tools?|tests?|gtest|examples?|docs?|contrib|bindings|ze|gaudi|ugni|profiler?|tuner|stats|vfs)/"
)
_LITERAL = r"\"(?:[^\"\\\n]|\\.)*\""
_FIRST = rf"\(\s*(?P<words>(?:{_LITERAL}|[A-Z][A-Z_0-9a-z]*\b)(?:\s*(?:{_LITERAL}|[A-Z][A-Z_0-9a-z]*\b))*)\s*[,)]"
_HOLE = re.compile(r"%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t)?([a-zA-Z])")
# What a library warns of and goes on from by itself.
GOES_ON = re.compile(
    r"(?i)\b(?:ignor(?:ed|ing)|setting (?:(?:it|\w+) )?to|set it to 0|not using it|using .{1,40} instead|will retry)\b"
    r"|\b(?:skipping|falling back|skip this round|would have killed)\b"
    r"|\b(?:limiting to|cap it to|set both to|not dumping|disabling)\b"
)
_SAYS = re.compile(r"[A-Za-z]{2,}\W.*[A-Za-z]{2,}")


@dataclass(frozen=True, slots=True)
class LogForm:
    """How a library tells of errors: its macros, and its line with ``path``, ``name``, ``line`` and ``words``."""

    macros: str
    text: str


# By the name of the folder's framework.
LOG_FORMS: Mapping[str, LogForm] = {
    "nccl": LogForm("WARN", "node-3:4242:4310 [2] {path}:{line} NCCL WARN {words}"),
    "rccl": LogForm("WARN", "node-3:4242:4310 [2] {path}:{line} NCCL WARN {words}"),
    "ucx": LogForm("ucs_error|ucs_fatal", "[1763800000.250000] [node-3:4242:0] {name:>20}:{line} UCX  ERROR {words}"),
}


@dataclass(frozen=True, slots=True)
class NativeSite:
    """A place that logs: file below the source folder, line, the words, the whole line of the log."""

    path: str
    line: int
    message: str
    text: str


def native_sites_of(folder: Path, form: LogForm) -> Iterator[NativeSite]:
    """The sites of all sources below ``folder``, each sentence of a file once."""
    call = re.compile(rf"\b(?:{form.macros})\s*{_FIRST}")
    seen: set[tuple[str, str]] = set()
    for file in sorted(one for one in folder.rglob("*") if one.suffix in {".c", ".cc", ".cpp", ".h", ".inl"}):
        path = file.relative_to(folder).as_posix().removeprefix("src/")
        if _NO_JOB.search(path):
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        for found in call.finditer(text):
            words = spelled(found["words"])
            if not _SAYS.search(words) or GOES_ON.search(words) or (path, words) in seen:
                continue
            seen.add((path, words))
            line = text.count("\n", 0, found.start()) + 1
            shown = form.text.format(path=path, name=file.name, line=line, words=words)
            yield NativeSite(path, line, words, shown)


def spelled(words: str) -> str:
    """The message that the literals make; names of formats between them stand for a number."""
    parts = re.findall(rf"{_LITERAL}|\w+", words)
    joined = "".join(one[1:-1] if one.startswith('"') else ("d" if one.startswith("PRI") else "7") for one in parts)
    plain = joined.replace('\\"', '"').replace("\\n", " ").replace("\\t", " ")
    return " ".join(_HOLE.sub(_slot, plain).split())


def _slot(found: re.Match[str]) -> str:
    return "alpha" if found[1] in {"s", "S"} else "7"
