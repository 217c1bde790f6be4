"""The log that a page holds: what can be read once is kept on the way, what lies in files is read again."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from logrules.sources.file import FileSource
from logrules.sources.recorded import RecordedSource

if TYPE_CHECKING:
    from logrules.model.report import Report
    from logrules.ruleset.pack import Pack
    from logrules.sources.discover import Discovered
    from logrules.sources.source import Source


def recorded(found: "Discovered") -> "Discovered":
    """The same sources, those that can be read only once in a form that can be read again."""
    return replace(found, sources=tuple(one if _is_saved(one) else RecordedSource(one) for one in found.sources))


def with_log(report: "Report", found: "Discovered", pack: "Pack", lines: int, *, cache: bool) -> "Report":
    """The report with the lines of its logs, as far as they can be read again."""
    from logrules.engine.log_text import log_text

    return replace(report, log=log_text(_again(found.sources), pack, report, lines, cache=cache))


def _again(sources: "Sequence[Source]") -> "list[Source]":
    again: list[Source] = []
    for one in sources:
        if isinstance(one, RecordedSource):
            again.append(one.again())
        elif isinstance(one, FileSource) and one.path.is_file():
            again.append(FileSource(one.path, one.name))
    return again


def _is_saved(source: "Source") -> bool:
    return isinstance(source, FileSource) and source.path.is_file()
