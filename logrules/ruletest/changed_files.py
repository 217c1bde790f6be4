"""What changed since a commit, and the tests that this can affect: its own, and those whose logs it has a say in."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import logrules
from logrules.model.errors import LogrulesError
from logrules.model.record import record
from logrules.ruleset.load import CASE_NAME, rule_texts, shipped_rules
from logrules.ruleset.rule_file import RuleText
from logrules.ruletest.case import Case, lines_of
from logrules.ruletest.runner import Test
from logrules.ruletest.suite import Example

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
    found = _Found()
    for path, name in changed.items():
        if path.suffix in {".yaml", ".yml"} and path.name != CASE_NAME and any(map(path.is_relative_to, places)):
            found.add_rule_file(path, _old_text(since, name))
    folders = frozenset(path.parent for path in changed)
    return ChangeImpact(found.everything, frozenset(found.rules), folders, tuple(found.literals))


class _Found:
    """What is known so far of changed rule files."""

    def __init__(self) -> None:
        self.everything = False
        self.rules: set[str] = set()
        self.literals: set[bytes] = set()

    def add_rule_file(self, path: Path, before: bytes | None) -> None:
        """Take in a changed file, as it was and as it is."""
        now = [text.raw for text in rule_texts([path])] if path.exists() else []
        for raw in (*now, *([before] if before is not None else [])):
            self._add(RuleText(str(path), raw))

    def _add(self, text: RuleText) -> None:
        from logrules.ruleset.compile import read_source
        from logrules.ruleset.models import RuleFile

        source, _ = read_source(text)
        file = source.file if source is not None else None
        # Markers, waits, formats and words are everybody's; so is what cannot be read.
        if not isinstance(file, RuleFile) or file.detector or _WORDLESS in (file.when or ""):
            self.everything = True
            return
        self.rules.add(file.id)
        for signal in (*file.signals.values(), *file.with_.values()):
            self.everything = self.everything or signal.in_ is not None
            self.literals |= {literal.encode() for literal in signal.contains}


def changed_files(since: str) -> dict[Path, str]:
    """Every file that differs from the commit ``since`` or is new, with its name in the repository.

    Before the first commit of a repository every file is new.

    Raises LogrulesError where there is no repository or no such commit.
    """
    if since.startswith("-"):
        raise LogrulesError(f"{since}: no such commit")
    root = Path(_git("rev-parse", "--show-toplevel").decode().rstrip("\n"))
    try:
        changed = _changed_since(since)
    except LogrulesError:
        if since != _LATEST or _has_commits():
            raise
        changed = _changed_since(_git("hash-object", "-t", "tree", "--stdin").decode().strip())  # a tree without a file
    new = _git("-C", str(root), "ls-files", "--others", "--exclude-standard", "-z")
    names = [name.decode(errors="surrogateescape") for name in (changed + new).split(b"\0") if name]
    return {(root / name).resolve(): name for name in names}


def _changed_since(since: str) -> bytes:
    return _git("diff", "--name-only", "--no-renames", "-z", since, "--")


def _old_text(since: str, name: str) -> bytes | None:
    """A file as it was at a commit; None where it was not there yet."""
    try:
        return _git("show", f"{since}:{name}")
    except LogrulesError:
        return None


def _has_commits() -> bool:
    try:
        _git("rev-parse", "--verify", "--quiet", _LATEST)
    except LogrulesError:
        return False
    return True


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
