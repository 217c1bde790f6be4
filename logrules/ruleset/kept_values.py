"""Values of ours in the user's cache folder, as `marshal` writes plain ones: four times as fast to read as JSON.

What is read are numbers, texts, bytes and tuples alone, which `plain_form` builds into our own classes and no others.
"""

import marshal
from typing import TypeVar

from logrules.ruleset.cache_files import keep, kept
from logrules.ruleset.plain_form import from_plain, to_plain

Value = TypeVar("Value")


def file_name(stem: str) -> str:
    """The name of the file in which a value is kept, of this version of its form."""
    return f"{stem}.marshal{marshal.version}"


def keep_value(kind: str, name: str, value: object) -> None:
    """Keep a value for the next start under a name that begins with ``kind``."""
    keep(kind, name, marshal.dumps(to_plain(value)))


def kept_value(name: str, form: type[Value]) -> Value | None:
    """The value that was kept under this name, if it is still one of ``form``."""
    body = kept(name)
    if body is None:
        return None
    try:
        # It is what we wrote, as its owner, its mode and its checksum say.
        found = from_plain(marshal.loads(body))  # noqa: S302
    except (AttributeError, EOFError, ImportError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, form) else None
