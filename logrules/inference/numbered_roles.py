"""Which of several alike processes one is, by the number in its role: EngineCore_DP3, trainer_3, DP1."""

from logrules.model.late_pattern import late_pattern

_NUMBER = late_pattern(r"(?P<stem>.*[A-Za-z_/-])(?P<number>\d{1,5})")
# Compose numbers the replicas of a service from 1, also where the service's own name bears its number.
_ONLY_REPLICA = late_pattern(r"(.*\d)[-_]1")
_KEPT_KINDS = 1_024
_KEPT_NUMBERS = 65_536


class NumberedRoles:
    """The numbers of the roles that wrote, by what stands before them."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, int] | None] = {}
        self._numbers: dict[str, set[int]] = {}

    def see(self, role: str) -> None:
        """Take down a role that wrote a line."""
        if role in self._known or len(self._known) >= _KEPT_NUMBERS:
            return
        parts = self._known[role] = _parts(role)
        if parts is not None and (parts[0] in self._numbers or len(self._numbers) < _KEPT_KINDS):
            self._numbers.setdefault(parts[0], set()).add(parts[1])

    def number_of(self, role: str | None) -> int | None:
        """The number of a role where its kind counts from 0 and has several; one that stands alone may be anything."""
        parts = self._known.get(role) if role is not None else None
        if parts is None:
            return None
        numbers = self._numbers.get(parts[0], set())
        return parts[1] if 0 in numbers and len(numbers) > 1 else None


def _parts(role: str) -> tuple[str, int] | None:
    replica = _ONLY_REPLICA.fullmatch(role)
    found = _NUMBER.fullmatch(replica[1] if replica is not None else role)
    return (found["stem"], int(found["number"])) if found is not None else None
