"""Who wrote a file, as far as its name tells."""

from collections.abc import Sequence

from logrules.model.event import Worker, as_rank, whole_number
from logrules.ruleset.pack import NameForm
from logrules.ruleset.pattern import searched

# More digits are a time or a hash, and no process id.
_MAX_DIGITS = 10


def worker_of_name(name: str, forms: Sequence[NameForm]) -> Worker:
    """The worker of a file by its name. Each form may tell a part: the folder the host, the file the rank.

    Of several that tell the same part, the first that fits decides.
    """
    path = name.replace("\\", "/")
    parts: dict[str, str] = {}
    for form in forms:
        found = searched(form.pattern, path)
        if found is not None:
            said = {"role": form.role, **{part: text for part, text in found.groupdict().items() if text}}
            parts = {**{part: text for part, text in said.items() if text}, **parts}
    pid, rank = whole_number(parts.get("pid"), _MAX_DIGITS), as_rank(parts.get("rank"))
    return Worker(name, parts.get("host"), parts.get("role"), pid, rank)
