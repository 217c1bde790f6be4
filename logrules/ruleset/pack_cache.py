"""A compiled pack on disk: JSON in the user's cache folder, under the digest of everything it was made of."""

import json

from logrules.model.failure import Stance
from logrules.model.report import Restart, Severity
from logrules.ruleset import condition, pack, tables
from logrules.ruleset.cache_files import keep, kept
from logrules.ruleset.pack import Pack
from logrules.ruleset.plain_json import from_plain, to_plain

_CLASSES: dict[str, type] = {
    name: kind
    for module in (pack, condition, tables)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and kind.__module__ == module.__name__
} | {kind.__name__: kind for kind in (Severity, Restart, Stance)}


def cached_pack(digest: str) -> Pack | None:
    """The pack that was kept under this digest, or None."""
    body = kept(_name(digest))
    if body is None:
        return None
    try:
        found = from_plain(json.loads(body), _CLASSES)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, Pack) and found.digest == digest else None


def keep_pack(found: Pack) -> None:
    """Keep a compiled pack for the next start."""
    body = json.dumps(to_plain(found), ensure_ascii=False, separators=(",", ":")).encode()
    keep("pack", _name(found.digest), body)


def _name(digest: str) -> str:
    return f"pack-{digest[:32]}.json"
