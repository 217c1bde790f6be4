"""What a fixture case may say: ``case.yaml`` beside the logs it speaks of, or with a live script of its own.

The published schema (``logrules schema case``); imported only while cases are read.
"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, field_validator, model_validator

from logrules.model.report import Status
from logrules.ruleset.models import Duration, Name, Strict

Line = Annotated[str, StringConstraints(max_length=100_000)]
FileName = Annotated[str, StringConstraints(pattern=r"^[^/\\\x00]+$", max_length=255)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=2000)]


class DiagnosisFile(Strict):
    """What one diagnosis must say; what is left out does not matter."""

    rule: str | None = None
    cause: Name | None = None
    phase: str | None = None
    ranks: list[int] | None = None
    hosts: list[str] | None = None
    evidence: str | None = None
    captures: dict[str, str] = Field(default_factory=dict)


class MomentFile(Strict):
    """What must be so at this point of a live script.

    ``raised`` and ``withdrawn`` are rules, or ``waits/<framework>/<wait>``, that began or ceased to hold since
    the last ``expect``; others may have too. ``quietly`` says that nothing was raised and nothing withdrawn.
    ``stall`` names the wait in which the job is stuck, or is false where it must not be stuck.
    """

    status: Status | None = None
    stall: str | Literal[False] | None = None
    raised: list[str] = Field(default_factory=list)
    withdrawn: list[str] = Field(default_factory=list)
    quietly: bool = False
    diagnoses: list[DiagnosisFile] = Field(default_factory=list)
    absent: list[str] = Field(default_factory=list)


class CaseStepFile(Strict):
    """One step of a live script: lines that arrive, a silence, the end, or what must be so now."""

    line: Line | None = None
    lines: Line | None = None
    quiet: Duration | None = None
    end: Literal[True] | None = None
    expect: MomentFile | None = None

    @model_validator(mode="after")
    def _is_one_thing(self) -> "CaseStepFile":
        if len(self.model_fields_set) != 1:
            raise ValueError("a step is one of `line`, `lines`, `quiet`, `end` and `expect`")
        return self


class CaseFile(Strict):
    """Logs of one job and what an expert would say of them.

    ``logs`` are file names in the same folder (default: every ``.log`` and ``.txt``), read as saved logs of one
    job; a ``script`` is a live job on a virtual clock instead. The first diagnosis must name ``cause`` or one
    of ``accept`` and none of ``not``, and show ``evidence``; ``culprit_rank`` is its first rank. A ``healthy``
    case must raise no alarm. ``diagnoses`` are the first diagnoses, in this order; ``absent`` are causes or
    rules that must hold nowhere. ``expected_miss`` gives the reason for which the rules get it wrong today:
    the case then fails once they get it right.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    id: str | None = None
    source: str | None = None
    frameworks: list[Name] = Field(default_factory=list)
    kind: Literal["healthy", "failure", "stall"] | None = None
    phase: str | None = None
    cause: Name | None = None
    accept: list[Name] = Field(default_factory=list)
    not_: list[Name] = Field(default_factory=list, alias="not")
    evidence: str | None = None
    culprit_rank: int | None = None
    fix: str | None = None
    fix_keywords: list[str] = Field(default_factory=list)
    lang: str | None = None
    captured: dict[str, Any] = Field(default_factory=dict)
    logs: list[FileName] = Field(default_factory=list)
    script: list[CaseStepFile] = Field(default_factory=list, max_length=10_000)
    status: Status | None = None
    diagnoses: list[DiagnosisFile] = Field(default_factory=list)
    absent: list[str] = Field(default_factory=list)
    expected_miss: Words | None = None

    @field_validator("accept", "not_", mode="before")
    @classmethod
    def _none_is_nothing(cls, value: object) -> object:
        return [] if value is None else value

    @model_validator(mode="after")
    def _expects_something(self) -> "CaseFile":
        asserts = (self.kind == "healthy", self.cause, self.status, self.diagnoses, self.absent)
        if not any(asserts) and not any(step.expect for step in self.script):
            raise ValueError("expects nothing: give a `cause`, a `status`, `diagnoses`, `absent` or `kind: healthy`")
        return self
