"""A compiled pack in the cache, under the digest of all that it was made of; its patterns in a file beside."""

from collections.abc import Mapping

from logrules.ruleset.kept_values import keep_value, kept_value, latest_digest
from logrules.ruleset.pack import Pack
from logrules.ruleset.pattern import (
    VERSION,
    forms_made,
    let_go_of_stored,
    made_so_far,
    stored_so_far,
    use_spare,
    use_stored,
)

# The patterns of one pack, by its digest, as this process last read or wrote them.
_as_kept: dict[str, Mapping[str, bytes]] = {}


def cached_pack(digest: str) -> Pack | None:
    """The pack that was kept under this digest, or None. Patterns that were kept with it need not be compiled again.

    Where there is none, those of the pack that was used last are a start: most files of a pack do not change.
    """
    found = kept_value("pack", digest, Pack)
    if found is None or found.digest != digest:
        if (latest := latest_digest("patterns")) is not None:
            use_spare(_kept_patterns(latest))
        return None
    use_stored(_remembered(digest, _kept_patterns(digest)))
    return found


def keep_pack(found: Pack) -> None:
    """Keep a compiled pack, and the patterns that were compiled with it, for the next start."""
    keep_value("pack", found.digest, found)
    keep_patterns(found.digest)


def keep_patterns(digest: str) -> None:
    """Keep the patterns that this process knows and that were not kept before under the digest of their pack."""
    stored = stored_so_far()
    if digest in _as_kept and _as_kept[digest].keys() >= {*stored, *made_so_far()}:
        return
    known = _kept_patterns(digest)
    # A pack that little sets apart from another one has most of its patterns from there.
    new = {pattern: form for pattern, form in stored.items() if pattern not in known} | forms_made(known)
    if new:
        keep_value("patterns", digest, {"version": VERSION, "patterns": {**known, **new}})
    let_go_of_stored(_remembered(digest, {**known, **new}))


def _kept_patterns(digest: str) -> Mapping[str, bytes]:
    found = kept_value("patterns", digest, dict) or {}
    return found["patterns"] if found.get("version") == VERSION else {}


def _remembered(digest: str, patterns: Mapping[str, bytes]) -> Mapping[str, bytes]:
    _as_kept.clear()
    _as_kept[digest] = patterns
    return patterns
