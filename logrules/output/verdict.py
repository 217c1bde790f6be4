"""The verdict of a report and what stands round it in every form: status, phase, who, when, what comes next."""

from collections.abc import Callable

from logrules.model.report import Consequence, Diagnosis, Evidence, PhaseSource, Report, Restart, Severity, Status, Text
from logrules.output import messages as words
from logrules.output.numbers import lines_said, moment, ranks_in_words
from logrules.output.rank_sentences import coverage
from logrules.output.shell import path_word
from logrules.output.styled import clipped

COLOR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}
_STATUS_COLOR = {Status.FAILED: "red", Status.STALLED: "yellow", Status.UNEXPLAINED: "red"}
MAX_SOURCES = 3
_MAX_VERDICT = 160


def lines_that_help(report: Report) -> tuple[Evidence, ...]:
    """Lines that no rule explains, where somebody may look for trouble: not of a run that came to a good end."""
    return () if report.status is Status.COMPLETED else report.unusual


def unusual_title(report: Report) -> Text:
    """What stands above lines that no rule explains."""
    return words.UNEXPLAINED_LINES if report.status is Status.UNEXPLAINED else words.UNUSUAL


def next_steps(report: Report, shell: str) -> tuple[tuple[Text, str], ...]:
    """What one can do, each with its command, where error lines are there and no rule knows them."""
    if report.status is not Status.UNEXPLAINED or not report.unusual:
        return ()
    line = report.unusual[-1]
    log = path_word(report.paths.get(line.source, "SAVED_LOG"), shell)
    whole = log if len(report.sources) == 1 else "LOGS"
    return (
        (words.COMPARE, f"logrules diagnose {whole} --baseline GOOD_LOG"),
        (words.DRAFT, f"logrules new {log}:{line.line}"),
    )


def status_word(report: Report) -> Text:
    """The status in a word: nothing is called well that a diagnosis warns of."""
    warned = any(one.severity is not Severity.INFO for one in report.diagnoses)
    return words.TROUBLE if report.status is Status.HEALTHY and warned else words.STATUS[report.status]


def status_color(report: Report) -> str:
    """The colour of that word on a terminal."""
    return "yellow" if status_word(report) is words.TROUBLE else _STATUS_COLOR.get(report.status, "green")


def is_explained(report: Report) -> bool:
    """Whether the first diagnosis is what the verdict says."""
    told = report.status in (Status.FAILED, Status.STALLED) or status_word(report) is words.TROUBLE
    return bool(report.diagnoses) and told


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
    if report.status is Status.COMPLETED:
        return _completed(report, language)
    if report.status is Status.RUNNING and report.diagnoses and is_calm(report):
        return words.CALM.of(language)
    outcome = words.OUTCOME.get(report.status)
    return outcome.of(language) if outcome is not None and not report.diagnoses else ""


def _completed(report: Report, language: str) -> str:
    """That a run that completed was well, where no diagnosis says otherwise, and the line that shows its end."""
    said = [] if report.diagnoses else [words.CALM.of(language)]
    if report.completed_by is not None:
        line = f"{report.completed_by.place}: {clipped(report.completed_by.text.strip(), _MAX_VERDICT)}"
        said.append(words.COMPLETED_BY.of(language).format(line=line))
    return words.JOINED.of(language).join(said)


def facts(report: Report, language: str) -> list[str]:
    """What was read: logs, lines, how many of the ranks, through which phases."""
    read = ", ".join(report.sources[:MAX_SOURCES])
    if len(report.sources) > MAX_SOURCES:
        read += f" … ({words.LOGS.of(language).format(count=len(report.sources))})"
    lines = lines_said(report.lines, language)
    facts = [read, lines] if read else [lines]
    if report.comparison is not None:
        facts.append(coverage(report.comparison, language))
    ordered = sorted(report.timeline, key=lambda span: (span.source, span.first_line))
    phases = list(dict.fromkeys(span.phase for span in ordered))
    return [*facts, " → ".join(phases)] if len(phases) > 1 else facts


def where(one: Diagnosis, language: str, shown: Callable[[str], str] = str) -> str:
    """The ranks and the host: " · rank 3 · host 10.0.0.3"; where neither is known the worker: " · pid 4711".

    Names are ``shown`` in this way.
    """
    if not one.ranks and not one.hosts:
        return "".join(f" · {shown(worker)}" for worker in one.workers[:1])
    host = f" · {words.HOST.of(language)} {shown(one.hosts[0])}" if one.hosts else ""
    return ranks_at(one, language) + host


def ranks_at(one: Diagnosis, language: str) -> str:
    """The ranks alone: " · rank 3 (+ 0-2)"; nothing where none is known."""
    return f" · {words.RANK.of(language)} {ranks_in_words(one.ranks)}" if one.ranks else ""


def phase_in_words(report: Report) -> Text:
    """How surely its phase is told: where nothing in the log shows one, it is where such a cause usually strikes.

    A job that shows no phase at all has not left its start, so far as one can say.
    """
    usual = is_explained(report) and report.diagnoses[0].phase_from is PhaseSource.CAUSE
    return words.PROBABLY_IN_PHASE if usual and report.phase != report.start else words.IN_PHASE


def is_restart_advised(one: Diagnosis) -> bool:
    """Whether there is advice on a restart: none where nothing is wrong; that a fix comes before one goes without."""
    return one.severity is not Severity.INFO and one.restart is not Restart.AFTER_FIX


def effects_told(one: Diagnosis) -> list[tuple[Text, list[Consequence]]]:
    """What the cause explains, each part under its heading: what stands above it in its log looks like none of it."""
    begins = {line.source: line.line for line in sorted(one.evidence, key=lambda line: -line.line)}
    parts: dict[bool, list[Consequence]] = {False: [], True: []}
    for other in one.effects:
        parts[any(line.line < begins.get(line.source, 0) for line in other.evidence)].append(other)
    return [
        (title, part)
        for title, part in zip((words.CONSEQUENCES, words.SEEN_BEFORE), parts.values(), strict=True)
        if part
    ]


def who(line: Evidence) -> str:
    """The worker, unless it is merely called like its log."""
    return "" if line.worker == line.source else f"  {line.worker}"


def clock(line: Evidence) -> str:
    """The log's own time, to the second; without a year that is merely guessed."""
    at = moment(line.time) if line.time is not None else None
    form = "%m-%d %H:%M:%S" if line.year_guessed else "%Y-%m-%d %H:%M:%S"
    return f"  {at:{form}}" if at is not None else ""
