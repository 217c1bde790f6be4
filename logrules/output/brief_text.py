"""The report of one screen: verdict, one reason, the best evidence, the first steps; `--all` has the rest."""

from collections.abc import Iterator, Sequence

from logrules.model.late_pattern import late_pattern
from logrules.model.report import Diagnosis, Evidence, Fix, Report, Risk, Status, Text
from logrules.output import messages as words
from logrules.output import styled, verdict
from logrules.output.escape import safe
from logrules.output.numbers import certainty_in_words
from logrules.output.rank_sentences import declined, grouped, same_of, sentence
from logrules.output.step_layout import HANG, StepLines, fitted, forms_of, height
from logrules.output.styled import StyledText
from logrules.output.text_report import TextReport

MAX_STEPS = 3
MAX_LATER = 2
# What one diagnosis may take of a screen, at 100 columns; the steps get what the rest leaves.
MAX_LINES = 20
_MAX_LINE = 2 * styled.COLUMNS - 20
_MAX_NEAR = styled.COLUMNS - 8
_MAX_WHY = 2 * styled.COLUMNS - 10
_MAX_TITLE = styled.COLUMNS + 60
_HANG = len("> ")
_MAX_NOTES = 2
_MAX_UNUSUAL, _MAX_UNUSUAL_BESIDE = 8, 2
_MAX_TREE = 8
# The last step and the last line.
_MAX_SIGNS = 2
_SAYS_LITTLE = late_pattern(
    r'^File "|Traceback \(most recent call last\)|^terminate called without an active exception'
)
_RAISED = late_pattern(r"\b[A-Za-z]\w*(?:Error|Exception): \S")


