"""Paths to the tests that they hold: the pack to run on, the rule files' own tests, and the cases."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from logrules.errors import PackError
from logrules.pack.load import RuleText, digest_of, rule_texts, shipped_rules
from logrules.pack.pack import Pack
from logrules.proof.case import CASE_NAME, Case, find_cases, read_cases
from logrules.proof.kept import keep_collection, kept_collection, nearest_base
from logrules.proof.suite import Suite

if TYPE_CHECKING:
    from logrules.pack.assemble import Source

# With more changed than this, what is compiled anew is worth keeping.
MAX_PATCHED = 12


@dataclass(frozen=True, slots=True)
class Collection:
    """A pack and what is to be tested on it."""

    pack: Pack
    suite: Suite
    cases: tuple[Case, ...] = ()


def collect(paths: Sequence[str | Path] = (), *, cache: bool = True) -> Collection:
    """The tests at or below the paths, on the shipped rules and those there; without paths, all that is shipped.

    With ``cache`` only what changed since an earlier run is compiled. Raises PackError with every problem found.
    """
    given = [Path(path) for path in paths]
    texts = [*rule_texts([shipped_rules()]), *rule_texts(own_roots(given))]
    pack, suite = _known(texts) if cache else compiled(texts)
    wanted = shown_in(given)
    chosen = suite if wanted is None else suite.within(wanted)
    return Collection(pack, chosen, read_cases(find_cases(given or shipped_cases())))


def compiled(texts: Sequence[RuleText]) -> tuple[Pack, Suite]:
    """The pack that the texts spell and the tests in them; each text is read once. Raises PackError."""
    from logrules.pack.assemble import assemble
    from logrules.pack.compile import read_sources
    from logrules.proof.carried import suite_of

    sources, problems = read_sources(texts)
    pack, faults = assemble(sources, digest_of(texts))
    if pack is None or problems:
        raise PackError((*problems, *faults))
    return pack, suite_of(sources)


def _known(texts: Sequence[RuleText]) -> tuple[Pack, Suite]:
    """The same, kept from an earlier run, or put together from one of which little has changed."""
    found = kept_collection(digest_of(texts)) or _patched(texts)
    if found is None:
        found = compiled(texts)
        keep_collection(texts, *found)
    return found


def _patched(texts: Sequence[RuleText]) -> tuple[Pack, Suite] | None:
    """An earlier pack with the changed rules put anew; None where more than a few rules' contents changed."""
    near = nearest_base(texts)
    if near is None or len(near[1]) > MAX_PATCHED:
        return None
    base, changed = near
    known = kept_collection(base.digest)
    if known is None:
        return None
    from logrules.pack.compile import read_sources
    from logrules.pack.patch import patched
    from logrules.proof.carried import suite_of

    sources, problems = read_sources([text for text in texts if text.shown in changed])
    if problems:
        raise PackError(problems)
    pack, suite = known
    rest = suite.within(frozenset(base.texts) - changed)
    now = suite_of(sources)
    if not _same_rules(sources, suite.within(changed), now, rest):
        return None
    return patched(pack, sources), rest.joined(now)


def _same_rules(sources: "Sequence[Source]", before: Suite, now: Suite, rest: Suite) -> bool:
    """Whether the files hold rules alone, each of the same id as before or of an id that is nobody's."""
    from logrules.pack.schema import RuleFile

    ids = {example.owner for example in now.examples}
    return (
        all(isinstance(source.file, RuleFile) for source in sources)
        and len(ids) == len(sources)
        and {example.owner for example in before.examples} <= ids
        and ids.isdisjoint(example.owner for example in rest.examples)
    )


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
