"""The report for people: one screen, or each diagnosis with all its evidence, steps and consequences."""

from collections.abc import Sequence
from itertools import chain
from typing import TextIO

from logrules.model.report import Comparison, Diagnosis, Evidence, Fix, Report, Risk, Text
from logrules.output import messages as words
from logrules.output import verdict
from logrules.output.brief_text import BriefReport
from logrules.output.escape import safe
from logrules.output.numbers import certainty_in_words
from logrules.output.rank_sentences import declined, grouped, same_of, sentence
from logrules.output.shell import copyables
from logrules.output.styled import Color, StyledText, page_on
from logrules.output.text_report import TextReport

_MAX_LINE = 400


def render_text(
    report: Report, out: TextIO, language: str, shell: str, *, all_diagnoses: bool = False, color: str = Color.AUTO
) -> None:
    """Write the report for people to ``out``."""
    form = FullReport if all_diagnoses else BriefReport
    form(page_on(out, color), language, shell).write(report)


class FullReport(TextReport):
    """Prints one report in one language for one shell."""

    def write(self, report: Report) -> None:
        """The verdict, every diagnosis, and what else a reader should know."""
        self._put_head(report)
        for number, one in enumerate(report.diagnoses, start=1):
            self._diagnosis(number, one, report.comparison if number == 1 else None)
        self._rest(report)

    def _diagnosis(self, number: int, one: Diagnosis, sides: Comparison | None) -> None:
        """Phase, cause, rank, evidence, reason, how the ranks differ, fixes, consequences."""
        self._put(0)
        self._put(0, (f"{number}. {self._word(one.title)}", f"bold {verdict.COLOR[one.severity]}"))
        facts = [
            self._word(words.SEVERITY[one.severity]),
            one.cause,
            self._word(words.IN_PHASE).format(phase=one.phase),
            certainty_in_words(one, self._language),
        ]
        self._put(3, (" · ".join(facts) + verdict.where(one, self._language), "dim"))
        self._put(3, (self._label(words.WHY), "bold"), (self._word(one.why), ""))
        self._evidence(one.evidence)
        if sides is not None:
            self._sides(sides)
        if one.fixes:
            self._put(3, self._heading(words.FIXES))
        for number_of_fix, fix in enumerate(one.fixes, start=1):
            self._fix(number_of_fix, fix)
        if verdict.is_restart_advised(one):
            self._put(3, (self._label(words.RESTART_WORD), "bold"), (self._word(words.RESTART[one.restart]), ""))
        if one.checks:
            self._put(3, (f"{self._word(words.CONFIRM)} {','.join(one.checks)}", "dim"))
        for label, effects in verdict.effects_told(one):
            self._put(3, self._heading(label))
            for other in effects:
                at = f" ({other.evidence[0].place})" if other.evidence else ""
                self._put(5, (f"- {self._word(other.title)}{at}", "dim"))
        self._put(3, (f"{self._word(words.EXPLAIN)} {one.rule}", "dim"))

    def _evidence(self, lines: Sequence[Evidence]) -> None:
        if not lines:
            return
        self._put(3, self._heading(words.EVIDENCE))
        for number, (line, ranks) in enumerate(grouped(lines)):
            same = same_of(ranks, self._language, lines)
            self._put(5, (line.place, "cyan"), (verdict.who(line), "dim"), (verdict.clock(line), "dim"))
            # The first line is worth its surroundings; the others would only repeat the log.
            before, after = (line.before, line.after) if number == 0 else ((), ())
            for near in before:
                self._put(7, (f"  {near[:_MAX_LINE]}", "dim"))
            self._put(7, ("> ", "bold"), (line.text[:_MAX_LINE], ""), hang=2)
            for near in after:
                self._put(7, (f"  {near[:_MAX_LINE]}", "dim"))
            if same:
                self._put(7, (f"({same})", "dim"))

    def _sides(self, sides: Comparison) -> None:
        """How the ranks differ, each with a line of either side; or why nobody is named."""
        why_not = declined(sides, self._language)
        if why_not is None and not sides.differences:
            return
        self._put(3, self._heading(words.SIDES))
        if why_not is not None:
            self._put(5, (why_not, ""))
        for one in sides.differences:
            self._put(5, (f"- {sentence(one, self._language)}", ""))
            for line in one.evidence:
                self._put(7, (line.place, "cyan"), (f"{verdict.who(line)}  ", "dim"), (line.text[:_MAX_LINE], ""))

    def _fix(self, number: int, fix: Fix) -> None:
        style = "bold red" if fix.risk is Risk.DESTRUCTIVE else ""
        risk = f"  [{self._word(words.RISK[fix.risk])}]"
        self._put(5, (f"{number}. {words.MARK_OF_RISK[fix.risk]}{self._word(fix.do)}", style), (risk, "dim"), hang=3)
        for text in chain.from_iterable(copyables(fix, self._shell)):
            self._page.put_whole(8, (safe(text), "bold"))
        if fix.note:
            self._put(8, (self._word(fix.note), "dim"))

    def _rest(self, report: Report) -> None:
        """What else a reader should know."""
        lines = [[(f"{line.place}  ", "cyan"), (line.text[:_MAX_LINE], "")] for line in report.unusual]
        self._section(verdict.unusual_title(report), lines)
        steps = verdict.next_steps(report, self._shell)
        self._section(words.NEXT, [[(self._label(what), ""), (command, "bold")] for what, command in steps])
        self._section(words.EARLIER, [[(self._run(run), "dim")] for run in report.earlier_runs])
        if report.stacks is not None:
            self._section(words.STACKS, [[(told, "")] for told in (*report.stacks.said, *report.stacks.tree)])
        self._section(words.NOTES, [[(f"{note.source}: {note.note}", "dim")] for note in report.notes])

    def _section(self, title: Text, lines: Sequence[Sequence[StyledText]]) -> None:
        if lines:
            self._put(0)
            self._put(0, self._heading(title))
            for parts in lines:
                self._put(3, *parts)
