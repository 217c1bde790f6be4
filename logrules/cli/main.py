"""`logrules`: parses the command line, runs a verb, turns whatever goes wrong into one sentence and status 2."""

import argparse
import gc
import os
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn

from logrules.cli.did_you_mean import forgotten_verb, hint, meant_in
from logrules.cli.extension import about_of, installed_verbs, package_of, verb
from logrules.cli.shared_options import EXIT_UNUSABLE, in_language, name_format, preferred_language
from logrules.cli.standard_streams import guarded_streams
from logrules.model.errors import LogrulesError, PackError
from logrules.model.version import __version__
from logrules.output.escape import safe, safe_lines

# The verbs of the core, each with its module and its line in the list.
# Packages may bring more (see `extension`); our own tools come in the same way.
VERBS = {
    "diagnose": ("logrules.cli.diagnose", "say where a saved log got stuck or why it failed"),
    "watch": ("logrules.cli.watch", "follow a live job and report the moment it gets stuck"),
    "rules": ("logrules.cli.rules", "list what logrules knows"),
    "explain": ("logrules.cli.explain", "show all about a rule, a cause or a phase"),
    "test": ("logrules.cli.test", "run the examples that rules carry"),
    "try": ("logrules.cli.try_", "say why a rule does or does not fire on a log"),
    "check": ("logrules.cli.check", "find mistakes in rule files"),
    "fmt": ("logrules.cli.fmt", "format rule files"),
    "schema": ("logrules.cli.schema", "print the JSON Schema of reports and rule files"),
}

EXIT_INTERRUPTED = 130
_MAX_REASON_CHARS = 300
# Of what is wrong with rule files: whoever mends so much looks again.
_MAX_PROBLEMS = 50
# As libraries say it, in errors of their own.
_NO_MEMORY = ("allocate memory", "failed to map segment")
_NO_THREAD = "can't start new thread"  # as Python says it, in a RuntimeError like any other
_LOST_PROCESS = "BrokenProcessPool"  # by its name: to import it takes as long as to read a short log
_BEFORE_THE_VERB = ("-h", "--help", "-V", "--version", "--debug")
# A start makes tens of thousands of objects that stay: by default they are looked through for garbage a hundred times.
_COLLECTED_AFTER = 200_000
_DESCRIPTION = "Says where a machine-learning training run is stuck, why, on which rank, and what to try first."
_EPILOG = "Start with `logrules diagnose train.log`; every verb has --help with examples."
_DEBUG_HELP = "show where an error came from, for a bug report"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status: 0 nothing wrong, 1 something found, 2 unusable input or a fault of ours."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    argv = given[: given.index("--")] if "--" in given else given
    language = _language(argv)
    gc.set_threshold(_COLLECTED_AFTER)
    with guarded_streams():
        try:
            return _run(argv, given[len(argv) :], language)
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED
        except Exception as fault:  # noqa: BLE001 (the border: nothing leaves the program as a traceback)
            print("logrules:", "\n".join(_told(fault, language)), file=sys.stderr)
            if "--debug" in argv:
                import traceback

                print(safe_lines("".join(traceback.format_exception(fault))), end="", file=sys.stderr)
            return EXIT_UNUSABLE


def _run(argv: list[str], behind: list[str], language: str) -> int:
    """Run the verb; ``behind`` are ``--`` and the words behind it, of which some verbs make a command's line."""
    first = argv[0].partition("=")[0] if argv else ""
    if first.startswith("--") and first not in _BEFORE_THE_VERB and not VERBS.keys().isdisjoint(argv):
        raise LogrulesError(f"{argv[0]}: options go after the command, as in `logrules diagnose train.log --all`")
    if argv[:1] == ["help"]:
        argv = [*argv[1:2], "--help"]
    parser, of_verb = _parser(argv, language)
    if not (argv or behind):
        # Status 0 would say that nothing is wrong.
        parser.print_help(sys.stderr)
        return EXIT_UNUSABLE
    if argv and of_verb is None and (meant := forgotten_verb(argv)) is not None:
        raise LogrulesError(meant)
    if argv and of_verb is None:
        _refuse_first(argv[0], parser)
    starts_command = of_verb is not None and of_verb.get_default("command") is not None
    options, unknown = parser.parse_known_args(argv if starts_command else [*argv, *behind])
    if starts_command:
        options.command = behind[1:]
        if behind and not any(behind[1:2]):
            raise LogrulesError("no command stands behind `--`; is a variable of the shell empty?")
        if not options.command and (meant := options.meant_by(argv, options.paths, unknown=bool(unknown))) is not None:
            raise LogrulesError(meant)
    if unknown:
        (of_verb or parser).error(f"unrecognized arguments: {' '.join(unknown)}")
    name_format(options)
    status = int(options.run(options))
    sys.stdout.flush()
    return status


