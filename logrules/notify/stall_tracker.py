"""A stall that was told is never lost: it stays in the report, with how long it lasted and how it ended."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from logrules.model.change import Raised, Update, Withdrawn
from logrules.model.event import rank_of_label
from logrules.model.record import mutable_record, replace
from logrules.model.report import Consequence, Diagnosis, Fix, Report, Risk, Severity, SourceNote, Status, Text
from logrules.model.timeline import WorkerNow
from logrules.output.numbers import duration

# What a job says while it is being ended comes within this time of its first word after the silence.
LAST_WORDS_S = 10.0
MAX_NOTES = 20
# Typed at a terminal by a person; a scheduler sends others.
_TYPED = frozenset({"SIGINT", "SIGQUIT"})

_PLACE = Text(
    "{title}: nothing for {quiet} in {phase}{after}; {end}", "{title}：在阶段 {phase}{after}停滞 {quiet}；{end}"
)
_AFTER = Text(" after step {step}", "（第 {step} 步之后）")
_NO_STEP = Text("", " ")
_BY_YOU = Text("then you ended it ({signal})", "随后由你结束（{signal}）")
_SIGNALLED = Text("then it was told to end ({signal})", "随后被要求结束（{signal}）")
_FROM_OUTSIDE = Text("then it was ended: {title}", "随后被结束：{title}")
_STILL = Text("it had not moved when the watching ended", "停止监视时仍未恢复")
_EXITED = Text("then it ended with exit status {status}", "随后以退出码 {status} 结束")
_INSPECT = Fix(
    Text(
        "Watch it with `--inspect` next time: the stacks of its processes are then taken while it hangs.",
        "下次监视时加上 `--inspect`：会在它卡住时采集各进程的堆栈。",
    ),
    risk=Risk.LOOK,
)
_WENT_ON = Text("then it went on", "随后恢复")


@mutable_record
class TrackedStall:
    """A stall as it was told: since when nothing moved, and where those stood who had stopped.

    ``rule`` told of it first; ``diagnosis`` is what it was taken for last, as after a closer look. ``ranks`` are those
    that had stopped while others went on; none where all had, or where the log does not tell them apart. ``until`` is
    when it was last known to last, ``over`` since when it does not; ``taken_back`` says that the rule holds no longer.
    """

    rule: str
    diagnosis: Diagnosis
    since: float
    places: Mapping[str, tuple[str | None, str]]
    ranks: frozenset[int]
    until: float
    taken_back: bool = False
    over: float | None = None

    @property
    def step(self) -> int | None:
        """The last step that any of them had made."""
        steps = (step_of(text) for _, text in self.places.values())
        return max((step for step in steps if step is not None), default=None)


class StallTracker:
    """Remembers the stall that was told until the job moves again.

    ``workers`` tells where each worker is. ``endings`` are the causes that say that somebody or something ended the
    job from outside, which explains no stall. ``ended_by`` names the signal that came through us to end the job;
    ``exit_status`` and ``job_pid`` are those of its command, where there are any.
    """

    def __init__(
        self,
        workers: Callable[[], tuple[WorkerNow, ...]],
        endings: Callable[[], Collection[str]],
        ended_by: Callable[[], str | None],
        exit_status: Callable[[], int | None],
        job_pid: Callable[[], int | None] = lambda: None,
    ) -> None:
        self._workers = workers
        self._ended_by = ended_by
        self._exit_status = exit_status
        self._job_pid = job_pid
        self._endings = endings
        self._stall: TrackedStall | None = None
        self._notes: list[SourceNote] = []
        self._before: set[str] = set()

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Take an update: remember a stall, forget one that is over because the job moves."""
        if self._stall is not None and self._stall.over is None:
            self._stall.since += update.unwatched_s  # that was no silence of the job
            self._stall.until = max(update.now, self._stall.until)
        if self._ended_by() is None:
            self._before.update(one.rule for one in update.changes if isinstance(one, Raised))
            self._follow(update, report)
        # What comes from now on comes of the signal: it neither moves the job nor explains it.
        elif self._stall is not None and not update.ended and self._stepped(self._stall):
            self._forget(self._stall)

    def _follow(self, update: Update, report: Callable[[], Report]) -> None:
        stall = self._stall
        # What the end of a log alone shows was told as no stall: it says the same of a saved log.
        if not update.ended and (stall is None or stall.over is not None):
            stall = self._remember(update, report)
        if stall is None:
            return
        if stall.over is None:
            if update.changes and not update.ended:
                _know_better(stall, report())
            stall.taken_back |= any(isinstance(one, Withdrawn) and one.rule == stall.rule for one in update.changes)
            if stall.taken_back and not update.ended and not self._lasts(stall, update, report):
                stall.over = update.now
        if not update.ended and self._went_on(stall, update.now, report):
            self._forget(stall)

    def told(self, report: Report) -> Report:
        """The last report with what was told in it: on top, where the job ended without having moved again."""
        ended_by, exit_status = self._ended_by(), self._exit_status()
        errors = [one for one in report.diagnoses if one.severity is Severity.ERROR]
        stall = self._stall
        if stall is not None and exit_status == 0 and ended_by is None:
            self._forget(stall, self._end((), None, 0))
        elif stall is not None and stall.over is not None and not errors and not exit_status:
            self._forget(stall)
        report = replace(report, notes=(*report.notes, *self._notes))
        if stall is None or self._stall is None:
            return report
        others = [one for one in report.diagnoses if one.rule not in (stall.rule, stall.diagnosis.rule)]
        if all(self._is_ending(one, ended_by) for one in errors):
            top = self._standing(stall, report, errors)
            kept = (one for one in others if one not in errors and one.severity is not Severity.INFO)
            return replace(report, status=Status.STALLED, phase=top.phase, diagnoses=(top, *kept))
        end = _said(_FROM_OUTSIDE, title=errors[0].title)
        stalled = replace(_consequence(stall.diagnosis), title=_title(stall, end))
        first = replace(others[0], consequences=(*others[0].consequences, stalled))
        return replace(report, diagnoses=(first, *others[1:]))

    def _standing(self, stall: TrackedStall, report: Report, errors: Sequence[Diagnosis]) -> Diagnosis:
        """The diagnosis of a stall in which the job ended; ``errors`` only say that it did."""
        stood, exit_status = stall.diagnosis, self._exit_status()
        since = next((one for one in report.diagnoses if one.rule == stood.rule), stood).consequences
        ends: list[Diagnosis | Consequence] = [*errors, *(one for one in since if one.cause in self._endings())]
        known = {one.rule: one for one in (*stood.consequences, *since, *map(_consequence, errors))}
        return replace(
            stood,
            title=_title(stall, self._end(ends, self._ended_by(), exit_status)),
            fixes=stood.fixes if exit_status is None else self._still_possible(stood, looked_at=bool(report.stacks)),
            consequences=tuple(known.values()),
        )

    def _still_possible(self, stall: Diagnosis, *, looked_at: bool) -> tuple[Fix, ...]:
        """The steps without those that look at the process, which has ended; where nobody looked, how to see more."""
        process = re.compile(rf"(?<!\w){self._job_pid()}(?!\w)")
        steps = tuple(fix for fix in stall.fixes if process.search(fix.run or "") is None)
        return steps if looked_at or len(steps) == len(stall.fixes) else (_INSPECT, *steps)

    def _remember(self, update: Update, report: Callable[[], Report]) -> TrackedStall | None:
        """The stall that is told now, else the one that was told before."""
        raised = (one for one in update.changes if isinstance(one, Raised))
        stalls = {one.rule: one.quiet_s for one in raised if one.quiet_s is not None}
        shown = next((one for one in report().diagnoses if one.rule in stalls), None) if stalls else None
        if shown is None:
            return self._stall
        if self._stall is not None:
            self._forget(self._stall)
        ranks = frozenset(shown.ranks)
        places = self._places(ranks) if ranks else {}
        if not places:
            ranks, places = frozenset(), self._places()
        since = update.now - stalls[shown.rule]
        self._stall = TrackedStall(shown.rule, shown, since, places, ranks, update.now)
        return self._stall

    def _lasts(self, stall: TrackedStall, update: Update, report: Callable[[], Report]) -> bool:
        """Whether what a closer look took it for still stands, and no worker has made a step since.

        What a look brings are lines too, which take back that there were none.
        """
        if stall.diagnosis.rule == stall.rule or self._progressed(stall):
            return False
        if not update.changes:
            return True
        found = report()
        return found.status is Status.STALLED and found.diagnoses[0].rule == stall.diagnosis.rule

    def _places(self, ranks: Collection[int] = ()) -> dict[str, tuple[str | None, str]]:
        """Where the workers are, as far as they are not leaving: those of these ranks, where some are named."""
        return {
            one.worker: (None if one.leaving else one.phase, one.step)
            for one in self._workers()
            if not ranks or rank_of_label(one.worker) in ranks
        }

    def _stepped(self, stall: TrackedStall) -> bool:
        """Whether a worker counts another step than when the stall was told."""
        return any(
            (step := step_of(progress)) is not None
            and label in stall.places
            and step != step_of(stall.places[label][1])
            for label, (_, progress) in self._places(stall.ranks).items()
        )

    def _progressed(self, stall: TrackedStall) -> bool:
        """Whether one of those who had stopped says another progress: that others go on ends no stall of theirs."""
        now = self._places(stall.ranks)
        return any(progress != stall.places.get(label, (None, ""))[1] for label, (_, progress) in now.items())

    def _went_on(self, stall: TrackedStall, now: float, report: Callable[[], Report]) -> bool:
        if stall.over is None:
            return False
        moved = (
            phase is not None and phase != stall.places.get(label, (None, ""))[0]
            for label, (phase, _) in self._places(stall.ranks).items()
        )
        if self._progressed(stall) or any(moved):
            return True
        if now < stall.over + LAST_WORDS_S:
            return False
        return not any(one.severity is Severity.ERROR for one in report().diagnoses)

    def _forget(self, stall: TrackedStall, end: Text = _WENT_ON) -> None:
        if len(self._notes) < MAX_NOTES:
            evidence = stall.diagnosis.evidence
            source = evidence[-1].source if evidence else "-"
            self._notes.append(SourceNote(source, _title(stall, end).en))
        self._stall = None

    def _is_ending(self, one: Diagnosis, ended_by: str | None) -> bool:
        """Whether it only says that the job was ended: not the death of one rank, unless we know who sent it."""
        if ended_by is not None:
            return one.cause in self._endings() or one.rule not in self._before
        return one.cause in self._endings() and not one.ranks

    def _end(self, ends: Sequence[Diagnosis | Consequence], ended_by: str | None, exit_status: int | None) -> Text:
        """What ended it, in words; ``ends`` are what the log says of that."""
        if ended_by is not None and exit_status is not None:
            return _said(_BY_YOU if ended_by in _TYPED else _SIGNALLED, signal=Text(ended_by))
        if ends:
            return _said(_FROM_OUTSIDE, title=ends[0].title)
        if exit_status is not None:
            return _said(_EXITED, status=Text(str(exit_status)))
        return _STILL


