"""What happens to a live job, as JSON, an object a line: for programs."""

import json
from collections.abc import Callable, Iterator
from typing import TextIO

from logrules.model.change import PhaseEntered, QuietEnded, QuietNoticed, Update
from logrules.model.report import Report
from logrules.notify.listener import Listener
from logrules.notify.notifications import NotificationPolicy, facts
from logrules.output.escape import safe
from logrules.output.report_json import report_document

Said = dict[str, object]


class EventStream(Listener):
    """Writes each event to ``out`` as it comes: ``event`` names its kind, ``at`` is seconds since the epoch.

    The last is ``end``, with the whole report.
    """

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
            said: Said = {name: safe(fact) if isinstance(fact, str) else fact for name, fact in facts(news).items()}
            if news.diagnosis is not None:
                said["evidence"] = [
                    {"source": safe(line.source), "line": line.line, "text": safe(line.text)}
                    for line in news.diagnosis.evidence[:4]
                    if line.text
                ]
            yield said
        if update.ended:
            yield {"event": "end", "report": report_document(report(), self._language)}
