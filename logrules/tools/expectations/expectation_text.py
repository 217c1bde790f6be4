"""An expectation for people and for machines."""

from typing import Any, TextIO

from rich.console import Console
from rich.text import Text as Line

from logrules.model.report import Text
from logrules.output.escape import safe
from logrules.tools.expectations.expectation import Expectation, Progress, SeenLine, StepSeen

_MARK = {
    Progress.REACHED: ("✓", "green"),
    Progress.MISSING: ("✗", "bold red"),
    Progress.EARLY: ("!", "yellow"),
    Progress.LEFT_OUT: ("-", "dim"),
}
_KEPT = Text("kept to the expected path", "符合预期路径")
_LEFT = Text("left the expected path: `{step}` did not come", "偏离预期路径：没有出现“{step}”")
_AFTER = Text(" after `{step}` ({place})", "，在“{step}”（{place}）之后")
_EARLY = Text(" (only before the step that it should follow)", "（只出现在其前一步之前）")
_UNWANTED = Text("should not be there", "不应出现")


def render_expectation(found: Expectation, out: TextIO, language: str) -> None:
    """Write the verdict, each step with its first line, and what should not have been there."""
    console = Console(file=out, highlight=False, markup=False, emoji=False)
    console.print()
    console.print(Line(f"{found.title.of(language)}: {_verdict(found, language)}", style="bold"), soft_wrap=True)
    for step in found.steps:
        mark, style = _MARK[step.progress]
        console.print(Line.assemble("  ", (mark, style), f" {_told(step, language)}"), soft_wrap=True)
        if step.hint.en and (step.progress is Progress.MISSING or step is found.left_at):
            console.print(Line(f"      → {step.hint.of(language)}"), soft_wrap=True)
    for one in found.unwanted:
        said = f"  ✗ {_UNWANTED.of(language)}: {one.title.of(language)} × {one.count} ({_place(one.first)})"
        console.print(Line(said, style="red"), soft_wrap=True)
        console.print(Line(f"      {safe(one.first.text)}", style="dim"), soft_wrap=True)


def expectation_document(found: Expectation, language: str) -> dict[str, Any]:
    """The expectation as plain data, as the report carries it."""
    left, last = found.left_at, found.last_reached
    return {
        "profile": found.profile,
        "met": found.met,
        "left_at": left.id if left else None,
        "last_reached": last.id if last else None,
        "steps": [
            {"id": step.id, "title": step.title.of(language), "progress": step.progress.value, "seen": _seen(step.seen)}
            for step in found.steps
        ],
        "unwanted": [
            {"id": one.id, "title": one.title.of(language), "count": one.count, "first": _seen(one.first)}
            for one in found.unwanted
        ],
    }


def expectation_schema() -> dict[str, Any]:
    """The schema of `expectation_document`."""
    text, count = {"type": "string"}, {"type": "integer", "minimum": 0}
    name_or_none = {"type": ["string", "null"]}
    place = _object_schema({"source": text, "line": {"type": "integer", "minimum": 1}, "text": text})
    progress = {"enum": [member.value for member in Progress]}
    seen = {"anyOf": [place, {"type": "null"}]}
    step = _object_schema({"id": text, "title": text, "progress": progress, "seen": seen})
    unwanted = _object_schema({"id": text, "title": text, "count": count, "first": place})
    return _object_schema(
        {
            "profile": text,
            "met": {"type": "boolean"},
            "left_at": name_or_none,
            "last_reached": name_or_none,
            "steps": {"type": "array", "items": step},
            "unwanted": {"type": "array", "items": unwanted},
        }
    )


def _object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": list(properties), "properties": properties}


def _verdict(found: Expectation, language: str) -> str:
    left, last = found.left_at, found.last_reached
    if left is None:
        return _KEPT.of(language)
    said = _LEFT.of(language).format(step=left.title.of(language))
    if last is None or last.seen is None:
        return said
    return said + _AFTER.of(language).format(step=last.title.of(language), place=_place(last.seen))


def _told(step: StepSeen, language: str) -> str:
    early = _EARLY.of(language) if step.progress is Progress.EARLY else ""
    return step.title.of(language) + (f"  {_place(step.seen)}" if step.seen else "") + early


def _place(seen: SeenLine) -> str:
    return f"{safe(seen.source)}:{seen.line}"


def _seen(seen: SeenLine | None) -> dict[str, Any] | None:
    return None if seen is None else {"source": safe(seen.source), "line": seen.line, "text": safe(seen.text)}
