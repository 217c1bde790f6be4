"""What profiles for `--expect` may say: what a healthy run of a recipe shows, in order, and what it does not."""

from typing import Annotated

from pydantic import Field

from logrules.model.record import keyed_record
from logrules.ruleset import models as schema
from logrules.ruleset.bounds import Name


@keyed_record
class PathStepFile:
    """A step of a healthy run: ``lines`` of its own, or ``markers`` that the rules know; any of them will do.

    An ``optional`` step may be left out. ``hint`` says where to look when the step is missing.
    """

    id: Name
    title: schema.TextFile
    lines: schema.SignalFile | None = None
    markers: tuple[str, ...] = ()
    optional: bool = False
    hint: schema.TextFile | None = None

    def __post_init__(self) -> None:
        if self.lines is None and not self.markers:
            raise ValueError("a step needs `lines` or `markers`")


@keyed_record
class NeverFile:
    """Lines that a healthy run does not show."""

    id: Name
    title: schema.TextFile
    lines: schema.SignalFile


@keyed_record
class ProfileFile:
    """rules/expect/<recipe>.yaml."""

    expect: Name
    title: schema.TextFile
    steps: Annotated[tuple[PathStepFile, ...], Field(min_length=1)]
    never: tuple[NeverFile, ...] = ()
