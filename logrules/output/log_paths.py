"""The real names of the logs in suggested commands, in place of the usual ``train.log`` and ``*.log``.

For a log that is compressed stands what its shell makes of it: ``<(zcat train.log.gz)``.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from logrules.model.record import replace
from logrules.model.report import Diagnosis, Fix, Report
from logrules.output.shell import quoted

_MAX_NAMED = 4
_SAVED = "<saved output>"
# A file to write to stays: only what is read is the log. Text inside quotes is a pattern or a script.
_ONE_LOG = re.compile(r"(?<![\w./>*'\"-])(?<!> )train\.log(?![\w.'\"])")
_ALL_LOGS = re.compile(r"(?<![\w./>'\"-])(?<!name )(?<!include )\*\.log(?![\w.'\"])")
# gzip, bzip2, xz and zstd bring these along.
_TOOLS = {".gz": "zcat", ".bz2": "bzcat", ".xz": "xzcat", ".zst": "zstdcat"}
_NO_TOOL = (".tgz", ".tar", ".zip", ".lz4")


def with_paths(report: Report, paths: Mapping[str, str]) -> Report:
    """The report with ``paths`` (source name: path on disk) kept in it and in its commands.

    Where logs are packed as no common tool of the shell can read them, the commands stay. Where none lies on disk
    (what a command printed), the reader fills in where it was saved.
    """
    named = tuple(paths.values())
    diagnoses = report.diagnoses
    if not named:
        diagnoses = tuple(replace(one, fixes=tuple(map(_to_fill_in, one.fixes))) for one in diagnoses)
    elif not any(path.removesuffix(end).endswith(_NO_TOOL) for path in named for end in ("", *_TOOLS)):
        diagnoses = tuple(_with_logs(one, paths, named) for one in diagnoses)
    return replace(report, paths=dict(paths), diagnoses=diagnoses)


def _to_fill_in(fix: Fix) -> Fix:
    run, powershell = (one if one is None else _ONE_LOG.sub(_SAVED, one) for one in (fix.run, fix.powershell))
    return replace(fix, run=run, powershell=powershell)


def _with_logs(one: Diagnosis, paths: Mapping[str, str], named: Sequence[str]) -> Diagnosis:
    first = paths.get(one.evidence[0].source, named[0]) if one.evidence else named[0]
    return replace(one, fixes=tuple(_located(fix, first, named) for fix in one.fixes))


def _located(fix: Fix, first: str, named: Sequence[str]) -> Fix:
    run, powershell = fix.run, fix.powershell
    if run is not None:
        run = _named(run, first, named, "'\\''")
    if powershell is not None and not any(map(_tool_of, named)):
        powershell = _named(powershell, first, named, "''")
    return replace(fix, run=run, powershell=powershell)


def _named(command: str, first: str, named: Sequence[str], quote: str) -> str:
    command = _ONE_LOG.sub(lambda _: _word(first, quote), command)
    return _ALL_LOGS.sub(lambda _: _all_named(named, quote), command)


def _all_named(named: Sequence[str], quote: str) -> str:
    if len(named) <= _MAX_NAMED:
        return (" " if quote != "''" else ",").join(_word(path, quote) for path in named)
    folders = {PurePath(path).parent for path in named}
    together = len(folders) == 1 and not any(map(_tool_of, named))
    return f"{_word(folders.pop().as_posix(), quote)}/*" if together else "*.log"


def _word(path: str, quote: str) -> str:
    word = quoted(f"./{path}" if path.startswith("-") else path, quote)
    tool = _tool_of(path)
    return f"<({tool} {word})" if tool else word


def _tool_of(path: str) -> str:
    """What writes out a compressed log; empty for one that any program can read."""
    return next((tool for end, tool in _TOOLS.items() if path.endswith(end)), "")
