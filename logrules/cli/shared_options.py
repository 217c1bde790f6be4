"""The options that verbs share, and what they come to: which rules, which language, which numbers."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from logrules.model.errors import LogrulesError
from logrules.model.record import replace
from logrules.output.escape import safe

if TYPE_CHECKING:
    from logrules.ruleset.pack import Pack
    from logrules.ruleset.settings import Settings

# The exit status of a run on unusable input, or with a fault of ours.
EXIT_UNUSABLE = 2
NO_SETTINGS = "none"


def add_pack_options(parser: argparse.ArgumentParser) -> None:
    """Further rules, and where the project's configuration is."""
    parser.add_argument(
        "--rules", action="append", type=named, default=[], metavar="DIR", help="a folder of your own rules; repeatable"
    )
    add_settings_option(parser)


def add_settings_option(parser: argparse.ArgumentParser) -> None:
    """Where the project's configuration is."""
    about = "settings file, or `none` (default: the nearest logrules.toml, or pyproject.toml with [tool.logrules])"
    parser.add_argument("--settings", type=named, metavar="FILE", help=about)


def add_language_options(parser: argparse.ArgumentParser, *, commands: bool = False) -> None:
    """In which language people are spoken to and, with ``commands``, for which shell these are."""
    about = "language (default: from the locale)"
    parser.add_argument("--lang", choices=("en", "zh"), default=preferred_language(), help=about)
    if commands:
        about = "shell of suggested commands (default: that of the machine that wrote the log)"
        parser.add_argument("--shell", choices=("bash", "powershell"), help=about)


def add_color_option(parser: argparse.ArgumentParser) -> None:
    """When what people read is coloured."""
    about = "colours: on a terminal (auto, the default), always or never"
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help=about)


def add_format_option(parser: argparse.ArgumentParser, *formats: str) -> None:
    """The form of what is written, and where to."""
    about = "output format (default: that which FILE ends in, else text)"
    parser.add_argument("--format", choices=("text", *formats), help=about)
    about = "write the output to FILE"
    parser.add_argument("-o", "--output", type=_output_file, metavar="FILE", help=about)
    parser.set_defaults(formats=formats)


def name_format(options: argparse.Namespace) -> None:
    """Name the form that was asked for by the ending of the file alone (``report.html``), of a verb with a choice."""
    if getattr(options, "formats", ()) and options.format is None:
        ending = Path(options.output or "").suffix.removeprefix(".").lower()
        meant = {"md": "markdown"}.get(ending, ending)
        options.format = meant if meant in options.formats else "text"


def chosen_color(options: argparse.Namespace) -> str:
    """When what is written is coloured; a file gets colours only where they are always wanted."""
    color: str = options.color
    return "never" if color == "auto" and getattr(options, "output", None) else color


def write_output(options: argparse.Namespace, render: Callable[[TextIO], None]) -> None:
    """Write what ``render`` writes to where the options say."""
    if not options.output:
        render(in_utf8(sys.stdout))
        return
    from logrules.output.atomic_write import write_page

    write_page(options.output, render)


def say(sentence: str) -> None:
    """Say something beside the output: on standard error, behind our name, without control characters."""
    print(f"logrules: {safe(sentence)}", file=sys.stderr, flush=True)


def in_utf8(out: TextIO) -> TextIO:
    """The stream as one that has every character."""
    if hasattr(out, "reconfigure"):
        out.reconfigure(encoding="utf-8", errors="backslashreplace")
    return out


def refuse_log(target: str | None, logs: Sequence[str]) -> None:
    """Raise LogrulesError where ``target``, to be written, is one of the ``logs``: paths, or `-` for standard input."""
    from logrules.sources.watch_paths import WatchedPaths

    if not target or not os.path.isfile(target):  # noqa: PTH113 (a name with a NUL in it is no file)
        return
    found = WatchedPaths([path for path in logs if path != "-"]).files()
    read: list[int | Path] = [path for kind in found for path, _ in kind]
    for one in [*read, 0] if "-" in logs else read:
        with suppress(OSError):
            if os.path.samestat(os.stat(one), os.stat(target)):  # noqa: PTH116 (descriptors have no path)
                raise LogrulesError(f"{target}: is one of the files that are read; write to another")


def named(text: str) -> str:
    """What a word of the command line names, if anything: the empty one is no name of the folder we are in."""
    if not text:
        raise argparse.ArgumentTypeError("names nothing; is a variable of the shell empty?")
    return text


def _output_file(text: str) -> str | None:
    """The file to write to; None for `-`, which is standard output."""
    return None if text == "-" else named(text)


def preferred_language(environment: Mapping[str, str] = os.environ) -> str:
    """Chinese (zh) or English (en), by the locale; the first variable that is set decides, as in gettext."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(name, "")
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def in_language(complaint: str, language: str) -> str:
    """A complaint as people of this language are told it, as far as it is known there."""
    if language != "zh":
        return complaint
    from logrules.cli.chinese import in_chinese

    return in_chinese(complaint)


def chosen_settings(options: argparse.Namespace) -> "Settings":
    """The configuration that the command line names, else the nearest one. Raises PackError."""
    from logrules.ruleset.settings import Settings, find_settings, read_settings

    if options.settings == NO_SETTINGS:
        return Settings()
    here = Path.cwd()
    found = read_settings(Path(options.settings)) if options.settings else find_settings(here)
    packs = tuple(pack.relative_to(here) if pack.is_relative_to(here) else pack for pack in found.packs)
    return replace(found, packs=packs)


def chosen_pack(options: argparse.Namespace, *, cache: bool = True, language: str | None = None) -> "Pack":
    """The pack that the command line and the configuration ask for; what it replaces is said on standard error.

    Its second language is ``language``, else that of the verb's ``--lang``.
    """
    from logrules.ruleset.load import load_pack

    if language is None:
        language = getattr(options, "lang", "en")
    pack = load_pack(options.rules, settings=chosen_settings(options), cache=cache, language=language)
    for one in pack.replaced:
        say(f"{one.what} of {one.before} is replaced by {one.path}")
    return pack


Value = TypeVar("Value", int, float)


def reading(read: Callable[[str], Value], fits: Callable[[Value], bool], expected: str) -> Callable[[str], Value]:
    """What reads the value of an option; argparse says what is ``expected`` where it is none that ``fits``."""

    def checked(text: str) -> Value:
        try:
            value = read(text)
        except ValueError:
            pass
        else:
            if fits(value):
                return value
        raise argparse.ArgumentTypeError(f"expects {expected}, not `{text}`")

    return checked


def whole_number(least: int) -> Callable[[str], int]:
    """What reads a whole number from ``least`` on."""
    return reading(int, lambda value: value >= least, f"a whole number from {least} on")


def add_history_option(parser: argparse.ArgumentParser) -> None:
    """Where the results of scanned jobs are kept."""
    about = "where results are kept (default: the user's state folder)"
    parser.add_argument("--history", type=named, metavar="FILE", help=about)


def add_processes_option(parser: argparse.ArgumentParser, about: str = "processes (default: one per core)") -> None:
    """How many processes work at once."""
    parser.add_argument("-j", "--processes", type=whole_number(1), metavar="N", help=about)
