"""A report to paste into an issue: short, with the details folded."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TextIO

from logrules.model.report import Diagnosis, Evidence, Fix, Report, Text
from logrules.output import messages as words
from logrules.output import verdict
from logrules.output.escape import safe
from logrules.output.numbers import certainty_in_words
from logrules.output.rank_sentences import coverage, sentences
from logrules.output.shell import copyables

SHOWN = 3
_MAX_LINE = 400
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#+|~!&])")
# GitHub and GitLab look for people, issues and addresses in the text that they have rendered, where no backslash is
# left; an empty comment within parts them.
_LIVE = re.compile(r"@|#(?=\w)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
_DETAILS = Text("evidence and fixes", "证据与建议")


def render_markdown(report: Report, out: TextIO, language: str, shell: str = "bash") -> None:
    """Write the report as Markdown. Log text stands in fences that it cannot close, or escaped."""
    said = verdict.headline(report, language)
    phase = verdict.phase_in_words(report).of(language).format(phase=report.phase)
    status = verdict.status_word(report).of(language)
    out.write(f"**{status}** · {phase}{f': {escaped(said)}' if said else ''}\n")
    out.writelines(f"\n{line}\n" for line in _sides(report, language))
    shown = () if verdict.is_beside_the_point(report) else report.diagnoses[:SHOWN]
    out.writelines("\n" + "\n".join(_diagnosis(one, language, shell)) + "\n" for one in shown)
    if not shown and (unusual := verdict.lines_that_help(report)):
        out.write(f"\n{verdict.unusual_title(report).of(language)}:\n\n{_fenced(unusual)}\n")


def _sides(report: Report, language: str) -> Iterator[str]:
    """How many ranks were seen, and how they differ."""
    if report.comparison is None:
        return
    if not report.comparison.differences and report.comparison.spread_s is None:
        return
    differences = "".join(f"\n- {escaped(text.of(language))}" for text, _ in sentences(report.comparison))
    seen = escaped(coverage(report.comparison, language))
    yield f"{words.SIDES.of(language)} ({seen}){':' if differences else ''}{differences}"


def escaped(text: str) -> str:
    """Text in which nothing is markup or a link, and nobody is mentioned."""
    return _LIVE.sub(r"\g<0><!-- -->", _SPECIAL.sub(r"\\\1", safe(text)))


def _fence_for(text: str) -> str:
    """A fence that the text cannot close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    return "`" * max(3, longest + 1)


def _diagnosis(one: Diagnosis, language: str, shell: str) -> Iterator[str]:
    facts = f"`{one.cause}` · {certainty_in_words(one, language)} · `{one.rule}`"
    title = f"{escaped(one.title.of(language))}{verdict.where(one, language, escaped)}"
    yield f"### {title}\n\n{facts}\n\n{escaped(one.why.of(language))}"
    if not (one.evidence or one.fixes or one.effects):
        return
    yield f"\n<details><summary>{_DETAILS.of(language)}</summary>\n"
    if one.evidence:
        yield f"{_fenced(one.evidence)}\n"
    for number, fix in enumerate(one.fixes, start=1):
        yield from _fix(number, fix, language, shell)
    for label, effects in verdict.effects_told(one):
        named = "; ".join(escaped(other.title.of(language)) for other in effects)
        yield f"\n{label.of(language)}: {named}"
    yield "\n</details>"


def _fix(number: int, fix: Fix, language: str, shell: str) -> Iterator[str]:
    risk = words.RISK[fix.risk].of(language)
    yield f"{number}. {escaped(fix.do.of(language))} *({risk})*"
    text = "\n".join(map(safe, chain.from_iterable(copyables(fix, shell))))
    if text:
        fence = _fence_for(text)
        yield "\n".join(f"   {line}" for line in (f"{fence}", *text.splitlines(), fence))


def _fenced(lines: Sequence[Evidence]) -> str:
    text = "\n".join(safe(f"{line.place}: {line.text[:_MAX_LINE]}") for line in lines)
    fence = _fence_for(text)
    return f"{fence}text\n{text}\n{fence}"
