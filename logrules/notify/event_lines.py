"""A line for each thing that happens to a live job: for people, for programs, and for the history in the panel."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, tzinfo
from typing import TextIO

from logrules.model.change import PhaseEntered, QuietEnded, QuietNoticed, Raised, StallProlonged, Update, Withdrawn
from logrules.model.report import Diagnosis, Report, Text
from logrules.notify.listener import Listener
from logrules.notify.notifications import Kind, Notification, NotificationPolicy, facts
from logrules.output.escape import safe
from logrules.output.messages import RANK, SEVERITY
from logrules.output.numbers import certainty_in_words, duration, ranks_in_words, time_of_day
from logrules.output.report_json import report_document
from logrules.output.step_layout import in_one_line

_MAX_TEXT = 300
_MEGABYTE = 1_000_000
# How often it is said again that the reader falls behind.
_BEHIND_S = 10.0
_STREAMS: dict[object, str] = {1: "stdout", 2: "stderr"}

_PHASE = Text("phase {phase} ({worker})", "进入阶段 {phase}（{worker}）")
_QUIET = Text("quiet for {quiet} in phase {phase}", "在阶段 {phase} 已静默 {quiet}")
_STILL = Text("still: {title}, for {quiet} now", "仍在持续：{title}，已 {quiet}")
_GONE = Text("no longer: {title}", "已消除：{title}")
_UNUSUAL = Text(
    "quiet for {quiet}; it was never quiet for more than {longest}", "已静默 {quiet}；此前最长只静默过 {longest}"
)
_SPEAKS = Text("it writes again, after {quiet}", "静默 {quiet} 后又有输出")
_BEHIND = Text(
    "fell behind: {size} MB were passed on without being analysed, so far",
    "分析跟不上：至今有 {size} MB 只转发、未分析",
)


class Lines(Listener):
    """Writes to ``out``: each phase when the first worker enters it, each diagnosis once, and when it is withdrawn.

    ``job`` is the job's name. ``zone`` is that of the times; UTC for a log that is replayed, whose times bear none.
    While what ``aside`` gives lasts, nothing of the log is passed on to the same place; whether it stands within a line
    there, such as a bar: a line of ours begins a new one.
    """

    def __init__(
        self,
        out: TextIO,
        language: str,
        zone: tzinfo | None = UTC,
        job: str = "",
        aside: Callable[[], AbstractContextManager[bool]] = lambda: nullcontext(False),
    ) -> None:
        self._out = out
        name: object = getattr(out, "name", "output")  # a number where the stream was made of its descriptor
        self.called = f"the lines of the diagnosis ({_STREAMS.get(name, str(name).strip('<>'))})"
        self._job = f"[{job}] " if job else ""
        self._aside = aside
        self._language = language
        self._zone = zone
        self._phases: set[str] = set()
        self._shown: dict[str, str] = {}
        self._skipped = 0
        self._said_behind = 0.0

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Write what happened, if anything that a person should know of."""
        raised = {change.rule: change.quiet_s for change in update.changes if isinstance(change, Raised)}
        for change in update.changes:
            match change:
                case PhaseEntered(worker=worker, phase=phase) if phase not in self._phases:
                    self._phases.add(phase)
                    self._say(update.now, _PHASE.of(self._language).format(phase=phase, worker=worker.label))
                case StallProlonged(rule=rule, quiet_s=quiet_s) if rule in self._shown:
                    still = _STILL.of(self._language).format(title=self._shown[rule], quiet=duration(quiet_s))
                    self._say(update.now, still)
                case Withdrawn(rule=rule) if rule in self._shown and rule not in raised and not update.ended:
                    self._say(update.now, _GONE.of(self._language).format(title=self._shown.pop(rule)))
                case QuietNoticed(quiet_s=quiet_s, longest_s=longest_s):
                    said = {"quiet": duration(quiet_s), "longest": duration(max(longest_s, 1.0))}
                    self._say(update.now, _UNUSUAL.of(self._language).format(**said))
                case QuietEnded(quiet_s=quiet_s):
                    self._say(update.now, _SPEAKS.of(self._language).format(quiet=duration(quiet_s)))
                case _:
                    pass
        new = raised.keys() - self._shown.keys()
        if new:
            for one in report().diagnoses:
                if one.rule in new:
                    self._diagnosis(update.now, one, raised[one.rule])
        self._behind(update)

    def _diagnosis(self, now: float, one: Diagnosis, quiet_s: float | None) -> None:
        title = self._shown[one.rule] = one.title.of(self._language)
        facts = [title, one.cause]
        if quiet_s is not None:
            facts.append(_QUIET.of(self._language).format(quiet=duration(quiet_s), phase=one.phase))
        if one.ranks:
            facts.append(f"{RANK.of(self._language)} {ranks_in_words(one.ranks)}")
        facts.append(certainty_in_words(one, self._language))
        more = []
        if one.evidence and one.evidence[0].text:
            line = one.evidence[0]
            more.append(f"         {line.place}: {line.text[:_MAX_TEXT]}")
        first = next((fix for fix in one.fixes if fix.run), None)
        if quiet_s is not None and first is not None:
            more.append(f"         → {in_one_line(first, self._language)}")
        self._say(now, f"{SEVERITY[one.severity].of(self._language)}: {' · '.join(facts)}", *more)

    def _behind(self, update: Update) -> None:
        if update.skipped > self._skipped and update.now - self._said_behind >= _BEHIND_S:
            self._said_behind, self._skipped = update.now, update.skipped
            self._say(update.now, _BEHIND.of(self._language).format(size=f"{update.skipped / _MEGABYTE:,.1f}"))

    def _say(self, now: float, text: str, *more: str) -> None:
        said = f"{time_of_day(now, self._zone)} {safe(self._job + text)}\n"
        said += "".join(f"{safe(line)}\n" for line in more)
        with self._aside() as in_line:
            self._out.write("\n" * in_line + said)
            self._out.flush()


