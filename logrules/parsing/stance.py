"""What kind of statement a line is: a fact, advice, an echo, a retry, or a failure that was lived through.

Judged once for each line that a rule asked for, from the line and the one above it alone, so that a live log and a
saved one are judged alike. The forms are data (rules/stances.yaml).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache, partial
from typing import TypeAlias

from logrules.model.event import LEADING_LEVEL, LEVEL_NAMES, Event, Stance
from logrules.model.late_pattern import late_pattern
from logrules.ruleset.pattern import bounded
from logrules.ruleset.tables import Part, StanceForm

# What a line is says its beginning.
MAX_JUDGED_CHARS = 2_048
MAX_CLAUSES = 32
# Lines without their digits of which is known what they hold: more than a flood has, a megabyte or two at most.
KEPT_SHAPES = 512
_SHAPE = str.maketrans(dict.fromkeys("0123456789", "\0"))

_NO_LEVEL = "none"
# What is logged at these levels says what happened in its first clause.
_SEVERE = frozenset({"error", "fatal"})
# Where a clause ends: at a full stop, a semicolon, a dash, a bracket, or before what opens a subordinate clause.
_CLAUSE_END = late_pattern(
    r"(?<=[.!?;])\s+|[。；！？]|\s+[-–—]+\s+|\s*\((?=[a-z]{2})"
    r"|[,:]\s+(?=(?:this|which|that|try|please|consider|if|it|you|see|check|make|perhaps|possibly|maybe|likely)\b)|，(?=请|可|如)",
    re.IGNORECASE,
)
# A level at the start of the message, or the category under which Python's ``warnings`` print.
_CLAIMED = late_pattern(
    r"[\s|\[(<*]{0,8}(?:[\w.-]{1,40}: )?"
    rf"(?P<level>{LEADING_LEVEL}|(?:Debug|Info|Warning)(?=:))\b"
    r"|\s{0,40}(?:[^\s:]{1,300}:\d+: )?\w{0,60}(?P<category>Warning): "
)


# Forms that can fit a line: those of lines in their order, and those of its clauses.
_Fitting: TypeAlias = tuple[tuple[StanceForm, ...], tuple[StanceForm, ...]]


class StanceJudge:
    """Judges lines by the forms of a table, the first that fits decides. Holds no state of the log.

    ``dropped`` says of forms that ran out of time, each in a sentence; they are not tried again.
    """

    def __init__(self, forms: Sequence[StanceForm]) -> None:
        self._lines = [form for form in forms if form.part is not Part.CLAUSE]
        clauses = [form for form in forms if form.part is Part.CLAUSE]
        self._trouble = [form for form in clauses if form.stance is Stance.FACT]
        self._turns = [form for form in clauses if form.stance is not Stance.FACT]
        in_line = [form for form in forms if form.part is not Part.ABOVE]
        above = [form for form in forms if form.part is Part.ABOVE]
        self._out_of_time: dict[str, str] = {}
        # What varies in a line are mostly digits, so that all are taken for alike; the patterns tell them apart.
        self._held = lru_cache(KEPT_SHAPES)(partial(_held, _shapes_of(in_line)))
        self._held_above = lru_cache(KEPT_SHAPES)(partial(_held, _shapes_of(above)))
        self._fitting = lru_cache(KEPT_SHAPES)(self._fitting_any)

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
        text, message = event.text[:MAX_JUDGED_CHARS], event.message[:MAX_JUDGED_CHARS]
        above = event.before[-1][:MAX_JUDGED_CHARS] if event.before else ""
        level = _level_of(event)
        held = self._held(text.translate(_SHAPE)) | self._held_above(above.translate(_SHAPE))
        lines, turns = self._fitting(held, level)
        parts = {Part.TEXT: text, Part.ABOVE: f"{above}\n{message}"}
        for form in lines:
            if self._fits(form, parts.get(form.part, message)):
                return form
        return self._by_clauses(turns, message.lower(), level) if turns else None

    def _fitting_any(self, held: AbstractSet[str], level: str) -> _Fitting:
        """The forms that can fit a line of this level which holds these texts."""

        def fitting(forms: Iterable[StanceForm]) -> tuple[StanceForm, ...]:
            of_level = (form for form in forms if not form.levels or level in form.levels)
            return tuple(form for form in of_level if not form.contains or not held.isdisjoint(form.contains))

        return fitting(self._lines), fitting(self._turns)

    def _by_clauses(self, turns: Sequence[StanceForm], message: str, level: str) -> StanceForm | None:
        """The form that the first of the stating clauses fits, if each of them fits one."""
        clauses = _clauses_of(message)
        fitted = [next((form for form in turns if self._fits(form, one)), None) for one in clauses]
        if not any(fitted):
            return None
        # What fits no form is tried for trouble first: it makes a fact of the line whatever the others say.
        if any(form is None and self.tells_trouble(one) for one, form in zip(clauses, fitted, strict=True)):
            return None
        states = [form for one, form in zip(clauses, fitted, strict=True) if form and self.tells_trouble(one)]
        if not states or level in _SEVERE:
            return fitted[0]
        return states[0]

    def tells_trouble(self, message: str) -> bool:
        """Whether a message, or a clause of one, has words of trouble, whatever is said of it."""
        return any(self._fits(form, message.lower()[:MAX_JUDGED_CHARS]) for form in self._trouble)

    def _fits(self, form: StanceForm, text: str) -> bool:
        if form.id in self._out_of_time:
            return False
        try:
            return bounded(form.pattern).search(text) is not None
        except TimeoutError:
            self._out_of_time[form.id] = f"the form of statements {form.id} ran out of time and was dropped"
            return False


def _level_of(event: Event) -> str:
    """The level that a line claims: the innermost that it names."""
    found = _CLAIMED.match(event.message)
    if found is not None:
        word = found["level"] or found["category"]
        return LEVEL_NAMES[word.upper()].name.lower()
    return event.level.name.lower() if event.level is not None else _NO_LEVEL


def _clauses_of(message: str) -> list[str]:
    """The clauses of a message; the last one holds all that is left."""
    return [clause for clause in _CLAUSE_END.split(message, MAX_CLAUSES - 1) if clause and not clause.isspace()]


def _shapes_of(forms: Iterable[StanceForm]) -> Mapping[str, str]:
    """The texts that the forms ask for, each with what a line's shape has of it."""
    return {text: text.translate(_SHAPE) for form in forms for text in form.contains}


def _held(asked: Mapping[str, str], shape: str) -> AbstractSet[str]:
    """The texts that a line of this shape may hold."""
    lowered = shape.lower()
    return frozenset([text for text, its in asked.items() if its in lowered])
