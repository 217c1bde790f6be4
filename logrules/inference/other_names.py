"""What captured values are called elsewhere: the distribution that brings a module."""

from collections.abc import Iterable, Mapping

from logrules.ruleset.tables import OtherName


def with_other_names(captures: Mapping[str, str], names: Iterable[OtherName]) -> dict[str, str]:
    """The captures, and beside each whose value has another name that name."""
    others = {one.id: _other(captures[one.of], one) for one in names if captures.get(one.of)}
    return {**{name: value for name, value in others.items() if value is not None}, **captures}


def _other(value: str, name: OtherName) -> str | None:
    part, dot = value, "."
    while dot:
        if part in name.names:
            return name.names[part]
        part, dot, _ = part.rpartition(".")
    return value.partition(".")[0] if name.or_itself else None