Said = dict[str, object]


class EventStream(Listener):
    """Writes each event to ``out`` as it comes: ``event`` names its kind, ``at`` is seconds since the epoch.

    The last is ``end``, with the whole report.
    """

    called = "--format jsonl"

    def __init__(self, out: TextIO, language: str, policy: NotificationPolicy, job: str = "") -> None:
        self._out = out
        self._language = language
        self._policy = policy
        self._job = job
        self._phases: set[str] = set()

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Write what happened."""
        for said in self._events(update, report):
            document = {"at": round(update.now, 3), **({"job": self._job} if self._job else {}), **said}
            self._out.write(json.dumps(document, ensure_ascii=False) + "\n")
            self._out.flush()

    def _events(self, update: Update, report: Callable[[], Report]) -> Iterator[Said]:
        for change in update.changes:
            match change:
                case PhaseEntered(worker=worker, phase=phase) if phase not in self._phases:
                    self._phases.add(phase)
                    yield {"event": "phase", "phase": phase, "worker": safe(worker.label)}
                case QuietNoticed(quiet_s=quiet_s, longest_s=longest_s):
                    yield {"event": "quiet", "quiet_seconds": round(quiet_s), "longest_seconds": round(longest_s, 1)}
                case QuietEnded(quiet_s=quiet_s):
                    yield {"event": "writes-again", "quiet_seconds": round(quiet_s)}
                case _:
                    pass
        for news in self._policy.news(update, report):
            said: Said = {**facts(news)}
            if news.diagnosis is not None:
                said["evidence"] = [
                    {"source": safe(line.source), "line": line.line, "text": safe(line.text)}
                    for line in news.diagnosis.evidence[:4]
                    if line.text
                ]
            yield said
        if update.ended:
            yield {"event": "end", "report": report_document(report(), self._language)}


MAX_ENTRIES = 200
_KINDS = {
    Kind.STALL: Text("stalled", "停滞"),
    Kind.STALL_LASTS: Text("still", "仍在持续"),
    Kind.DIAGNOSIS: Text("diagnosed", "诊断"),
    Kind.MOVED_ON: Text("moved on", "进展"),
    Kind.OVER: Text("over", "结束"),
}
_WAS_QUIET = Text("quiet for {quiet}", "已静默 {quiet}")
_AGAIN = Text("writes again after {quiet}", "静默 {quiet} 后又有输出")


class IncidentHistory(Listener):
    """Keeps what the policy tells, and unusual silences; times are of this machine."""

    called = "the history of the panel"

    def __init__(self, policy: NotificationPolicy, language: str) -> None:
        self._policy = policy
        self._language = language
        self._entries: deque[str] = deque(maxlen=MAX_ENTRIES)

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Keep what happened."""
        for change in update.changes:
            if isinstance(change, QuietNoticed | QuietEnded):
                form = _WAS_QUIET if isinstance(change, QuietNoticed) else _AGAIN
                self._keep(update.now, form.of(self._language).format(quiet=duration(change.quiet_s)))
        for news in self._policy.news(update, report):
            self._keep(update.now, self._said(news))

    def lines(self) -> Sequence[str]:
        """The entries, the last first."""
        return tuple(reversed(self._entries))

    def _said(self, news: Notification) -> str:
        kind = _KINDS[news.kind].of(self._language)
        what = news.rule if news.diagnosis is None else news.diagnosis.title.of(self._language)
        quiet = f" · {duration(news.quiet_s)}" if news.quiet_s is not None else ""
        return f"{news.incident.rpartition('-')[2]}. {kind}: {what}{quiet}"

    def _keep(self, now: float, text: str) -> None:
        self._entries.append(f"{time_of_day(now)} {safe(text)}")
