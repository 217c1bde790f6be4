"""A rule file before anybody has looked into it."""

from pathlib import Path, PurePath

from logrules.model.record import record

# What messages call the folder of the shipped rules.
SHIPPED = "rules"


@record
class RuleText:
    """A rule file as bytes, under the name that messages use; the pack that it came with, and where it is."""

    shown: str
    raw: bytes
    origin: str = ""
    path: Path = Path()

    @property
    def id(self) -> str:
        """What a rule in it is called that does not say: the path below the pack's folder, of two parts at least."""
        parts = PurePath(self.shown).with_suffix("").parts
        below = self.path.relative_to(self.origin) if self.origin and self.path.is_relative_to(self.origin) else None
        if below is not None and len(below.parts) > 1:
            return "/".join(below.with_suffix("").parts)
        return "/".join(parts[1:] if parts[0] == SHIPPED else parts[-2:])
