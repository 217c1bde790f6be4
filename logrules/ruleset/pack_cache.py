"""A compiled pack in the cache, under the digest of all that it was made of; beside it the patterns of all packs."""

from collections.abc import Mapping

from logrules.ruleset.kept_values import keep_value, kept_value
from logrules.ruleset.pack import Pack
from logrules.ruleset.pattern import VERSION, forms_made, let_go_of_stored, use_stored

# A pack has 3,000. Beyond this most are those of rules that were edited since: those in use are kept anew.
MOST_PATTERNS = 10_000


def cached_pack(digest: str) -> Pack | None:
    """The pack that was kept under this digest, or None. No pattern that was kept need be compiled again."""
    use_stored(_kept_patterns())
    found = kept_value("pack", digest, Pack)
    return found if found is not None and found.digest == digest else None


def keep_pack(found: Pack) -> None:
    """Keep a compiled pack, and the patterns that were compiled with it, for the next start."""
    keep_value("pack", found.digest, found)
    keep_patterns()


def keep_patterns() -> None:
    """Keep the patterns that this process compiled itself beside those that were kept before."""
    new = forms_made()
    if new:
        known = _kept_patterns()
        known = {**(known if len(known) + len(new) <= MOST_PATTERNS else {}), **new}
        keep_value("patterns", VERSION, known)
        let_go_of_stored(known)


def _kept_patterns() -> Mapping[str, bytes]:
    return kept_value("patterns", VERSION, dict) or {}
