"""What changed since a commit, and the tests that this can affect: its own, and those whose logs it has a say in."""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import logrules
from logrules.model.errors import LogrulesError
from logrules.model.record import record
from logrules.ruleset.load import CASE_NAME, rule_texts, shipped_rules
from logrules.ruleset.rule_file import RuleText
from logrules.ruletest.rule_tests import Case, Example, Test, lines_of

if TYPE_CHECKING:
    from logrules.ruleset.models import RuleFile, SignalFile

# Parts of a condition that can hold on a log in which none of the rule's own words occur.
_WORDLESS = "metric("
_LIMIT_S = 60
_LATEST = "HEAD"


@record
class ChangeImpact:
    """What changes can affect: everything, or the tests of some files, rules and cases and the logs with some words."""

    everything: bool = False
    rules: frozenset[str] = frozenset()
    folders: frozenset[Path] = frozenset()
    literals: tuple[bytes, ...] = ()

    def touches(self, test: Test) -> bool:
        """Whether the changes can make this test come out otherwise."""
        if self.everything:
            return True
        match test:
            case Case():
                own = test.folder in self.folders or not test.plain
                return own or any(map(self._speaks, lines_of(test)))
            case Example():
                return test.owner in self.rules or self._speaks(test.log.encode())
            case _:
                return False

    def _speaks(self, log: bytes) -> bool:
        return any(word in log for word in self.literals)


def impact_of_changes(since: str, roots: Sequence[Path]) -> ChangeImpact:
    """What differs from the commit ``since`` can affect, of the shipped rules, those in ``roots`` and all cases."""
    changed = changed_files(since)
    package = Path(logrules.__file__).resolve().parent
    if any(path.is_relative_to(package) and path.suffix == ".py" for path in changed):
        return ChangeImpact(everything=True)
    places = [shipped_rules().resolve(), *(root.resolve() for root in roots)]
    if not roots and not _holds(places[0]):
        raise LogrulesError(
            "--changed: no folder of rules here is known: name it, or list it as `packs` in logrules.toml"
        )
    ids: set[str] = set()
    literals: set[bytes] = set()
    for path, name in changed.items():
        if path.suffix in {".yaml", ".yml"} and path.name != CASE_NAME and any(map(path.is_relative_to, places)):
            now = [text.raw for text in rule_texts([path])] if path.exists() else []
            before = _git_or_none("show", f"{since}:{name}")
            for raw in (*now, *([before] if before is not None else [])):
                rule = _rule_of_its_words(RuleText(str(path), raw))
                if rule is None:
                    return ChangeImpact(everything=True)
                ids.add(rule.id)
                literals |= {literal.encode() for signal in _signals_of(rule) for literal in signal.contains}
    return ChangeImpact(False, frozenset(ids), frozenset(path.parent for path in changed), tuple(literals))


def _rule_of_its_words(text: RuleText) -> "RuleFile | None":
    """The rule in a file, if it can hold only on logs that have its words.

    Markers, waits, formats and words are everybody's; so is what cannot be read.
    """
    from logrules.ruleset.compile import read_source
    from logrules.ruleset.models import RuleFile

    source, _ = read_source(text)
    rule = source.file if source is not None else None
    if not isinstance(rule, RuleFile) or rule.detector or _WORDLESS in (rule.when or ""):
        return None
    return None if any(signal.in_ is not None for signal in _signals_of(rule)) else rule


def _signals_of(rule: "RuleFile") -> "Iterator[SignalFile]":
    yield from (*rule.signals.values(), *rule.with_.values())


def changed_files(since: str) -> dict[Path, str]:
    """Every file that differs from the commit ``since`` or is new, with its name in the repository.

    Before the first commit of a repository every file is new.

    Raises LogrulesError where there is no repository or no such commit.
    """
    if since.startswith("-"):
        raise LogrulesError(f"{since}: no such commit")
    root = _root()
    if since == _LATEST and _git_or_none("rev-parse", "--verify", "--quiet", _LATEST) is None:
        since = _git("hash-object", "-t", "tree", "--stdin").decode().strip()  # a tree without a file
    changed = _git("diff", "--name-only", "--no-renames", "-z", since, "--")
    new = _git("-C", str(root), "ls-files", "--others", "--exclude-standard", "-z")
    names = [name.decode(errors="surrogateescape") for name in (changed + new).split(b"\0") if name]
    return {(root / name).resolve(): name for name in names}


def _holds(folder: Path) -> bool:
    """Whether the repository has files of this folder, which may lie in it without being part of it, as installed."""
    root = _root()
    return folder.is_relative_to(root) and bool(_git("-C", str(root), "ls-files", "-z", "--", str(folder)))


def _root() -> Path:
    return Path(_git("rev-parse", "--show-toplevel").decode().rstrip("\n")).resolve()


def _git_or_none(*words: str) -> bytes | None:
    """What git says; None where there is no such thing."""
    try:
        return _git(*words)
    except LogrulesError:
        return None


def _git(*words: str) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603
            ["git", *words],  # noqa: S607
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_LIMIT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise LogrulesError(f"--changed needs git, which cannot be run: {fault}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise LogrulesError(f"--changed: git says: {said[0] if said else done.returncode}")
    return done.stdout
