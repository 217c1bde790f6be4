"""A rule file before anybody has looked into it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule file as bytes, under the name that messages use; the pack that it came with, and where it is."""

    shown: str
    raw: bytes
    origin: str = ""
    path: Path = Path()