def _know_better(stall: TrackedStall, report: Report) -> None:
    """A closer look or a later line may say why: then that is the stall, since the same moment."""
    first = report.diagnoses[0] if report.diagnoses and report.status is Status.STALLED else None
    if first is not None and first.severity is not Severity.INFO and first.rule != stall.diagnosis.rule:
        stall.diagnosis = first


def _title(stall: TrackedStall, end: Text) -> Text:
    one, quiet = stall.diagnosis, duration(max(stall.until - stall.since, 0.0))
    after = _NO_STEP if stall.step is None else _said(_AFTER, step=Text(str(stall.step)))
    return _said(_PLACE, title=one.title, quiet=Text(quiet), phase=Text(one.phase), after=after, end=end)


def _said(sentence: Text, **facts: Text) -> Text:
    """The sentence in both languages, each with its wording of the facts."""
    return Text.told(lambda said: sentence.of(said).format(**{name: fact.of(said) for name, fact in facts.items()}))


def _consequence(one: Diagnosis) -> Consequence:
    return Consequence(one.rule, one.cause, one.title, one.evidence[:2])


# A named counter (`step 9`, `'global_step': 9`, `iteration 9/100`), else what a bar has done of its total.
_NAMED = re.compile(r"(?:step|iter(?:ation)?|update|batch)s?\b[\"']?\s{0,4}[:=\[]?\s{0,4}(\d{1,12})", re.IGNORECASE)
_OF_TOTAL = re.compile(r"(?<![\d.])(\d{1,12})/\d{1,12}(?![\d.]?\d)")
_MAX_CHARS = 2_000


def step_of(progress: str) -> int | None:
    """The step that a progress line counts, or None where it names none."""
    text = progress[:_MAX_CHARS]
    found = _NAMED.search(text) or _OF_TOTAL.search(text)
    return int(found[1]) if found else None
