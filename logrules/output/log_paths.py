"""The real names of the logs in suggested commands, in place of the usual ``train.log`` and ``*.log``.

A log that is compressed is read by ``zgrep`` in place of ``grep``, and by ``zcat … |`` before other commands.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from logrules.model.late_pattern import late_pattern
from logrules.model.record import record, replace
from logrules.model.report import Diagnosis, Fix, Report
from logrules.output.shell import quoted

_MAX_NAMED = 4
_SAVED = "<saved output>"
# A file to write to stays: only what is read is the log. Text inside quotes is a pattern or a script.
_ONE_LOG = late_pattern(r"(?<![\w./>*'\"-])(?<!> )train\.log(?![\w.'\"])")
_ALL_LOGS = late_pattern(r"(?<![\w./>'\"-])(?<!name )(?<!include )\*\.log(?![\w.'\"])")
# What stands between `|`, `;`, `&` and line ends; quoted text is no such mark.
_SIMPLE_COMMAND = late_pattern(r"(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|[^'\"\\|;&\n])+")
_FIRST_WORD = late_pattern(r"\s*(\S+)")
# gzip, bzip2, xz and zstd bring these along; each also reads files that are not compressed, if it is told to (-f).
_TOOLS = {".gz": "z", ".bz2": "bz", ".xz": "xz", ".zst": "zstd"}
_NO_TOOL = (".tgz", ".tar", ".zip", ".lz4")


@record
class Unpacker:
    """How a shell reads logs that are all packed in one way: ``prefix`` of its tools, none for plain files."""

    prefix: str
    some_plain: bool = False

    @property
    def reads_plain(self) -> bool:
        """Whether the files are plain, and any program can read them."""
        return not self.prefix

    def reading(self, command: str, *logs: re.Pattern[str]) -> str:
        """The command for bash with each of its parts that reads one of ``logs`` by a tool that can expand it."""
        if self.reads_plain:
            return command
        return _SIMPLE_COMMAND.sub(lambda found: self._part(found[0], logs), command)

    def _part(self, part: str, logs: Sequence[re.Pattern[str]]) -> str:
        log = next((found for one in logs if (found := one.search(part)) is not None), None)
        word = _FIRST_WORD.match(part)
        if log is None or word is None:
            return part
        if word[1] == "grep":
            return f"{part[: word.start(1)]}{self.prefix}{part[word.start(1) :]}"
        unpack = f"{self.prefix}cat -f" if self.some_plain else f"{self.prefix}cat"
        rest = f"{part[word.start(1) : log.start()].rstrip()}{part[log.end() :]}"
        return f"{part[: word.start(1)]}{unpack} {log[0]} | {rest}"


def with_paths(report: Report, paths: Mapping[str, str]) -> Report:
    """The report with ``paths`` (source name: path on disk) kept in it and in its commands.

    Where logs are packed as no common tool of the shell can read them, the commands stay. Where none lies on disk
    (what a command printed), the reader fills in where it was saved.
    """
    named = tuple(paths.values())
    diagnoses = report.diagnoses
    unpacker = _unpacker_of(named)
    if not named:
        diagnoses = tuple(replace(one, fixes=tuple(map(_to_fill_in, one.fixes))) for one in diagnoses)
    elif unpacker is not None:
        diagnoses = tuple(_with_logs(one, paths, named, unpacker) for one in diagnoses)
    return replace(report, paths=dict(paths), diagnoses=diagnoses)


def _to_fill_in(fix: Fix) -> Fix:
    run, powershell = (one if one is None else _ONE_LOG.sub(_SAVED, one) for one in (fix.run, fix.powershell))
    return replace(fix, run=run, powershell=powershell)


def _with_logs(one: Diagnosis, paths: Mapping[str, str], named: Sequence[str], unpacker: Unpacker) -> Diagnosis:
    first = paths.get(one.evidence[0].source, named[0]) if one.evidence else named[0]
    return replace(one, fixes=tuple(_located(fix, first, named, unpacker) for fix in one.fixes))


def _located(fix: Fix, first: str, named: Sequence[str], unpacker: Unpacker) -> Fix:
    run, powershell = fix.run, fix.powershell
    if run is not None:
        run = _named(unpacker.reading(run, _ONE_LOG, _ALL_LOGS), first, named, "'\\''")
    if powershell is not None and unpacker.reads_plain:
        powershell = _named(powershell, first, named, "''")
    return replace(fix, run=run, powershell=powershell)


def _named(command: str, first: str, named: Sequence[str], quote: str) -> str:
    command = _ONE_LOG.sub(lambda _: _word(first, quote), command)
    return _ALL_LOGS.sub(lambda _: _all_named(named, quote), command)


def _all_named(named: Sequence[str], quote: str) -> str:
    if len(named) <= _MAX_NAMED:
        return (" " if quote != "''" else ",").join(_word(path, quote) for path in named)
    folders = {PurePath(path).parent for path in named}
    return f"{_word(folders.pop().as_posix(), quote)}/*" if len(folders) == 1 else "*.log"


def _word(path: str, quote: str) -> str:
    return quoted(f"./{path}" if path.startswith("-") else path, quote)


def _unpacker_of(paths: Sequence[str]) -> Unpacker | None:
    """What reads all of these files at once by their names; None where no common tool does."""
    stems = {path: next((end for end in _TOOLS if path.endswith(end)), "") for path in paths}
    archives = any(path.removesuffix(end).endswith(_NO_TOOL) for path, end in stems.items())
    packed = {end for end in stems.values() if end}
    if archives or len(packed) > 1:
        return None
    return Unpacker(_TOOLS[packed.pop()], "" in stems.values()) if packed else Unpacker("")
