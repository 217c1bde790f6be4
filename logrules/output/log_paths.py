"""The real names of the logs in suggested commands, in place of the usual ``train.log`` and ``*.log``."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from logrules.model.report import Diagnosis, Fix, Report
from logrules.output.packed_logs import Unpacker, unpacker_of

_MAX_NAMED = 4
# A file to write to stays: only what is read is the log. Text inside quotes is a pattern or a script.
_ONE_LOG = re.compile(r"(?<![\w./>*'\"-])(?<!> )train\.log(?![\w.'\"])")
_ALL_LOGS = re.compile(r"(?<![\w./>'\"-])(?<!name )(?<!include )\*\.log(?![\w.'\"])")
_PLAIN = re.compile(r"[\w@%+=:,./-]+")


def with_paths(report: Report, paths: Mapping[str, str]) -> Report:
    """The report with ``paths`` (source name: path on disk) kept in it and in its commands.

    Where a log has no path on disk, or is packed as no common tool of the shell can read it, the commands stay.
    """
    named = tuple(paths.values())
    diagnoses = report.diagnoses
    unpacker = unpacker_of(named)
    if named and unpacker is not None:
        diagnoses = tuple(_with_logs(one, paths, named, unpacker) for one in diagnoses)
    return replace(report, paths=dict(paths), diagnoses=diagnoses)


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
    separator = " " if quote != "''" else ","
    words = separator.join(_word(path, quote) for path in named)
    if len(named) > _MAX_NAMED:
        folders = {PurePath(path).parent for path in named}
        words = f"{_word(folders.pop().as_posix(), quote)}/*" if len(folders) == 1 else "*.log"
    command = _ONE_LOG.sub(lambda _: _word(first, quote), command)
    return _ALL_LOGS.sub(lambda _: words, command)


def _word(path: str, quote: str) -> str:
    """The path as one word of a shell that writes a quote inside quotes as ``quote``."""
    path = f"./{path}" if path.startswith("-") else path
    return path if _PLAIN.fullmatch(path) else "'" + path.replace("'", quote) + "'"
