"""What an exception inherits from, as far as the table of exceptions knows."""

from collections.abc import Iterable, Mapping

from logrules.model.late_pattern import late_pattern
from logrules.model.record import record

_MAX_NAME = 400
_MAX_ANCESTORS = 64
# What a package's own class inherits from at least, where no table says more of it.
_AT_LEAST = ("Exception",)
# ``ray.exceptions.RayTaskError(ValueError)`` is both.
_NAMES = late_pattern(r"[\w.]+")


def class_parts(name: str) -> tuple[str, str]:
    """The package, or nothing, and the last part of a class's name: a class moves within its package."""
    head, _, last = name.rpartition(".")
    return head.partition(".")[0], last


@record
class ExceptionLineage:
    """An exception's own classes and what they inherit from: how far up, and of which package where that is known."""

    names: Mapping[str, tuple[int, str]]

    @classmethod
    def of(cls, printed: str, bases: Mapping[str, tuple[str, ...]]) -> "ExceptionLineage":
        """The lineage of a type as a traceback prints it; ``bases`` maps a class to those that it inherits from."""
        names: dict[str, tuple[int, str]] = {}
        level, distance = _NAMES.findall(printed[:_MAX_NAME])[:4], 0
        while level and len(names) < _MAX_ANCESTORS:
            above: list[str] = []
            for name in level:
                package, last = class_parts(name)
                if last and last not in names:
                    names[last] = (distance, package)
                    above += bases.get(f"{package}.{last}") or bases.get(last) or (_AT_LEAST if package else ())
            level, distance = above, distance + 1
        return cls(names)

    def distance(self, wanted: Iterable[str]) -> int | None:
        """How far up the nearest of the wanted classes is, or None. A package must agree where both name one."""
        found = []
        for name in wanted:
            package, last = class_parts(name)
            distance, of_package = self.names.get(last, (-1, ""))
            if distance >= 0 and (not package or not of_package or package == of_package):
                found.append(distance)
        return min(found, default=None)
