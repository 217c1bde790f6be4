"""Diagnose machine-learning training logs.

>>> from logrules import diagnose
>>> report = diagnose("train.log")      # doctest: +SKIP
>>> report.diagnoses[0].cause           # doctest: +SKIP
'cuda-oom'

What is exported here, the rule schema and the report schema are the public contracts; all else is internal.
"""

from functools import cache
from os import PathLike, fspath
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO

from logrules.model.errors import LogrulesError, PackError, SourceError
from logrules.model.version import __version__

if TYPE_CHECKING:
    from logrules.model.report import Report
    from logrules.ruleset.pack import Pack


__all__ = ["LogrulesError", "PackError", "SourceError", "__version__", "diagnose", "load_rules", "to_json"]

_LOADING = Lock()


def load_rules(*folders: "str | PathLike[str]", language: str = "en") -> "Pack":
    """The shipped rules and those in ``folders``; what people read is in English and in ``language``.

    Raises PackError with every problem found.
    """
    from logrules.ruleset.load import load_pack

    return load_pack([fspath(folder) for folder in folders], language=language)


def diagnose(*logs: "str | PathLike[str] | BinaryIO", pack: "Pack | None" = None) -> "Report":
    """The report on saved logs: files, folders of logs, ``-`` for standard input, or files that are open for bytes.

    What is open is read from where it stands and stays open. Raises SourceError where a log cannot be used, PackError
    where the rules cannot.
    """
    from logrules.engine.run import replay
    from logrules.sources.discover import Discovered, discover
    from logrules.sources.file import open_logs

    paths = [fspath(log) for log in logs if isinstance(log, str | PathLike)]
    opened = open_logs([log for log in logs if not isinstance(log, str | PathLike)])
    found = discover(paths) if paths or not opened else Discovered(())
    return replay([*found.sources, *opened], pack or _shipped_rules(), notes=found.notes, cache=pack is None)


def to_json(report: "Report", language: str = "en") -> str:
    """The report as `logrules diagnose --format json` writes it; `logrules schema report` describes it.

    In another language than English it needs a report by rules that were loaded in that language.
    """
    from io import StringIO

    from logrules.output.report_json import render_json

    document = StringIO()
    render_json(report, document, language)
    return document.getvalue()


def _shipped_rules() -> "Pack":
    # The first requests of a service may come at once, and each would load them.
    with _LOADING:
        return _rules_once()


@cache
def _rules_once() -> "Pack":
    return load_rules()
