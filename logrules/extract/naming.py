"""Who wrote a file, as far as its name tells."""

from collections.abc import Sequence

import regex

from logrules.model.event import Worker
from logrules.pack.pack import NameForm

_TIMEOUT_S = 1.0


def worker_of_name(name: str, forms: Sequence[NameForm]) -> Worker:
    """The worker of a file by its name; the first form that fits decides."""
    path = name.replace("\\", "/")
    for form in forms:
        try:
            found = regex.search(form.pattern, path, timeout=_TIMEOUT_S)
        except TimeoutError:
            continue
        if found is not None:
            said = found.groupdict()
            pid, rank = said.get("pid"), said.get("rank")
            role = said.get("role") or form.role
            return Worker(name, said.get("host"), role, int(pid) if pid else None, int(rank) if rank else None)
    return Worker(name)
