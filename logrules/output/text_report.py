"""What the brief and the full report on a screen are written with, and how both begin."""

from logrules.model.report import Report, Run, Text
from logrules.output import messages as words
from logrules.output import verdict
from logrules.output.escape import safe
from logrules.output.styled import Page, StyledText


class TextReport:
    """What every text of a report is written with: a page, a language, and a shell for its commands."""

    def __init__(self, page: Page, language: str, shell: str) -> None:
        self._page = page
        self._language = language
        self._shell = shell

    def _put(self, indent: int, *parts: StyledText, hang: int = 0) -> None:
        """A line of (text, style) parts, made harmless: wrapped under its indent on a terminal, whole in a pipe."""
        self._page.put(indent, [(safe(text), style) for text, style in parts], hang)

    def _word(self, text: Text) -> str:
        return text.of(self._language)

    def _label(self, text: Text) -> str:
        return words.LABELLED.of(self._language).format(label=self._word(text))

    def _heading(self, title: Text) -> StyledText:
        return self._label(title).rstrip(), "bold"

    def _put_head(self, report: Report) -> None:
        """One line that says it all; then what was read: logs, lines, how many of the ranks; and what could not be."""
        phase = verdict.phase_in_words(report).of(self._language).format(phase=report.phase)
        said = verdict.headline(report, self._language)
        status = self._word(verdict.status_word(report)), f"bold {verdict.status_color(report)}"
        self._put(0, status, (f"  {phase}", "bold"), *([(f"  {said}", "bold")] if said else []))
        self._put(0, (" · ".join(verdict.facts(report, self._language)), "dim"))
        if report.unread:
            count = len(report.unread)
            partial = self._word(words.PARTIAL).format(unread=count, all=count + len(report.sources))
            self._put(0, (partial, "bold yellow"))

    def _run(self, run: Run) -> str:
        """An earlier run: where, how it ended, of what."""
        cause = f" · {run.cause}" if run.cause else ""
        return f"{run.source}:{run.first_line}-{run.last_line}  {self._word(words.STATUS[run.status])}{cause}"
