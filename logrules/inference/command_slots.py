"""What a log says put into a command: always as one word, never as an option, never ending a quote.

Log text is hostile: what a shell could read as more than text is left out before it is quoted.
"""

import re
from collections.abc import Mapping

from logrules.model.late_pattern import late_pattern
from logrules.model.report import Text
from logrules.ruleset.rule_text import SLOT

# A comma makes a list in PowerShell, and @ a table.
_PLAIN = late_pattern(r"[\w%+=:./-]+")
_UNSAFE = late_pattern(r"[^\w./:@%+=,\-\[\]() \\]")
# What the reader has to fill in may name a value: <pid of rank {rank}>.
_IN_PLACEHOLDER = late_pattern(r"<[A-Za-z][^<>|;&]*$")
_NO_WORD = late_pattern(r"[\W_]+")
_MAX_VALUE = 200
_MAX_SAID = 200
# Controls, marks of writing direction, line and paragraph separators, lone surrogates: no sentence of ours has them.
_CONTROLS = late_pattern(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)


def filled_command(template: str | None, captures: Mapping[str, str], *, powershell: bool = False) -> str | None:
    """The command with values in its slots, quoted as the place asks; a slot without a value becomes ``<name>``."""
    if template is None:
        return None
    quote, at, parts = "", 0, []
    for slot in SLOT.finditer(template):
        before = template[at : slot.start()]
        quote = _quote_after(before, quote, "`" if powershell else "\\")
        value = harmless(captures.get(slot[1], ""))
        if not value and slot[2]:
            # The words of whoever wrote the step, as the rest of the command is.
            parts += [before, slot[2]]
        elif _IN_PLACEHOLDER.search(before):
            # It becomes one word with what stands around it.
            parts += [before, _NO_WORD.sub("_", value) or slot[1]]
        else:
            parts += [before, _as_word(value, quote, powershell=powershell) if value else f"<{slot[1]}>"]
        at = slot.end()
    return "".join(parts) + template[at:]


def filled_value(template: str, captures: Mapping[str, str]) -> str:
    """The value of a variable with values in its slots; the shell's quotes come later."""

    def filled(slot: re.Match[str]) -> str:
        # What stands there otherwise are the words of whoever wrote the step.
        return harmless(captures.get(slot[1], "")).replace("\\", "/") or slot[2] or f"<{slot[1]}>"

    return SLOT.sub(filled, template)


def is_filled(template: str, captures: Mapping[str, str]) -> bool:
    """Whether the log says something for each slot."""
    return all(_value(slot, captures) for slot in SLOT.finditer(template))


def _value(slot: re.Match[str], captures: Mapping[str, str]) -> str:
    return captures.get(slot[1], "") or slot[2] or ""


def harmless(value: str) -> str:
    """The value without what a shell could act on; empty where it could be read as an option."""
    return "" if value.startswith("-") else _UNSAFE.sub("_", value)[:_MAX_VALUE]


def _quote_after(text: str, quote: str, escape: str) -> str:
    """The quote that is open behind the text, where ``quote`` was open before it."""
    skip = False
    for char in text:
        if skip:
            skip = False
        elif char == escape and quote != "'":
            skip = True
        elif char == quote:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
    return quote


def _as_word(value: str, quote: str, *, powershell: bool) -> str:
    if quote == '"':
        return value if powershell else value.replace("\\", "\\\\")
    return value if quote == "'" or _PLAIN.fullmatch(value) else f"'{value}'"


def has_slots(text: Text) -> bool:
    """Whether a sentence may have slots, in any language."""
    return "{" in text.en or "{" in text.zh


def filled_text(text: Text, captures: Mapping[str, str]) -> Text:
    """A sentence with what the log says in its slots, in each language."""
    return Text(_fill(text.en, captures), _fill(text.zh, captures))


def with_open_text(text: Text) -> Text:
    """A sentence for no log in particular, in each language: `<name>` stands where a log would say something."""
    return Text(SLOT.sub(_open_slot, text.en), SLOT.sub(_open_slot, text.zh))


def _open_slot(slot: re.Match[str]) -> str:
    return slot[2] or f"`<{slot[1]}>`"


def _fill(text: str, captures: Mapping[str, str]) -> str:
    """A sentence with what the log says in its slots, a blank where the log says a control character.

    Nothing runs it; what else a form has to escape, it escapes itself.
    """
    if "{" not in text:
        return text
    return SLOT.sub(lambda slot: _CONTROLS.sub(" ", (_value(slot, captures) or f"<{slot[1]}>")[:_MAX_SAID]), text)
