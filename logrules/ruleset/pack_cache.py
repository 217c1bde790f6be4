"""A compiled pack in the user's cache folder, under the digest of everything it was made of; patterns in a file beside.

They are kept as `marshal` writes plain values, four times as fast to read as JSON: numbers, texts and tuples alone,
which `plain_form` builds into our own classes and no others.
"""

import marshal
from collections.abc import Mapping
from typing import Any

from logrules.ruleset.cache_files import keep, kept
from logrules.ruleset.pack import Pack
from logrules.ruleset.pattern import VERSION, compiled_so_far, stored_form, stored_so_far, use_stored
from logrules.ruleset.plain_form import from_plain, to_plain


def cached_pack(digest: str) -> Pack | None:
    """The pack that was kept under this digest, or None. Patterns that were kept with it need not be compiled again."""
    try:
        found = from_plain(_read(pack_name(digest)))
    except (AttributeError, ImportError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(found, Pack) or found.digest != digest:
        return None
    use_stored(_kept_patterns(digest))
    return found


def keep_pack(found: Pack) -> None:
    """Keep a compiled pack, and the patterns that were compiled with it, for the next start."""
    keep("pack", pack_name(found.digest), marshal.dumps(to_plain(found)))
    keep_patterns(found.digest)


def keep_patterns(digest: str) -> None:
    """Keep the patterns that this process knows and that were not kept before under the digest of their pack."""
    known = _kept_patterns(digest)
    # A pack that was put together from another one has most of its patterns from there.
    new = {pattern: form for pattern, form in stored_so_far().items() if pattern not in known}
    for pattern, made in compiled_so_far().items():
        if pattern not in known and (form := stored_form(made)) is not None:
            new[pattern] = form
    if new:
        keep("patterns", _patterns_name(digest), marshal.dumps({"version": VERSION, "patterns": {**known, **new}}))


def pack_name(digest: str) -> str:
    """The name of the file in which a pack is kept."""
    return f"pack-{digest[:32]}.marshal{marshal.version}"


def _patterns_name(digest: str) -> str:
    return f"patterns-{digest[:32]}.marshal{marshal.version}"


def _kept_patterns(digest: str) -> Mapping[str, bytes]:
    try:
        plain = _read(_patterns_name(digest))
        return dict(plain["patterns"]) if plain["version"] == VERSION else {}
    except (ValueError, KeyError, TypeError):
        return {}


def _read(name: str) -> Any:
    """The plain value in a file of the cache. Raises ValueError where there is none."""
    body = kept(name)
    if body is None:
        raise ValueError(f"{name} is not kept")
    try:
        return marshal.loads(body)  # noqa: S302 (it is what we wrote, as its owner, its mode and its checksum say)
    except EOFError as fault:
        raise ValueError(str(fault)) from None
