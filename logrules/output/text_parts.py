"""What the brief and the full report say alike: the verdict, where, when, what can be copied."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from logrules.model.report import Diagnosis, Evidence, Fix, Report, Restart, Risk, Severity, Status, Text
from logrules.model.timeline import PhaseSpan
from logrules.output import messages as words
from logrules.output.display_width import clipped
from logrules.output.escape import safe
from logrules.output.numbers import ranks_in_words
from logrules.output.rank_sentences import coverage
from logrules.output.shell import commands
from logrules.output.styled import Page, StyledText

COLOR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}
STATUS_COLOR = {Status.FAILED: "red", Status.STALLED: "yellow", Status.UNEXPLAINED: "red"}
MAX_SOURCES = 3
_MAX_VERDICT = 160
# Of flags beside each other, in columns.
_MAX_FLAGS, _APART = 90, "   "


def put(page: Page, indent: int, *parts: StyledText) -> None:
    """A line of (text, style) parts, made harmless: wrapped under its indent on a terminal, whole in a pipe."""
    page.put(indent, [(safe(text), style) for text, style in parts])


def put_verdict(page: Page, report: Report, language: str) -> None:
    """One line that says it all."""
    phase = words.IN_PHASE.of(language).format(phase=report.phase)
    word = status_word(report)
    color = "yellow" if word is words.TROUBLE else STATUS_COLOR.get(report.status, "green")
    parts = [(word.of(language), f"bold {color}"), (f"  {phase}", "bold")]
    said = headline(report, language)
    put(page, 0, *parts, *([(f"  {said}", "bold")] if said else []))


def status_word(report: Report) -> Text:
    """The status in a word: nothing is called well that a diagnosis warns of."""
    warned = any(one.severity is not Severity.INFO for one in report.diagnoses)
    return words.TROUBLE if report.status is Status.HEALTHY and warned else words.STATUS[report.status]


def is_explained(report: Report) -> bool:
    """Whether the first diagnosis is what the verdict says."""
    return bool(report.diagnoses) and report.status in (Status.FAILED, Status.STALLED)


def is_beside_the_point(report: Report) -> bool:
    """Whether error lines that nothing explains stand against a diagnosis that is merely worth knowing."""
    return report.status is Status.UNEXPLAINED and all(one.severity is Severity.INFO for one in report.diagnoses)


def is_calm(report: Report) -> bool:
    """Whether nothing is wrong, and what there is to say is merely worth knowing."""
    well = report.status in (Status.RUNNING, Status.HEALTHY, Status.COMPLETED)
    return well and all(one.severity is Severity.INFO for one in report.diagnoses)


def headline(report: Report, language: str) -> str:
    """What the verdict says beside status and phase."""
    if is_explained(report):
        first = report.diagnoses[0]
        return f"{first.title.of(language)}{where(first, language)}"
    if report.status is Status.UNEXPLAINED and report.unusual:
        last = clipped(report.unusual[-1].text.strip(), _MAX_VERDICT)
        return words.UNEXPLAINED.of(language).format(count=len(report.unusual), last=last)
    if report.status is Status.COMPLETED and report.completed_by is not None:
        line = report.completed_by
        said = f"{place(line)}: {clipped(line.text.strip(), _MAX_VERDICT)}"
        return f"{words.COMPLETED_BY.of(language)} {said}"
    if report.status is Status.RUNNING and report.diagnoses and is_calm(report):
        return words.CALM.of(language)
    outcome = words.OUTCOME.get(report.status)
    return outcome.of(language) if outcome is not None and not report.diagnoses else ""


def put_coverage(page: Page, report: Report, language: str) -> None:
    """What was read: logs, lines, how many of the ranks; and what could not be."""
    read = ", ".join(report.sources[:MAX_SOURCES])
    if len(report.sources) > MAX_SOURCES:
        read += f" … ({words.LOGS.of(language).format(count=len(report.sources))})"
    facts = [read, f"{report.lines:,} {(words.LINE if report.lines == 1 else words.LINES).of(language)}"]
    if report.comparison is not None:
        facts.append(coverage(report.comparison, language))
    phases = phases_seen(report)
    if len(phases) > 1:
        facts.append(" → ".join(phases))
    put(page, 0, (" · ".join(facts), "dim"))
    if report.unread:
        count = len(report.unread)
        said = words.PARTIAL.of(language).format(unread=count, all=count + len(report.sources))
        put(page, 0, (said, "bold yellow"))


def phases_seen(report: Report) -> list[str]:
    """The phases in the order in which the job came to them, each once."""

    def order(span: PhaseSpan) -> tuple[str, int]:
        return span.source, span.first_line

    return list(dict.fromkeys(span.phase for span in sorted(report.timeline, key=order)))


def where(one: Diagnosis, language: str) -> str:
    """The ranks and the host: " · rank 3 · host 10.0.0.3"."""
    ranks = f" · {words.RANK.of(language)} {ranks_in_words(one.ranks)}" if one.ranks else ""
    return ranks + (f" · {words.HOST.of(language)} {one.hosts[0]}" if one.hosts else "")


def is_restart_advised(one: Diagnosis) -> bool:
    """Whether there is advice on a restart: none where nothing is wrong, nor after a fix that nobody knows."""
    fixed = any(fix.risk is not Risk.LOOK for fix in one.fixes)
    return one.severity is not Severity.INFO and (fixed or one.restart is not Restart.AFTER_FIX)


def place(line: Evidence) -> str:
    """Source and line as editors take them."""
    return f"{line.source}:{line.line}"


def who(line: Evidence) -> str:
    """The worker, unless it is merely called like its log."""
    return "" if line.worker == line.source else f"  {line.worker}"


def clock(time: float | None) -> str:
    """The log's own time, to the second."""
    if time is None:
        return ""
    try:
        return f"  {datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M:%S}"
    except (OverflowError, ValueError, OSError):
        return ""


def _flag_lines(flags: Sequence[str]) -> Iterator[str]:
    """Flags beside each other, wide apart, for they may be of several programs: one that comes again begins a line."""
    line: list[str] = []
    for flag in flags:
        names = {one.split(maxsplit=1)[0] for one in line}
        if line and (flag.split(maxsplit=1)[0] in names or len(_APART.join((*line, flag))) > _MAX_FLAGS):
            yield _APART.join(line)
            line = []
        line.append(flag)
    if line:
        yield _APART.join(line)


def copyables(fix: Fix, shell: str) -> Iterator[Sequence[str]]:
    """Everything of a step that can be copied, in lines that belong together."""
    yield from ((line,) for line in commands(fix, shell))
    yield from ((line,) for line in _flag_lines(fix.flags))
    yield from ((f"{name}: {value}",) for name, value in fix.config.items())
    if fix.code:
        yield fix.code.rstrip().splitlines()
