"""What a misspelt name in a file may have meant."""

from collections.abc import Collection, Sequence

# More names than these nobody reads in a message.
_FEW = 12
# What lists all names of a kind.
LISTED_BY = {
    "cause": "logrules explain --causes",
    "phase": "logrules explain --phases",
    "step": "logrules explain --steps",
}


def near_hint(name: str, known: Collection[str]) -> str | None:
    """The known name that is most like it, as a question; None where none is."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"did you mean `{near[0]}`?" if near else None


def known_hint(name: str, known: Collection[str], listed_by: str | None = None) -> str:
    """What may have been meant: the nearest name, else the command that lists all, else as many as one reads."""
    near = near_hint(name, known)
    if near or listed_by:
        return near or f"see `{listed_by}`"
    return f"known are {listing(sorted(known))}"


def listing(names: Sequence[str]) -> str:
    """The names, as far as anybody reads them."""
    if not names:
        return "none"
    more = f", … ({len(names)} in all)" if len(names) > _FEW else ""
    return ", ".join(names[:_FEW]) + more
