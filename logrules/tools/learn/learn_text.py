"""What was learned, for people and for programs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from logrules.output.escape import safe
from logrules.output.json_kinds import write_json
from logrules.output.numbers import counted, duration
from logrules.tools.learn.draft_trials import LearnedGroup
from logrules.tools.learn.drafting import question_of

_LINE_CHARS = 160


@dataclass(frozen=True, slots=True)
class Extent:
    """How much was read: jobs, those that nothing explains, healthy ones, and kinds that were left for another time."""

    jobs: int
    unexplained: int
    healthy: int
    more_kinds: int = 0


def render_text(learned: Sequence[LearnedGroup], extent: Extent, out: TextIO) -> None:
    """The kinds of failures with their cost, their line, their draft and their question."""
    kinds = len(learned) + extent.more_kinds
    out.write(
        f"{extent.unexplained} of {counted(extent.jobs, 'job')} failed and nothing explains why"
        f" ({counted(kinds, 'kind')} of failures); {counted(extent.healthy, 'healthy job')} to compare with\n"
    )
    for number, one in enumerate(learned, start=1):
        line = one.group.telling[0]
        out.write(f"\n{number}. {_cost(one)}\n   {safe(line.path)}:{line.line}  {safe(line.text[:_LINE_CHARS])}\n")
        out.writelines(f"   {text}\n" for text in _outcome(one))
    if extent.more_kinds:
        out.write(f"\n{counted(extent.more_kinds, 'further kind')}: --most shows more\n")


def _cost(one: LearnedGroup) -> str:
    about = one.group.about
    cost = f"lost {duration(about.lost_s)}" if about.lost_s else ""
    if about.lost_gpu_hours:
        cost += f" · {about.lost_gpu_hours:.1f} GPU-hours"
    news = "new" if about.new else "back" if about.back else ""
    return " · ".join(part for part in (about.name, counted(about.troubled, "job"), cost, news) if part)


def _outcome(one: LearnedGroup) -> Iterable[str]:
    if one.known_by:
        yield f"the draft {one.known_by} knows it too"
    elif one.draft is None:
        yield f"no draft: {safe(one.why_none)}"
    else:
        others = len(one.proof.fires_on - one.paths)
        more = f", and on {counted(others, 'other failed job')}" if others else ""
        known = f"{len(one.paths & one.proof.fires_on)} of {len(one.paths)}"
        yield f"draft {one.draft.file}: fires on {known}{more}; on no healthy log"
        yield f"question: {safe(question_of(one.group))}"


def render_json(learned: Sequence[LearnedGroup], extent: Extent, out: TextIO) -> None:
    """One document with all of it, the drafts' texts included."""
    document = {
        "jobs": extent.jobs,
        "unexplained": extent.unexplained,
        "healthy": extent.healthy,
        "more_kinds": extent.more_kinds,
        "kinds": [_document(one) for one in learned],
    }
    write_json(document, out)


def _document(one: LearnedGroup) -> dict[str, Any]:
    about, line = one.group.about, one.group.telling[0]
    return {
        "fingerprint": about.name,
        "jobs": [safe(job.job.name) for job in one.group.jobs],
        "lost_s": about.lost_s,
        "lost_gpu_hours": about.lost_gpu_hours,
        "first": about.first,
        "last": about.last,
        "new": about.new,
        "back": about.back,
        "line": {"path": safe(line.path), "line": line.line, "text": safe(line.text)},
        "question": safe(question_of(one.group)),
        "rule": one.draft.rule if one.draft else None,
        "file": one.draft.file if one.draft else None,
        "draft": one.draft.text if one.draft else None,
        "fires_on": sorted(map(safe, one.proof.fires_on)),
        "known_by": one.known_by or None,
        "why_none": safe(one.why_none) or None,
    }
