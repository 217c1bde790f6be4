"""The first steps in as many lines as are left: rather three told shortly than two at length."""

from collections.abc import Sequence
from itertools import chain
from typing import TypeAlias

from logrules.model.report import Fix
from logrules.output import messages as words
from logrules.output.shell import copyables, pasteable
from logrules.output.styled import COLUMNS, first_sentences, lines_taken

_MAX_DO = 2 * COLUMNS - 40
# Where a screen has room for it, all that a step says: what to do often stands in its second sentence.
_WHOLE_DO = 6 * COLUMNS
# The number of a step, beside which its words stand.
HANG = len("1. ")

# Lines of a step: how far in, the text, whether it is to be copied.
StepLines: TypeAlias = Sequence[tuple[int, str, bool]]


def forms_of(number: int, fix: Fix, language: str, shell: str) -> Sequence[StepLines]:
    """The lines of a step in several forms, the fullest first. What is to be copied stands whole or not at all."""
    copied = list(copyables(fix, shell))
    risk = f"  [{words.RISK[fix.risk].of(language)}]"
    head = f"{number}. {words.MARK_OF_RISK[fix.risk]}"
    forms = []
    for widest, most in ((_WHOLE_DO, 3), (_MAX_DO, 3), (_MAX_DO, 1), (_MAX_DO, 0), (0, 0)):
        shown = _whole(copied, most)
        more = f" {words.MORE_SAID.of(language)}" if len(shown) < len(copied) else ""
        do = f"{head}{first_sentences(fix.do.of(language), widest)}{risk}{more}"
        forms.append([(2, do, False), *((5, text, True) for text in chain.from_iterable(shown))])
    return forms


def _whole(copied: Sequence[Sequence[str]], most: int) -> Sequence[Sequence[str]]:
    """The first of what can be copied, in so many lines."""
    taken = 0
    for place, lines in enumerate(copied):
        taken += len(lines)
        if taken > most:
            return copied[:place]
    return copied


def fitted(steps: Sequence[Sequence[StepLines]], room: int, columns: int = COLUMNS) -> Sequence[StepLines]:
    """The form in which each step is shown, for as many steps as fit into ``room`` lines of a screen, at least one.

    None gets a fuller form before all have what the next shorter one says.
    """
    shown = [forms[-1] for forms in steps]
    while len(shown) > 1 and sum(height(lines, columns) for lines in shown) > room:
        shown.pop()
    left = room - sum(height(lines, columns) for lines in shown)
    for fuller in range(2, max(map(len, steps), default=0) + 1):
        for place, forms in enumerate(steps[: len(shown)]):
            more = height(forms[-fuller], columns) - height(shown[place], columns)
            if more <= left:
                shown[place], left = forms[-fuller], left - more
    return shown


def height(lines: StepLines, columns: int) -> int:
    """The lines of a screen that a step takes."""
    return sum(lines_taken(indent, text, columns, 0 if is_copied else HANG) for indent, text, is_copied in lines)


def in_one_line(fix: Fix, language: str) -> str:
    """What to do, and the command for it, as one sentence: the full stop of a step that has one would stand within."""
    do = fix.do.of(language)
    return f"{do.rstrip('.。')}: {pasteable(fix.run)}" if fix.run else do
