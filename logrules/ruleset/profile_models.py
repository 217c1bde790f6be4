"""What profiles for `--expect` may say: what a healthy run of a recipe shows, in order, and what it does not."""

from typing import Self

from pydantic import Field, model_validator

from logrules.ruleset import models as schema
from logrules.ruleset.bounds import Name


class PathStepFile(schema.Strict):
    """A step of a healthy run: ``lines`` of its own, or ``markers`` that the rules know; any of them will do.

    An ``optional`` step may be left out. ``hint`` says where to look when the step is missing.
    """

    id: Name
    title: schema.TextFile
    lines: schema.SignalFile | None = None
    markers: list[str] = Field(default_factory=list)
    optional: bool = False
    hint: schema.TextFile | None = None

    @model_validator(mode="after")
    def _can_be_seen(self) -> Self:
        if self.lines is None and not self.markers:
            raise ValueError("a step needs `lines` or `markers`")
        return self


class NeverFile(schema.Strict):
    """Lines that a healthy run does not show."""

    id: Name
    title: schema.TextFile
    lines: schema.SignalFile


class ProfileFile(schema.Strict):
    """rules/expect/<recipe>.yaml."""

    expect: Name
    title: schema.TextFile
    steps: list[PathStepFile] = Field(min_length=1)
    never: list[NeverFile] = Field(default_factory=list)
