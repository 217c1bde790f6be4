"""The report of one screen: verdict, one reason, the best evidence, the first steps; `--all` has the rest."""

import re
from collections.abc import Iterator, Sequence

from logrules.model.report import Diagnosis, Evidence, Fix, Report, Risk, Status, Text
from logrules.output import messages as words
from logrules.output.certainty_words import certainty_in_words
from logrules.output.display_width import clipped, columns_of, lines_taken
from logrules.output.escape import safe
from logrules.output.rank_sentences import declined, grouped, same_of, sentence
from logrules.output.styled import Page, StyledText
from logrules.output.text_parts import (
    COLOR,
    clock,
    copyables,
    is_explained,
    is_restart_advised,
    place,
    put,
    put_coverage,
    put_verdict,
    where,
    who,
)

MAX_STEPS = 3
MAX_LATER = 2
# What one diagnosis may take of a screen, at 100 columns; the steps get what the rest leaves.
MAX_LINES = 20
COLUMNS = 100
_MAX_LINE = 2 * COLUMNS - 20
_MAX_NEAR = COLUMNS - 8
_MAX_WHY = 2 * COLUMNS - 10
_MAX_DO = 2 * COLUMNS - 40
_MAX_COPYABLES = 2
_MAX_NOTES = 2
_MAX_TREE = 8
_MAX_UNUSUAL = 8
_FRAME = re.compile(r'File "|Traceback \(most recent call last\)')
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


