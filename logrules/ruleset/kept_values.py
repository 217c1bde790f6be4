"""Values of ours in the user's cache folder, as `marshal` writes plain ones: four times as fast to read as JSON.

What is read are numbers, texts, bytes and tuples alone, which `plain_form` builds into our own classes and no others.
"""

import marshal
from typing import TypeVar

from logrules.ruleset.cache_files import cache_folder, keep, kept
from logrules.ruleset.plain_form import from_plain, to_plain

Value = TypeVar("Value")

_DIGITS = 32
_ENDING = f".marshal{marshal.version}"


def keep_value(kind: str, digest: str, value: object) -> None:
    """Keep a value of a kind for the next start, under the digest of what it was made of."""
    keep(kind, kept_name(kind, digest), marshal.dumps(to_plain(value)))


def kept_value(kind: str, digest: str, form: type[Value]) -> Value | None:
    """The value that was kept under this digest, if it is still one of ``form``."""
    body = kept(kept_name(kind, digest))
    if body is None:
        return None
    try:
        # It is what we wrote, as its owner, its mode and its checksum say.
        found = from_plain(marshal.loads(body))  # noqa: S302
    except (AttributeError, EOFError, ImportError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, form) else None


def kept_name(kind: str, digest: str) -> str:
    """The name of the file in which a value is kept, of this version of its form."""
    return f"{kind}-{digest[:_DIGITS]}{_ENDING}"


def kept_digests(kind: str) -> list[str]:
    """The digests under which values of a kind are kept, as far as names of files tell them."""
    try:
        names = sorted(path.name for path in cache_folder().glob(f"{kind}-*{_ENDING}"))
    except (OSError, RuntimeError):  # no home, or none that we may look into
        return []
    return [name.removeprefix(f"{kind}-").removesuffix(_ENDING) for name in names]
