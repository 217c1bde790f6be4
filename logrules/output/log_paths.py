"""The real names of the logs in suggested commands, in place of the usual ``train.log`` and ``*.log``."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from logrules.model.report import Diagnosis, Fix, Report

_MAX_NAMED = 4
# A file to write to stays: only what is read is the log. Text inside quotes is a pattern or a script.
_ONE_LOG = re.compile(r"(?<![\w./>*'\"-])(?<!> )train\.log(?![\w.'\"])")
_ALL_LOGS = re.compile(r"(?<![\w./>'\"-])(?<!name )(?<!include )\*\.log(?![\w.'\"])")
_PLAIN = re.compile(r"[\w@%+=:,./-]+")
_PACKED = (".gz", ".xz", ".zst", ".bz2", ".lz4", ".zip", ".tar", ".tgz")


def with_paths(report: Report, paths: Mapping[str, str]) -> Report:
    """The report with ``paths`` (source name: path on disk) kept in it and in its commands.

    Logs without a path on disk, and packed ones, which the commands could not read, leave the commands as they are.
    """
    readable = [path for path in paths.values() if not path.endswith(_PACKED)]
    diagnoses = report.diagnoses
    if readable and len(readable) == len(paths):
        diagnoses = tuple(_with_logs(one, paths, readable) for one in diagnoses)
    return replace(report, paths=dict(paths), diagnoses=diagnoses)


def _with_logs(one: Diagnosis, paths: Mapping[str, str], readable: Sequence[str]) -> Diagnosis:
    first = paths.get(one.evidence[0].source, readable[0]) if one.evidence else readable[0]
    return replace(one, fixes=tuple(_located(fix, first, readable) for fix in one.fixes))


def _located(fix: Fix, first: str, readable: Sequence[str]) -> Fix:
    return replace(
        fix,
        run=_named(fix.run, first, readable, "'\\''"),
        powershell=_named(fix.powershell, first, readable, "''"),
    )


def _named(command: str | None, first: str, readable: Sequence[str], quote: str) -> str | None:
    if command is None:
        return None
    separator = " " if quote != "''" else ","
    words = separator.join(_word(path, quote) for path in readable)
    if len(readable) > _MAX_NAMED:
        folders = {PurePath(path).parent for path in readable}
        words = f"{_word(folders.pop().as_posix(), quote)}/*" if len(folders) == 1 else "*.log"
    command = _ONE_LOG.sub(lambda _: _word(first, quote), command)
    return _ALL_LOGS.sub(lambda _: words, command)


def _word(path: str, quote: str) -> str:
    """The path as one word of a shell that writes a quote inside quotes as ``quote``."""
    path = f"./{path}" if path.startswith("-") else path
    return path if _PLAIN.fullmatch(path) else "'" + path.replace("'", quote) + "'"