class BriefReport:
    """Prints one report in one language for one shell, on one screen."""

    def __init__(self, page: Page, language: str, shell: str) -> None:
        self._page = page
        self._language = language
        self._shell = shell
        self._used = 0

    def write(self, report: Report) -> None:
        """The verdict, the first diagnosis, one line for each of the next, and what else must be known."""
        put_verdict(self._page, report, self._language)
        put_coverage(self._page, report, self._language)
        self._used = 2 + bool(report.unread)
        if report.diagnoses:
            self._diagnosis(report.diagnoses[0], report)
        for one in report.diagnoses[1 : 1 + MAX_LATER]:
            self._later(one)
        more = len(report.diagnoses) - 1 - MAX_LATER
        if more > 0:
            self._put(0, (self._word(words.MORE).format(count=more), "dim"))
        self._rest(report)

    def _put(self, indent: int, *parts: StyledText) -> None:
        put(self._page, indent, *parts)
        self._used += lines_taken(indent, "".join(text for text, _ in parts), COLUMNS)

    def _word(self, text: Text) -> str:
        return text.of(self._language)

    def _label(self, text: Text) -> str:
        return words.LABELLED.of(self._language).format(label=self._word(text))

    def _diagnosis(self, one: Diagnosis, report: Report) -> None:
        if not is_explained(report):
            title = f"{self._word(one.title)}{where(one, self._language)}"
            self._put(0, (title, f"bold {COLOR[one.severity]}"))
        certainty = certainty_in_words(one, self._language)
        self._put(0, (f"{one.cause} · {certainty} · {self._word(words.EXPLAIN)} {one.rule}", "dim"))
        self._put(0, (self._label(words.WHY), "bold"), (first_sentences(self._word(one.why), _MAX_WHY), ""))
        self._sides(report)
        self._evidence(one.evidence)
        closing = list(self._closing(one))
        self._steps(one.fixes, MAX_LINES - len(closing))
        for parts in closing:
            self._put(0, *parts)

    def _sides(self, report: Report) -> None:
        """In what the ranks differ, the first and most telling difference; or why nobody is named."""
        if report.comparison is None:
            return
        said = declined(report.comparison, self._language)
        if said is None and report.comparison.differences:
            said = sentence(report.comparison.differences[0], self._language)
        if said is not None:
            self._put(0, (self._label(words.SIDES), "bold"), (clipped(said, _MAX_WHY), ""))

    def _evidence(self, lines: Sequence[Evidence]) -> None:
        """One place with its neighbours, and how many more there are."""
        if not lines:
            return
        kinds = grouped(lines)
        best = max(kinds, key=lambda alike: _telling(alike.line))
        line = best.line
        more = len(kinds) - 1
        same = same_of(best, self._language)
        self._put(
            0, (place(line), "cyan"), (f"{who(line)}{clock(line.time)}", "dim"), (f"  ({same})" if same else "", "dim"),
            (f"  {self._word(words.MORE_LINES).format(count=more)}" if more else "", "dim"),
        )  # fmt: skip
        for near in _beside(line.before[-1:]):
            self._put(4, (near, "dim"))
        self._put(2, ("> ", "bold"), (clipped(line.text.strip(), _MAX_LINE), ""))
        for near in _beside(line.after[:1]):
            self._put(4, (near, "dim"))

    def _steps(self, fixes: Sequence[Fix], most: int) -> None:
        """The first steps that fit on the screen, at least one."""
        if not fixes:
            return
        self._put(0, (self._label(words.TRY).rstrip(), "bold"))
        shown = 0
        for fix in fixes[:MAX_STEPS]:
            lines = self._step(shown + 1, fix)
            height = sum(lines_taken(indent, text, COLUMNS) for indent, text, _ in lines)
            if shown and self._used + height + (shown + 1 < len(fixes)) > most:
                break
            self._print_step(fix, lines)
            shown += 1
        if shown < len(fixes):
            self._put(2, (self._word(words.MORE_STEPS).format(count=len(fixes) - shown), "dim"))

    def _step(self, number: int, fix: Fix) -> list[tuple[int, str, bool]]:
        """Its lines as (indent, text, whether it is to be copied)."""
        said = first_sentences(self._word(fix.do), _MAX_DO)
        do = f"{number}. {words.MARK_OF_RISK[fix.risk]}{said}  [{self._word(words.RISK[fix.risk])}]"
        copied = list(copyables(fix, self._shell))
        lines = [(2, do, False), *((5, text, True) for text in copied[:_MAX_COPYABLES])]
        if len(copied) > _MAX_COPYABLES:
            lines.append((5, self._word(words.MORE_SAID), False))
        return lines

    def _print_step(self, fix: Fix, lines: Sequence[tuple[int, str, bool]]) -> None:
        style = "bold red" if fix.risk is Risk.DESTRUCTIVE else ""
        for indent, text, is_copied in lines:
            if is_copied:
                self._page.put_whole(indent, (safe(text), "bold"))
                self._used += lines_taken(indent, text, COLUMNS)
            else:
                self._put(indent, (text, style))

    def _closing(self, one: Diagnosis) -> Iterator[list[StyledText]]:
        """Restart advice where there is some, and what it brought about."""
        if is_restart_advised(one):
            restart = self._word(words.RESTART[one.restart])
            yield [(self._label(words.RESTART_WORD), "bold"), (restart, "")]
        if one.effects:
            first = clipped(self._word(one.effects[0].title), _MAX_NEAR // 2)
            more = len(one.effects) - 1
            counted = f"  {self._word(words.MORE_LINES).format(count=more)}" if more else ""
            yield [(f"{self._label(words.CONSEQUENCES)}{first}{counted}", "dim")]

    def _later(self, one: Diagnosis) -> None:
        at = f" ({place(one.evidence[0])})" if one.evidence else ""
        title = clipped(self._word(one.title), _MAX_NEAR - len(one.cause) - len(at))
        self._put(0, (f"{self._label(words.ALSO)}{title} · {one.cause}{at}", COLOR[one.severity]))

    def _rest(self, report: Report) -> None:
        if report.unusual and (report.status is Status.UNEXPLAINED or not report.diagnoses):
            title = words.UNEXPLAINED_LINES if report.status is Status.UNEXPLAINED else words.UNUSUAL
            self._put(0, (self._label(title).rstrip(), "bold"))
            for line in report.unusual[-_MAX_UNUSUAL:]:
                self._put(2, (f"{place(line)}  ", "cyan"), (clipped(line.text.strip(), _MAX_LINE), ""))
        if report.earlier_runs:
            run = report.earlier_runs[-1]
            more = len(report.earlier_runs) - 1
            cause = f" · {run.cause}" if run.cause else ""
            counted = f"  {self._word(words.MORE_LINES).format(count=more)}" if more else ""
            at = f"{run.source}:{run.first_line}-{run.last_line}"
            said = f"{self._label(words.EARLIER)}{at}  {self._word(words.STATUS[run.status])}{cause}{counted}"
            self._put(0, (said, "dim"))
        if report.stacks is not None:
            self._put(0, (self._label(words.STACKS).rstrip(), "bold"))
            for told in (*report.stacks.said, *report.stacks.tree[:_MAX_TREE]):
                self._put(2, (told, ""))
            if len(report.stacks.tree) > _MAX_TREE:
                more = len(report.stacks.tree) - _MAX_TREE
                self._put(2, (self._word(words.MORE_LINES).format(count=more), "dim"))
        for note in report.notes[:_MAX_NOTES]:
            self._put(0, (f"{note.source}: {note.note}", "dim"))
        if len(report.notes) > _MAX_NOTES:
            self._put(0, (self._word(words.MORE_LINES).format(count=len(report.notes) - _MAX_NOTES), "dim"))


def first_sentences(text: str, columns: int) -> str:
    """As many whole sentences as fit into so many columns, at least one, which is cut where it must be."""
    shown = ""
    for sentence_of in _SENTENCE_END.split(text.strip()):
        joined = f"{shown} {sentence_of}" if shown and shown[-1].isascii() else shown + sentence_of
        if columns_of(joined) > columns and shown:
            break
        shown = joined
    return clipped(shown, columns)


def _beside(lines: Sequence[str]) -> list[str]:
    return [clipped(line.strip(), _MAX_NEAR) for line in lines if line.strip()]


def _telling(line: Evidence) -> tuple[bool, bool]:
    """How much a line says: a frame or a heading of a traceback least, one that gave a value most."""
    return not _FRAME.match(line.text.strip()), bool(line.captures)
