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


def near(name: str, known: Collection[str], most: int = 1) -> list[str]:
    """The known names that are most like it, if any are."""
    from difflib import get_close_matches

    return get_close_matches(name, known, n=most)


def near_hint(name: str, known: Collection[str]) -> str | None:
    """The known name that is most like it, as a question; None where none is."""
    return next((f"did you mean `{one}`?" for one in near(name, known)), None)


def known_hint(name: str, known: Collection[str], listed_by: str | None = None) -> str:
    """What may have been meant: the nearest name, else the command that lists all, else as many as one reads."""
    otherwise = f"see `{listed_by}`" if listed_by else f"known are {listing(sorted(known))}"
    return near_hint(name, known) or otherwise


def listing(names: Sequence[str]) -> str:
    """The names, as far as anybody reads them."""
    if not names:
        return "none"
    more = f", … ({len(names)} in all)" if len(names) > _FEW else ""
    return ", ".join(names[:_FEW]) + more