def _refuse_first(word: str, parser: "_Parser") -> None:
    """Say what is wrong with a first word that is neither a verb nor one of the options before it."""
    if not word.startswith("-"):
        meant = hint(word, parser.verbs()) or "; `logrules --help` lists them"
        raise LogrulesError(f"there is no command `{word}`{meant}")
    if word not in _BEFORE_THE_VERB:
        parser.error(f"unrecognized arguments: {word}")


def _told(fault: Exception, language: str) -> Sequence[str]:
    """The sentences, in the user's language; by itself where what they are made with is spoilt too."""
    try:
        return [safe(in_language(sentence, language)) for sentence in _sentences(fault)]
    except Exception:  # noqa: BLE001 (as above: there is nobody else to say anything)
        return [safe(f"an error in logrules ({type(fault).__name__}: {fault})")[:_MAX_REASON_CHARS]]


def _sentences(fault: Exception) -> Iterable[str]:
    """What went wrong: of rule files each problem, of all else one sentence."""
    if not isinstance(fault, PackError):
        return (_sentence(fault),)
    further = len(fault.problems) - _MAX_PROBLEMS
    told = map(str, fault.problems[:_MAX_PROBLEMS])
    return (*told, f"and {further} further faults; `logrules check` lists them") if further > 0 else told


def _sentence(fault: Exception) -> str:
    """What went wrong, and, where that is no fault of the user's, how to tell us."""
    if isinstance(fault, LogrulesError):
        return str(fault)
    if isinstance(fault, FileNotFoundError) and fault.filename is None:  # of a path it would be named
        return "the current folder no longer exists: `cd` to another, or back into it"
    if isinstance(fault, OSError) and fault.strerror:
        place = f"{fault.filename}: " if fault.filename else ""
        return f"{place}{fault.strerror.lower()}"
    text = " ".join(str(fault).split())[:_MAX_REASON_CHARS]
    if isinstance(fault, MemoryError) or any(words in text.lower() for words in _NO_MEMORY):
        return "not enough memory: the machine or a limit (`ulimit -v`) allows less than is needed"
    if type(fault).__name__ == _LOST_PROCESS:
        return "a process of ours was ended from outside, most often for want of memory; `-j 1` starts none"
    if text == _NO_THREAD:
        return "no further thread can be started: the machine or a limit (`ulimit -u`, `-v`) allows no more"
    reason = f"{type(fault).__name__}: {text}" if text else type(fault).__name__
    if package := package_of(fault):
        return f"an error in the package `{package}` ({reason}); please report it there with what --debug prints"
    return f"an error in logrules ({reason}); please report it with what --debug prints, see SECURITY.md for leaks"


def _language(argv: Sequence[str]) -> str:
    """What to speak: as --lang says, else as the locale does."""
    words = [word for option in argv for word in option.split("=", 1)]
    return next((value for name, value in pairwise(words) if name == "--lang"), None) or preferred_language()


def _columns() -> int:
    """How wide the terminal is, told without `shutil`: argparse asks at every option, help or not."""
    try:
        return int(os.environ.get("COLUMNS", "")) or 80
    except ValueError:
        pass
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else 80
    except (OSError, ValueError, AttributeError):
        return 80


