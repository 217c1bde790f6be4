"""What an installed package may add to the command line: verbs, options of `logrules diagnose` and `watch`, forms.

[project.entry-points."logrules.verbs"]
audit = "acme_audit.verb"        # a module like those of our own verbs: ABOUT, add_options(parser), run(options)

[project.entry-points."logrules.diagnose"]
audit = "acme_audit.option"      # a module like `DiagnoseExtension`

[project.entry-points."logrules.watch"]
audit = "acme_audit.listener"    # a module like `WatchExtension`

[project.entry-points."logrules.forms"]
audit = "acme_audit.form:render" # a function that writes a report, as `logrules.output.forms.Form`

[project.entry-points."logrules.schemas"]
audit = "acme_audit.form:schema" # a function that gives the JSON Schema of something that the package prints
"""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol, TextIO, cast

from logrules.cli.shared_options import say
from logrules.model.errors import LogrulesError
from logrules.model.record import record
from logrules.output.escape import safe
from logrules.ruleset.entry_points import FORMS, entry_points, loaded

if TYPE_CHECKING:
    from logrules.engine.distributed import Readers
    from logrules.engine.follow import Following
    from logrules.model.event import Event
    from logrules.model.report import Report
    from logrules.notify.listener import Listener
    from logrules.notify.notifications import NotificationPolicy
    from logrules.ruleset.pack import Pack
    from logrules.sources.discover import Discovered

VERBS = "logrules.verbs"
DIAGNOSE = "logrules.diagnose"
WATCH = "logrules.watch"
SCHEMAS = "logrules.schemas"


class Verb(Protocol):
    """A module that is a verb. ``ABOUT`` is its line in the list of verbs.

    One that starts a command sets two defaults of its parser: ``command``, which becomes the words behind ``--``, and
    ``meant_by``, what was meant where there is no ``--`` (see `forgotten_dashes`).
    """

    ABOUT: str

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the verb."""

    def run(self, options: argparse.Namespace) -> int:
        """Do what was asked; the exit status."""


@record
class Annex:
    """What is shown below a report, and is beside it in JSON under ``key``. Where it ``failed``, so does the verb."""

    key: str
    document: Mapping[str, Any]
    render: Callable[[TextIO], None]
    failed: bool = False


class Addition:
    """What an option does in one run of `diagnose`. Those that do less than all of it override less."""

    # Paths that it reads beside the logs, over which no report is written.
    files_read: Sequence[str] = ()

    def prepare(self, paths: Sequence[str], pack: "Pack") -> "Pack":  # noqa: ARG002 (others do)
        """The pack to read the logs at ``paths`` with."""
        return pack

    @property
    def observe(self) -> "Callable[[Event], None] | None":
        """What sees every event in order; asked once, after `prepare`."""
        return None

    def found(self, paths: Sequence[str]) -> "Discovered | None":  # noqa: ARG002 (others do)
        """The logs behind the paths, where another machine has them."""
        return None

    def readers(self, found: "Discovered") -> "Readers | None":  # noqa: ARG002 (others do)
        """Who reads the logs, where it is not this machine. Raises LogrulesError for a log that cannot travel."""
        return None

    def to_read(self, found: "Discovered") -> "Discovered":
        """The logs as this process is to read them."""
        return found

    def completed(self, report: "Report", found: "Discovered", pack: "Pack") -> "Report":  # noqa: ARG002 (others do)
        """The report with what else the logs have for it."""
        return report

    def annex(self, report: "Report", language: str) -> Annex | None:  # noqa: ARG002 (others do)
        """What is shown below the report."""
        return None

    def after(self, report: "Report", language: str) -> None:
        """What is done when the report has been written."""


class DiagnoseExtension(Protocol):
    """A module with options of `diagnose`. ``SCHEMAS`` are those of its annexes, by their keys, made when asked for."""

    SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]]

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options."""

    def addition(self, options: argparse.Namespace) -> Addition | None:
        """What they ask for, if they do."""


@record
class WatchedRun:
    """What listeners may work with: the job that is followed, its name, and whom to tell what failed.

    ``policy`` says what of an update is news, to all the same. ``pid`` is the process of the command that was started,
    None where there is none or before it was.
    """

    following: "Following"
    job: str
    policy: "NotificationPolicy"
    pid: Callable[[], int | None]
    complain: Callable[[str], None]


class WatchExtension(Protocol):
    """A module with options of `watch`."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options."""

    def listeners(self, options: argparse.Namespace, run: WatchedRun) -> "Iterable[Listener]":
        """Who they ask to be told of the job. Raises LogrulesError where one cannot work."""


def installed_verbs() -> Mapping[str, str]:
    """The modules of verbs that packages bring, by the name of the verb."""
    return dict(entry_points(VERBS))


def verb(name: str, module: str) -> Verb:
    """The verb in a module. Raises LogrulesError where that cannot be imported."""
    return cast("Verb", loaded(name, module))


def about_of(name: str, module: str) -> str:
    """What a verb's line in the list of verbs says, or why there is no more to say."""
    try:
        return safe(str(verb(name, module).ABOUT))
    except (LogrulesError, AttributeError) as fault:
        return safe(str(fault))


@cache
def diagnose_extensions() -> tuple[DiagnoseExtension, ...]:
    """Everything that packages add to `diagnose`; one that cannot be loaded is named and left out."""
    return tuple(cast("DiagnoseExtension", one) for one in _options_of(DIAGNOSE))


@cache
def watch_extensions() -> tuple[WatchExtension, ...]:
    """The same of `watch`."""
    return tuple(cast("WatchExtension", one) for one in _options_of(WATCH))


def _options_of(group: str) -> list[object]:
    found: list[object] = []
    for name, module in entry_points(group):
        try:
            found.append(loaded(name, module))
        except LogrulesError as fault:
            verb_name = group.rpartition(".")[2]
            say(f"{fault}; its options of `{verb_name}` are left out")
    return found


def installed_schemas() -> Mapping[str, Callable[[], dict[str, Any]]]:
    """The schemas that packages publish, made when they are asked for."""

    def made(name: str, value: str) -> dict[str, Any]:
        found: dict[str, Any] = loaded(name, value)()
        return found

    return {name: partial(made, name, value) for name, value in entry_points(SCHEMAS)}


def package_of(fault: BaseException) -> str | None:
    """The installed package in whose code an error arose, or in what that called; None where it was ours."""
    from traceback import walk_tb

    ours = __name__.partition(".")[0]
    points = (value for group in (VERBS, DIAGNOSE, WATCH, FORMS, SCHEMAS) for _, value in entry_points(group))
    packages = {value.partition(":")[0].partition(".")[0] for value in points}
    frames = [frame for frame, _ in walk_tb(fault.__traceback__)]
    called = (str(frame.f_globals.get("__name__")).partition(".")[0] for frame in reversed(frames))
    innermost = next((name for name in called if name == ours or name in packages), ours)
    return None if innermost == ours else innermost
