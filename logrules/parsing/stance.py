"""What kind of statement a line is: a fact, advice, an echo, a retry, or a failure that was lived through.

Judged once for each line that a rule asked for, from the line and the one above it alone, so that a live log and a
saved one are judged alike. The forms are data (rules/stances.yaml).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from logrules.model.event import Event, Level
from logrules.model.failure import Stance
from logrules.ruleset.pattern import compiled
from logrules.ruleset.tables import Part, StanceForm

# What a line is says its beginning.
MAX_JUDGED_CHARS = 2_048
MAX_CLAUSES = 32
# Wall-clock time: on a busy machine a harmless pattern may have to wait for its turn.
_TIMEOUT_S = 1.0
_NO_LEVEL = "none"
# Where a clause ends: at a full stop, a semicolon, a dash, a bracket, or before what opens a subordinate clause.
_CLAUSE_END = re.compile(
    r"(?<=[.!?;])\s+|[。；！？]|\s+[-–—]+\s+|\s*\((?=[a-z]{2})"
    r"|[,:]\s+(?=(?:this|which|that|try|please|consider|if|it|you|see|check|make|perhaps|possibly|maybe|likely)\b)|，(?=请|可|如)",
    re.IGNORECASE,
)
_LEVELS = {
    "trace": Level.DEBUG,
    "debug": Level.DEBUG,
    "info": Level.INFO,
    "notice": Level.INFO,
    "warn": Level.WARNING,
    "warning": Level.WARNING,
    "error": Level.ERROR,
    "critical": Level.FATAL,
    "fatal": Level.FATAL,
}
# A level at the start of the message, or the category under which Python's ``warnings`` print.
_CLAIMED = re.compile(
    r"[\s|\[(<*]{0,8}(?P<level>TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL|(?:Debug|Info|Warning)(?=:))\b"
    r"|(?:[^\s:]{1,300}:\d+: )?\w{0,60}(?P<category>Warning): "
)


@dataclass(slots=True)
class _Line:
    """A line under judgement, every part of it bounded."""

    message: str
    text: str
    above: str
    level: str

    def part(self, part: Part) -> str:
        """One part of it."""
        match part:
            case Part.TEXT:
                return self.text
            case Part.ABOVE:
                return f"{self.above}\n{self.message}" if self.above else ""
            case _:
                return self.message


class StanceJudge:
    """Judges lines by the forms of a table, the first that fits decides. Holds no state of the log.

    ``dropped`` says of forms that ran out of time, each in a sentence; they are not tried again.
    """

    def __init__(self, forms: Sequence[StanceForm]) -> None:
        self._lines = tuple(form for form in forms if form.part is not Part.CLAUSE)
        clauses = tuple(form for form in forms if form.part is Part.CLAUSE)
        self._trouble = tuple(form for form in clauses if form.stance is Stance.FACT)
        self._turns = tuple(form for form in clauses if form.stance is not Stance.FACT)
        self._out_of_time: dict[str, str] = {}

    @property
    def dropped(self) -> Iterable[str]:
        """Forms that ran out of time, each in a sentence."""
        return self._out_of_time.values()

    def of(self, event: Event) -> Stance:
        """The stance of a line. What it says beyond its first 2,048 characters is not looked at."""
        found = self.form_of(event)
        return found.stance if found is not None else Stance.FACT

    def form_of(self, event: Event) -> StanceForm | None:
        """The form that decides, or None for a fact that needs none."""
        line = _Line(
            event.message[:MAX_JUDGED_CHARS],
            event.text[:MAX_JUDGED_CHARS],
            event.before[-1][:MAX_JUDGED_CHARS] if event.before else "",
            _level_of(event),
        )
        lowered = line.text.lower()
        for form in self._lines:
            if self._may_fit(form, lowered, line.level) and self._fits(form, line.part(form.part)):
                return form
        turns = [form for form in self._turns if self._may_fit(form, lowered, line.level)]
        return self._by_clauses(turns, line) if turns else None

    def _by_clauses(self, turns: Sequence[StanceForm], line: _Line) -> StanceForm | None:
        clauses = list(_clauses_of(line.message))
        states = [one for one in clauses if any(self._fits(form, one) for form in self._trouble)] or clauses[:1]
        turned = [next((form for form in turns if self._fits(form, one)), None) for one in states]
        return turned[0] if turned and all(turned) else None

    @staticmethod
    def _may_fit(form: StanceForm, lowered: str, level: str) -> bool:
        if form.levels and level not in form.levels:
            return False
        return not form.contains or any(literal in lowered for literal in form.contains)

    def _fits(self, form: StanceForm, text: str) -> bool:
        if form.id in self._out_of_time:
            return False
        try:
            return compiled(form.pattern).search(text, timeout=_TIMEOUT_S) is not None
        except TimeoutError:
            self._out_of_time[form.id] = f"the form of statements {form.id} ran out of time and was dropped"
            return False


def _level_of(event: Event) -> str:
    """The level that a line claims: the innermost that it names."""
    found = _CLAIMED.match(event.message)
    if found is not None:
        word = found["level"] or found["category"]
        return _LEVELS[word.lower()].name.lower()
    return event.level.name.lower() if event.level is not None else _NO_LEVEL


def _clauses_of(message: str) -> Iterator[str]:
    """The clauses of a message; the last one holds all that is left."""
    for clause in _CLAUSE_END.split(message, MAX_CLAUSES - 1):
        if clause and not clause.isspace():
            yield clause