class _VerbList(argparse.HelpFormatter):
    """Has the longest verb on the line of what it does: argparse forgets by how much verbs are indented."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        self._action_max_length += self._indent_increment if isinstance(action, argparse._SubParsersAction) else 0  # noqa: SLF001


class _VerbHelp(argparse.RawDescriptionHelpFormatter):
    """In the usage only what has to be given: the options are listed below it."""

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: "Iterable[argparse._MutuallyExclusiveGroup]",
        prefix: str | None = None,
    ) -> None:
        asked = [group for group in groups if group.required]
        of_groups = [action for group in asked for action in group._group_actions]  # noqa: SLF001
        told = [action for action in actions if action.required or not action.option_strings or action in of_groups]
        self._prog += " [options]"
        super().add_usage(usage, told, asked, prefix)


class _Parser(argparse.ArgumentParser):
    """Speaks the user's language; with the words that it repeats, no control of a terminal gets through."""

    language = "en"

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the command line, what may have been meant, and where all is listed; status 2."""
        said = in_language(message + meant_in(message, self._option_string_actions), self.language)
        more = in_language(f"`{self.prog} --help` lists the options", self.language)
        self.exit(EXIT_UNUSABLE, f"{self.prog}: {safe_lines(said)}\n{more}\n")

    def verbs(self) -> tuple[str, ...]:
        """The verbs that it knows."""
        choices = (action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001
        return tuple(verb for of_action in choices for verb in of_action)

    def format_help(self) -> str:
        """The help, its usage in the user's language."""
        text = super().format_help()
        return text.replace("usage: ", "用法：", 1) if self.language == "zh" else text


def _parser(argv: Sequence[str], language: str) -> "tuple[_Parser, _Parser | None]":
    """The parser of all verbs, and that of the one that is asked for; of the core's no other is imported."""
    description, epilog, abouts = _DESCRIPTION, _EPILOG, {}
    if language == "zh":
        from logrules.cli.chinese import words

        description, epilog, abouts = (words()[name] for name in ("description", "epilog", "verbs"))
    parser = _Parser(
        prog="logrules",
        description=description,
        formatter_class=partial(_VerbList, width=_columns() - 2),
        epilog=epilog,
        allow_abbrev=False,
    )
    parser.add_argument(
        "-V", "--version", action="version", version=f"logrules {__version__}", help="print the version"
    )
    parser.add_argument("--debug", action="store_true", help=_DEBUG_HELP)
    # Named here, since making the name up loads what only help needs.
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB", prog="logrules")
    asked = next((word for word in argv if not word.startswith("-")), None)
    # Whoever begins with a verb of the core sees no list of the others.
    for name in argv[:1] if argv[0:1] == [asked] and asked in VERBS else VERBS:
        module, about = VERBS[name]
        _add(verbs, name, abouts.get(name, about), module if name == asked else None)
    if asked not in VERBS:
        for name, module in installed_verbs().items():
            if name not in VERBS:
                about = abouts.get(name) or about_of(name, module)
                _add(verbs, name, about, module if name == asked else None)
    parser.language = language
    for child in verbs.choices.values():
        child.language = language
    if language == "zh":
        from logrules.cli.chinese import speak_chinese

        for one in (parser, verbs.choices.get(asked or "")):
            if one is not None:
                speak_chinese(one)
    return parser, verbs.choices.get(asked or "")


def _add(verbs: "_Verbs", name: str, about: str, module: str | None) -> None:
    """Add a verb to the list; with its options where its module is given."""
    form = partial(_VerbHelp, width=_columns() - 2)
    child = verbs.add_parser(
        name, help=about.replace("%", "%%"), description=about, formatter_class=form, allow_abbrev=False
    )
    if module is not None:
        found = verb(name, module)
        found.add_options(child)
        child.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=_DEBUG_HELP)
        child.set_defaults(run=found.run)


if TYPE_CHECKING:
    _Verbs = argparse._SubParsersAction[_Parser]  # noqa: SLF001 (it has no other name)


if __name__ == "__main__":
    sys.exit(main())
