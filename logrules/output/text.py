"""The report for a terminal: the verdict first, then each diagnosis; plain and unwrapped in a pipe."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TextIO

from logrules.model.report import Comparison, Diagnosis, Evidence, Fix, Report, Risk, Severity, Status, Text
from logrules.output import messages as words
from logrules.output.escape import safe
from logrules.output.numbers import ranks_in_words
from logrules.output.rank_sentences import coverage, declined, grouped, same_of, sentence
from logrules.output.shell import commands
from logrules.output.styled import Page, Part, page_on

SHOWN = 3
_MAX_LINE = 400
_COLOR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}
_STATUS_COLOR = {Status.FAILED: "red", Status.STALLED: "yellow"}


def render_text(report: Report, out: TextIO, language: str, shell: str, *, all_diagnoses: bool = False) -> None:
    """Write the report for people to ``out``. ``NO_COLOR`` is respected; what is no terminal gets no colour."""
    page = ReportPage(page_on(out), language, shell)
    page.verdict(report)
    shown = report.diagnoses if all_diagnoses else report.diagnoses[:SHOWN]
    for number, diagnosis in enumerate(shown, start=1):
        page.diagnosis(number, diagnosis, report.comparison if number == 1 else None)
    page.rest(report, len(shown))


class ReportPage:
    """Prints one report in one language for one shell."""

    def __init__(self, page: Page, language: str, shell: str) -> None:
        self._page = page
        self._language = language
        self._shell = shell

    def _put(self, indent: int, *parts: Part) -> None:
        """A line of (text, style) parts: wrapped under its indent on a terminal, whole in a pipe."""
        self._page.put(indent, [(safe(text), style) for text, style in parts])

    def _blank(self) -> None:
        self._page.put(0, [])

    def _word(self, text: Text) -> str:
        return text.of(self._language)

    def verdict(self, report: Report) -> None:
        """One line that says it all."""
        first = report.diagnoses[0] if report.diagnoses else None
        parts = [(self._word(words.STATUS[report.status]), f"bold {_STATUS_COLOR.get(report.status, 'green')}")]
        parts.append((f"  {self._word(words.IN_PHASE).format(phase=report.phase)}", "bold"))
        if first is not None and report.status in _STATUS_COLOR:
            parts.append((f"  {first.title.of(self._language)}{self._where(first)}", "bold"))
        self._put(0, *parts)
        sources = ", ".join(report.sources[:3]) + (" …" if len(report.sources) > 3 else "")  # noqa: PLR2004
        self._put(0, (f"{sources} · {report.lines:,} {self._word(words.LINES)}", "dim"))
        if report.unread:
            count = len(report.unread)
            said = self._word(words.PARTIAL).format(unread=count, all=count + len(report.sources))
            self._put(0, (said, "bold yellow"))
        if report.comparison is not None:
            self._put(0, (coverage(report.comparison, self._language), "dim"))
        path = [span.phase for span in sorted(report.timeline, key=lambda span: (span.source, span.first_line))]
        phases = list(dict.fromkeys(path))
        if len(phases) > 1:
            self._put(0, (f"{self._word(words.PATH)}: {' → '.join(phases)}", "dim"))

    def _where(self, one: Diagnosis) -> str:
        ranks = f" · {self._word(words.RANK)} {ranks_in_words(one.ranks)}" if one.ranks else ""
        return ranks + (f" · {self._word(words.HOST)} {one.hosts[0]}" if one.hosts else "")

    def diagnosis(self, number: int, one: Diagnosis, sides: Comparison | None = None) -> None:
        """Phase, cause, rank, evidence, reason, how the ranks differ, fixes, consequences."""
        self._blank()
        title = f"{number}. {one.title.of(self._language)}"
        self._put(0, (title, f"bold {_COLOR[one.severity]}"))
        facts = [
            self._word(words.SEVERITY[one.severity]),
            one.cause,
            self._word(words.IN_PHASE).format(phase=one.phase),
            f"{self._word(words.CONFIDENCE)} {one.confidence:.0%}",
        ]
        self._put(3, (" · ".join(facts) + self._where(one), "dim"))
        self._put(3, (f"{self._word(words.WHY)}: ", "bold"), (one.why.of(self._language), ""))
        self._evidence(one.evidence)
        if sides is not None:
            self._sides(sides)
        self._put(3, (f"{self._word(words.FIXES)}:", "bold"))
        for place, fix in enumerate(one.fixes, start=1):
            self._fix(place, fix)
        self._put(3, (f"{self._word(words.RESTART_WORD)}: ", "bold"), (self._word(words.RESTART[one.restart]), ""))
        if one.checks:
            self._put(3, (f"{self._word(words.CONFIRM)} {','.join(one.checks)}", "dim"))
        if one.consequences:
            self._put(3, (f"{self._word(words.CONSEQUENCES)}:", "bold"))
            for other in one.consequences:
                at = f" ({_place(other.evidence[0])})" if other.evidence else ""
                self._put(5, (f"- {other.title.of(self._language)}{at}", "dim"))
        self._put(3, (f"{self._word(words.EXPLAIN)} {one.rule}", "dim"))

    def _evidence(self, lines: Sequence[Evidence]) -> None:
        if not lines:
            return
        self._put(3, (f"{self._word(words.EVIDENCE)}:", "bold"))
        for place, alike in enumerate(grouped(lines)):
            line, same = alike.line, same_of(alike, self._language)
            self._put(5, (_place(line), "cyan"), (f"  {line.worker}", "dim"), (_clock(line.time), "dim"))
            # The first line is worth its surroundings; the others would only repeat the log.
            before, after = (line.before, line.after) if place == 0 else ((), ())
            for near in before:
                self._put(7, (f"  {near[:_MAX_LINE]}", "dim"))
            self._put(7, ("> ", "bold"), (line.text[:_MAX_LINE], ""))
            for near in after:
                self._put(7, (f"  {near[:_MAX_LINE]}", "dim"))
            if same:
                self._put(7, (f"({same})", "dim"))

    def _sides(self, sides: Comparison) -> None:
        """How the ranks differ, each with a line of either side; or why nobody is named."""
        why_not = declined(sides, self._language)
        if why_not is None and not sides.differences:
            return
        self._put(3, (f"{self._word(words.SIDES)}:", "bold"))
        if why_not is not None:
            self._put(5, (why_not, ""))
        for one in sides.differences:
            self._put(5, (f"- {sentence(one, self._language)}", ""))
            for line in one.evidence:
                self._put(7, (_place(line), "cyan"), (f"  {line.worker}  ", "dim"), (line.text[:_MAX_LINE], ""))

    def _fix(self, place: int, fix: Fix) -> None:
        style = "bold red" if fix.risk is Risk.DESTRUCTIVE else ""
        risk = f"  [{self._word(words.RISK[fix.risk])}]"
        self._put(5, (f"{place}. {words.MARK_OF_RISK[fix.risk]}{fix.do.of(self._language)}", style), (risk, "dim"))
        for text in _copyables(fix, self._shell):
            self._page.put_whole(8, (safe(text), "bold"))
        if fix.note:
            self._put(8, (fix.note.of(self._language), "dim"))

    def rest(self, report: Report, shown: int) -> None:
        """What else a reader should know."""
        more = len(report.diagnoses) - shown
        if more > 0:
            self._put(0, ("", ""))
            self._put(0, (self._word(words.MORE).format(count=more), "dim"))
        if report.unusual:
            self._blank()
            self._put(0, (f"{self._word(words.UNUSUAL)}:", "bold"))
            for line in report.unusual:
                self._put(3, (f"{_place(line)}  ", "cyan"), (line.text[:_MAX_LINE], ""))
        if report.earlier_runs:
            self._blank()
            self._put(0, (f"{self._word(words.EARLIER)}:", "bold"))
            for run in report.earlier_runs:
                cause = f" · {run.cause}" if run.cause else ""
                at = f"{run.source}:{run.first_line}-{run.last_line}"
                self._put(3, (f"{at}  {self._word(words.STATUS[run.status])}{cause}", "dim"))
        if report.notes:
            self._blank()
            self._put(0, (f"{self._word(words.NOTES)}:", "bold"))
            for note in report.notes:
                self._put(3, (f"{note.source}: {note.note}", "dim"))


def _copyables(fix: Fix, shell: str) -> Iterator[str]:
    yield from commands(fix, shell)
    yield from fix.flags
    yield from (f"{name}: {value}" for name, value in fix.config.items())
    if fix.code:
        yield from fix.code.rstrip().splitlines()


def _place(line: Evidence) -> str:
    return f"{line.source}:{line.line}"


def _clock(time: float | None) -> str:
    if time is None:
        return ""
    try:
        return f"  {datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M:%S}"
    except (OverflowError, ValueError, OSError):
        return ""
