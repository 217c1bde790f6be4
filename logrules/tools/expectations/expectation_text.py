"""An expectation for people and for machines."""

from typing import TextIO

from rich.text import Text as Line

from logrules.model.report import Text
from logrules.output.escape import safe
from logrules.output.json_kinds import COUNT, FLAG, LINE, PLAIN, SENTENCE, TEXT, listed, member_of, nullable, shape
from logrules.output.styled import Color, console_on
from logrules.tools.expectations.path_profile import Expectation, Progress, SeenLine, StepSeen

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

_SEEN = shape({"source": TEXT, "line": LINE, "text": TEXT})
_STEP = shape({"id": PLAIN, "title": SENTENCE, "progress": member_of(Progress), "seen": nullable(_SEEN)})
EXPECTATION = shape(
    {
        "profile": PLAIN,
        "met": FLAG,
        "left_at": nullable(PLAIN).made(lambda found, _: found.left_at and found.left_at.id),
        "last_reached": nullable(PLAIN).made(lambda found, _: found.last_reached and found.last_reached.id),
        "steps": listed(_STEP),
        "unwanted": listed(shape({"id": PLAIN, "title": SENTENCE, "count": COUNT, "first": _SEEN})),
    }
)


def render_expectation(found: Expectation, out: TextIO, language: str, color: str = Color.AUTO) -> None:
    """Write the verdict, each step with its first line, and what should not have been there."""
    console = console_on(out, color)
    console.print()
    console.print(Line(f"{_said(found.title, language)}: {_verdict(found, language)}", style="bold"), soft_wrap=True)
    for step in found.steps:
        mark, style = _MARK[step.progress]
        console.print(Line.assemble("  ", (mark, style), f" {_told(step, language)}"), soft_wrap=True)
        if step.hint.en and (step.progress is Progress.MISSING or step is found.left_at):
            console.print(Line(f"      → {_said(step.hint, language)}"), soft_wrap=True)
    for one in found.unwanted:
        said = f"  ✗ {_UNWANTED.of(language)}: {_said(one.title, language)} × {one.count} ({_place(one.first)})"
        console.print(Line(said, style="red"), soft_wrap=True)
        console.print(Line(f"      {safe(one.first.text)}", style="dim"), soft_wrap=True)


def _verdict(found: Expectation, language: str) -> str:
    left, last = found.left_at, found.last_reached
    if left is None:
        return _KEPT.of(language)
    said = _LEFT.of(language).format(step=_said(left.title, language))
    if last is None or last.seen is None:
        return said
    return said + _AFTER.of(language).format(step=_said(last.title, language), place=_place(last.seen))


def _told(step: StepSeen, language: str) -> str:
    early = _EARLY.of(language) if step.progress is Progress.EARLY else ""
    return _said(step.title, language) + (f"  {_place(step.seen)}" if step.seen else "") + early


def _said(text: Text, language: str) -> str:
    """What a profile says: anybody may have written it."""
    return safe(text.of(language))


def _place(seen: SeenLine) -> str:
    return f"{safe(seen.source)}:{seen.line}"
