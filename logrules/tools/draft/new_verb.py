"""`logrules new`: the draft of a rule from a line of a log."""

import argparse
import os
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from logrules.cli.shared_options import add_pack_options, chosen_settings, named, say
from logrules.model.errors import LogrulesError

if TYPE_CHECKING:
    from logrules.ruleset.pack import Pack
    from logrules.ruleset.settings import Settings
    from logrules.tools.draft.scaffold import RuleDraft

ABOUT = "draft a rule from a line of a log"
_EXAMPLES = """examples:
  logrules new train.log:1042                              print a draft for line 1042
  logrules new train.log:1042 train.log:2077 b.log:31      from what these lines have in common
  logrules new train.log:1042 --id acme/lost -o my-rules   write my-rules/acme/lost.yaml
  logrules new train.log:1042 --edit                       write it into the first pack of logrules.toml, and open it

What varies in the line becomes captures; the literal to search for is rare in the shipped logs and names the event;
an example and a near miss are taken from the log. Then: logrules test, check and try.

exit status: 0 drafted, 2 the line, the log or the file is unusable"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    about = "a log and the number of the telling line; further ones show what varies in it"
    add("places", nargs="+", metavar="LOG:LINE", help=about)
    add("--id", metavar="ID", help="id of the rule, such as acme/lost (default: team/ and words of the line)")
    add("--cause", metavar="CAUSE", help="the cause that the line shows (see `logrules explain --causes`)")
    add("-o", "--output", type=named, metavar="DIR", help="write the file to this folder, by the rule's id")
    add("--edit", action="store_true", help="open the file in $VISUAL or $EDITOR")
    add_pack_options(parser)


def run(options: argparse.Namespace) -> int:
    """Draft the rule; print or write it."""
    from logrules.parsing.header import HeaderParser
    from logrules.ruleset.load import load_pack
    from logrules.ruletest.collect import shipped_cases
    from logrules.ruletest.rule_tests import find_cases, read_cases
    from logrules.tools.draft.scaffold import draft, extract_of

    (path, line), *further = map(_place, options.places)
    settings = chosen_settings(options)
    pack = load_pack(options.rules, settings=settings)
    if options.cause and options.cause not in {cause.id for cause in pack.tables.causes}:
        raise LogrulesError(f"unknown cause `{options.cause}`: see `logrules explain --causes`")
    extract = extract_of(path, line)
    logs = [log for case in read_cases(find_cases(shipped_cases())) for log in case.logs]
    header = HeaderParser(pack)
    alike = [header.peel(extract_of(*place).line).message.strip() for place in further]
    drafted = draft(extract, pack, logs, _checked_id(options.id), options.cause, alike)
    _say_who_knows_it(pack, extract.line)
    folder = _folder(options, settings)
    if folder is None:
        sys.stdout.write(f"# {drafted.id}.yaml\n{drafted.text}")
        return 0
    return _write(drafted, folder, edit=options.edit)


def _place(text: str) -> tuple[str, int]:
    path, _, number = text.rpartition(":")
    if not path or not number.isdecimal() or int(number) < 1:
        raise LogrulesError(f"{text}: name a log and a line, as train.log:1042")
    return path, int(number)


def _checked_id(name: str | None) -> str | None:
    if name is not None and not re.fullmatch(r"[a-z0-9-]+(/[a-z0-9-]+)+", name):
        raise LogrulesError(
            f"`{name}` is not an id: lower-case letters, digits, hyphens and at least one slash, as in acme/lost"
        )
    return name


def _say_who_knows_it(pack: "Pack", line: str) -> None:
    from logrules.engine.run import prepared
    from logrules.ruleset.condition import Detector
    from logrules.ruleset.tables import ALTERNATIVES
    from logrules.ruletest.harness import run_log

    report = run_log(prepared(pack, cache=True), line)
    # A line alone is a log that ends there, which is all that a detector needs.
    guessed = {rule.id for rule in pack.rules if isinstance(rule.when, Detector) or rule.id.startswith(ALTERNATIVES)}
    known = next((found.rule for found in report.diagnoses if found.rule not in guessed), None)
    if known is not None:
        say(f"{known} already fires on this line")


def _folder(options: argparse.Namespace, settings: "Settings") -> Path | None:
    if options.output:
        return Path(options.output)
    if not options.edit:
        return None
    if not settings.packs:
        raise LogrulesError("--edit needs a place for the file: -o DIR, or `packs` in logrules.toml")
    return settings.packs[0]


def _write(drafted: "RuleDraft", folder: Path, *, edit: bool) -> int:
    from logrules.output.atomic_write import write_new

    path = folder / f"{drafted.id}.yaml"
    if path.exists():
        raise LogrulesError(f"{path}: exists already; choose another --id")
    write_new(path, drafted.text.encode())
    say(f"wrote {path}; now `logrules test {path}` and `logrules check {path}`")
    return _opened(path) if edit else 0


def _opened(path: Path) -> int:
    import subprocess

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")
    try:
        words = shlex.split(editor, posix=os.name != "nt")
        return subprocess.run([*words, str(path)], check=False).returncode and 2  # noqa: S603 (the user's own editor)
    except (OSError, ValueError) as fault:
        raise LogrulesError(f"{editor}: cannot be started ({fault})") from None