class BriefReport(TextReport):
    """Prints one report in one language for one shell, on one screen."""

    def write(self, report: Report) -> None:
        """The verdict, the first diagnosis, one line for each of the next, and what else must be known."""
        self._put_head(report)
        rest = list(self._rest(report))
        if verdict.is_calm(report):
            self._calm(report)
        else:
            # Beside errors that no rule knows, what is merely worth knowing explains nothing.
            whole = [] if verdict.is_beside_the_point(report) else report.diagnoses[:1]
            for one in whole:
                self._diagnosis(one, report, sum(self._page.taken(indent, parts) for indent, parts in rest))
            self._later(report.diagnoses[len(whole) :])
        for indent, parts in rest:
            self._put(indent, *parts)

    def _calm(self, report: Report) -> None:
        """Of a run that is well: its last sign of life, what to do should it be none, what else there was."""
        first, others = report.diagnoses[:1], report.diagnoses[1:]
        if report.status is Status.COMPLETED:
            first, others = (), report.diagnoses
        for one in first:
            self._put(0, (f"{self._word(one.title)} · {one.cause}", verdict.COLOR[one.severity]))
            for indent, parts in _placed(one.evidence[-_MAX_SIGNS:], _MAX_LINE):
                self._put(indent, *parts)
            self._steps(one.fixes, self._forms(one.fixes[:MAX_STEPS]), MAX_LINES, words.IF_UNWELL)
        # What else the same lines may mean is asked of a run that is not well.
        said = {(line.source, line.line) for one in first for line in one.evidence}
        self._later([one for one in others if not said & {(line.source, line.line) for line in one.evidence}])

    def _later(self, diagnoses: Sequence[Diagnosis]) -> None:
        """A line for each of the next, and how many more there are."""
        for one in diagnoses[:MAX_LATER]:
            at = f" ({one.evidence[0].place})" if one.evidence else ""
            title = styled.shortened(self._word(one.title), _MAX_TITLE)
            self._put(0, (f"{self._label(words.ALSO)}{title} · {one.cause}{at}", verdict.COLOR[one.severity]))
        more = len(diagnoses) - MAX_LATER
        if more > 0:
            self._put(0, (self._word(words.MORE).format(count=more), "dim"))

    def _more(self, count: int) -> str:
        """How many more there are, behind what is told."""
        return f"  {self._word(words.MORE_LINES).format(count=count)}" if count else ""

    def _diagnosis(self, one: Diagnosis, report: Report, below: int) -> None:
        """The first diagnosis; ``below`` lines are wanted for what follows."""
        if not verdict.is_explained(report):
            title = f"{self._word(one.title)}{verdict.where(one, self._language)}"
            self._put(0, (title, f"bold {verdict.COLOR[one.severity]}"))
        certainty = certainty_in_words(one, self._language)
        self._put(0, (f"{one.cause} · {certainty} · {self._word(words.EXPLAIN)} {one.rule}", "dim"))
        self._put(0, (self._label(words.WHY), "bold"), (styled.first_sentences(self._word(one.why), _MAX_WHY), ""))
        self._sides(report, one)
        closing = list(self._closing(one))
        most = MAX_LINES - below - sum(self._page.taken(0, parts) for parts in closing)
        steps = self._forms(one.fixes[:MAX_STEPS])
        # Each with the first of what is to be copied, between their heading and how many more there are.
        wished = sum(height(forms[1], self._page.columns) for forms in steps) + 2
        self._evidence(one.evidence, most - wished)
        self._steps(one.fixes, steps, most, words.TRY)
        for parts in closing:
            self._put(0, *parts)

    def _sides(self, report: Report, first: Diagnosis) -> None:
        """In what the ranks differ: the first and most telling difference, and its line; or why nobody is named."""
        if report.comparison is None:
            return
        said = declined(report.comparison, self._language)
        lines: Sequence[Evidence] = ()
        if said is None and report.comparison.differences:
            difference = report.comparison.differences[0]
            said = sentence(difference, self._language)
            shown = {line.place for line in first.evidence}
            lines = [line for line in difference.evidence[:1] if line.place not in shown]
        if said is not None:
            self._put(0, (self._label(words.SIDES), "bold"), (styled.shortened(said, _MAX_WHY), ""))
        for indent, parts in _placed(lines, _MAX_LINE):
            self._put(indent, *parts)

    def _forms(self, fixes: Sequence[Fix]) -> list[Sequence[StepLines]]:
        return [forms_of(number, fix, self._language, self._shell) for number, fix in enumerate(fixes, start=1)]

    def _evidence(self, lines: Sequence[Evidence], most: int) -> None:
        """One place, and how many more there are; its neighbours as far as ``most`` lines of the page allow."""
        if not lines:
            return
        kinds = grouped(lines)
        line, ranks = max(kinds, key=lambda kind: _telling(kind[0]))
        same = same_of(ranks, self._language, lines)
        beside = f"{verdict.who(line)}{verdict.clock(line)}{f'  ({same})' if same else ''}{self._more(len(kinds) - 1)}"
        self._put(0, (line.place, "cyan"), (beside, "dim"))
        told = [("> ", "bold"), (styled.clipped(styled.condensed(line.text), _MAX_LINE), "")]
        left = most - self._page.used - self._page.taken(2, told, _HANG)
        above = _beside(line.before[-1:], line.text)[:left] if left > 0 else []
        below = _beside(line.after[:1], line.text)[: left - len(above)] if left > len(above) else []
        for near in above:
            self._put(4, (near, "dim"))
        self._put(2, *told, hang=_HANG)
        for near in below:
            self._put(4, (near, "dim"))

    def _steps(self, fixes: Sequence[Fix], steps: Sequence[Sequence[StepLines]], most: int, label: Text) -> None:
        """The first ``steps`` of the fixes, as many as fit on a page of ``most`` lines, at least one."""
        if not fixes:
            return
        self._put(0, self._heading(label))
        shown = fitted(steps, most - self._page.used - (len(steps) < len(fixes)), self._page.columns)
        for fix, lines in zip(fixes, shown, strict=False):
            style = "bold red" if fix.risk is Risk.DESTRUCTIVE else ""
            for indent, text, is_copied in lines:
                if is_copied:
                    self._page.put_whole(indent, (safe(text), "bold"))
                else:
                    self._put(indent, (text, style), hang=HANG)
        if len(shown) < len(fixes):
            self._put(2, (self._word(words.MORE_STEPS).format(count=len(fixes) - len(shown)), "dim"))

    def _closing(self, one: Diagnosis) -> Iterator[list[StyledText]]:
        """Restart advice where there is some, and what it brought about."""
        if verdict.is_restart_advised(one):
            restart = self._word(words.RESTART[one.restart])
            yield [(self._label(words.RESTART_WORD), "bold"), (restart, "")]
        if told := verdict.effects_told(one):
            label, effects = told[0]
            first = styled.shortened(self._word(effects[0].title), _MAX_TITLE)
            yield [(f"{self._label(label)}{first}{self._more(len(one.effects) - 1)}", "dim")]

    def _rest(self, report: Report) -> Iterator[tuple[int, Sequence[StyledText]]]:
        """What stands below the diagnoses, with its indent."""
        unusual = verdict.lines_that_help(report)
        if unusual and (report.status is Status.UNEXPLAINED or not report.diagnoses):
            yield 0, [self._heading(verdict.unusual_title(report))]
            # Beside a diagnosis a few are enough to say that there are some.
            most, widest = (_MAX_UNUSUAL_BESIDE, _MAX_NEAR) if report.diagnoses else (_MAX_UNUSUAL, _MAX_LINE)
            yield from _placed(unusual[-most:], widest)
        if steps := verdict.next_steps(report, self._shell):
            yield 0, [self._heading(words.NEXT)]
            for what, command in steps:
                yield 2, [(self._label(what), ""), (command, "bold")]
        if report.earlier_runs:
            more = self._more(len(report.earlier_runs) - 1)
            yield 0, [(f"{self._label(words.EARLIER)}{self._run(report.earlier_runs[-1])}{more}", "dim")]
        if report.stacks is not None:
            yield 0, [self._heading(words.STACKS)]
            for told in (*report.stacks.said, *report.stacks.tree[:_MAX_TREE]):
                yield 2, [(told, "")]
            if len(report.stacks.tree) > _MAX_TREE:
                yield 2, [(self._more(len(report.stacks.tree) - _MAX_TREE).lstrip(), "dim")]
        for note in report.notes[:_MAX_NOTES]:
            yield 0, [(f"{note.source}: {note.note}", "dim")]
        if len(report.notes) > _MAX_NOTES:
            yield 0, [(self._more(len(report.notes) - _MAX_NOTES).lstrip(), "dim")]


def _placed(lines: Sequence[Evidence], columns: int) -> Iterator[tuple[int, Sequence[StyledText]]]:
    """Each line behind its place."""
    for line in lines:
        at = f"{line.place}  "
        yield 2, [(at, "cyan"), (styled.clipped(styled.condensed(line.text), columns - styled.columns_of(at)), "")]


def _beside(lines: Sequence[str], told: str) -> list[str]:
    return [styled.clipped(styled.condensed(line), _MAX_NEAR) for line in lines if styled.says_something(line, told)]


def _telling(line: Evidence) -> int:
    """How much a line says: a frame or a heading of a traceback least, most what was raised, then what gave a value.

    A line of the rule itself says more than any that only stands beside it.
    """
    said = line.text.strip()
    if _SAYS_LITTLE.search(said):
        return 0
    says = 3 if _RAISED.search(said) else 2 if line.captures else 1
    return says if line.beside else says + 3
