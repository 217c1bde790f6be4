"""Paths to the tests that they hold: the pack to run on, the rule files' own tests, and the cases."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from logrules.errors import PackError
from logrules.pack.load import RuleText, digest_of, rule_texts, shipped_rules
from logrules.pack.pack import Pack
from logrules.proof.case import CASE_NAME, Case, find_cases, read_cases
from logrules.proof.suite import Suite, suite_of


@dataclass(frozen=True, slots=True)
class Collection:
    """A pack and what is to be tested on it."""

    pack: Pack
    suite: Suite
    cases: tuple[Case, ...] = ()


def collect(paths: Sequence[str | Path] = ()) -> Collection:
    """The tests at or below the paths, on the shipped rules and those there; without paths, all that is shipped.

    Raises PackError with every problem found.
    """
    given = [Path(path) for path in paths]
    pack, suite = compiled([*rule_texts([shipped_rules()]), *rule_texts(own_roots(given))], shown_in(given))
    return Collection(pack, suite, read_cases(find_cases(given or shipped_cases())))


def compiled(texts: Sequence[RuleText], wanted: frozenset[str] | None = None) -> tuple[Pack, Suite]:
    """The pack that the texts spell and the tests in them, or in the ``wanted`` ones; each text is read once."""
    from logrules.pack.assemble import assemble
    from logrules.pack.compile import read_sources

    sources, problems = read_sources(texts)
    pack, faults = assemble(sources, digest_of(texts))
    if pack is None or problems:
        raise PackError((*problems, *faults))
    chosen = [source for source in sources if wanted is None or source.document.path in wanted]
    return pack, suite_of(chosen)


def own_roots(paths: Iterable[Path]) -> list[Path]:
    """The paths that hold rules beyond the shipped ones."""
    return [path for path in paths if path.name != CASE_NAME and not _shipped(path)]


def shown_in(paths: Sequence[Path]) -> frozenset[str] | None:
    """The names of the rule files at or below the paths; None, for all, where no path is given."""
    if not paths:
        return None
    root = shipped_rules()
    inside = [path.resolve() for path in paths if _shipped(path)]
    found = {text.shown for text in rule_texts(own_roots(paths))}
    found |= {
        str(Path(root.name) / path.relative_to(root))
        for path in root.resolve().rglob("*.y*ml")
        if any(path.is_relative_to(one) for one in inside)
    }
    return frozenset(found)


def _shipped(path: Path) -> bool:
    return path.exists() and path.resolve().is_relative_to(shipped_rules().resolve())


def shipped_cases() -> list[Path]:
    """The folder of cases beside the rules, in a checkout."""
    found = shipped_rules().parent / "fixtures"
    return [found] if found.is_dir() else []
