"""A line for each thing that happens to a live job: where nobody looks at a panel."""

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from typing import TextIO

from logrules.model.change import PhaseEntered, Raised, Withdrawn
from logrules.model.report import Diagnosis, Report, Text
from logrules.model.update import Update
from logrules.render.safe import safe
from logrules.render.words import CONFIDENCE, RANK, SEVERITY

_MAX_TEXT = 300
_MEGABYTE = 1_000_000
# How often it is said again that the reader falls behind.
_BEHIND_S = 10.0

_PHASE = Text("phase {phase} ({worker})", "进入阶段 {phase}（{worker}）")
_GONE = Text("no longer: {title}", "已消除：{title}")
_BEHIND = Text(
    "fell behind: {size} MB were passed on without being analysed, so far",
    "分析跟不上：至今有 {size} MB 只转发、未分析",
)


class Lines:
    """Writes to ``out``: each phase when the first worker enters it, each diagnosis once, and when it is withdrawn.

    ``zone`` is that of the times; UTC for a log that is replayed, whose times bear none.
    """

    def __init__(self, out: TextIO, language: str, zone: tzinfo | None = UTC) -> None:
        self._out = out
        self._language = language
        self._zone = zone
        self._phases: set[str] = set()
        self._shown: dict[str, str] = {}
        self._skipped = 0
        self._said_behind = 0.0

    def hear(self, update: Update, report: Callable[[], Report]) -> None:
        """Write what happened, if anything that a person should know of."""
        raised = {change.rule for change in update.changes if isinstance(change, Raised)}
        for change in update.changes:
            match change:
                case PhaseEntered(worker=worker, phase=phase) if phase not in self._phases:
                    self._phases.add(phase)
                    self._say(update.now, _PHASE.of(self._language).format(phase=phase, worker=worker.label))
                case Withdrawn(rule=rule) if rule in self._shown and rule not in raised:
                    self._say(update.now, _GONE.of(self._language).format(title=self._shown.pop(rule)))
                case _:
                    pass
        new = raised - self._shown.keys()
        if new:
            for one in report().diagnoses:
                if one.rule in new:
                    self._diagnosis(update.now, one)
        self._behind(update)

    def close(self) -> None:
        """Nothing is left to write."""

    def _diagnosis(self, now: float, one: Diagnosis) -> None:
        title = self._shown[one.rule] = one.title.of(self._language)
        facts = [title, one.cause]
        if one.ranks:
            facts.append(f"{RANK.of(self._language)} {one.ranks[0]}")
        facts.append(f"{CONFIDENCE.of(self._language)} {one.confidence:.0%}")
        self._say(now, f"{SEVERITY[one.severity].of(self._language)}: {' · '.join(facts)}")
        if one.evidence:
            line = one.evidence[0]
            self._out.write(safe(f"         {line.source}:{line.line}: {line.text[:_MAX_TEXT]}") + "\n")
            self._out.flush()

    def _behind(self, update: Update) -> None:
        if update.skipped > self._skipped and update.now - self._said_behind >= _BEHIND_S:
            self._said_behind, self._skipped = update.now, update.skipped
            self._say(update.now, _BEHIND.of(self._language).format(size=f"{update.skipped / _MEGABYTE:,.1f}"))

    def _say(self, now: float, text: str) -> None:
        self._out.write(f"{datetime.fromtimestamp(now, self._zone):%H:%M:%S} {safe(text)}\n")
        self._out.flush()
