"""What a person reads of a rule: decoded only when it is shown."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from logrules.model.report import Fix, Restart, Risk, Text


@dataclass(frozen=True, slots=True)
class Card:
    """Titles, reasons, fixes and references of a rule."""

    title: Text
    why: Text
    tell_apart: Text | None
    restart: Restart
    fixes: tuple[Fix, ...]
    references: tuple[str, ...]


def card_from(text: str) -> Card:
    """The card that a pack keeps as JSON text."""
    plain = json.loads(text)
    return Card(
        title=_text(plain["title"]),
        why=_text(plain["why"]),
        tell_apart=_text(plain["tell_apart"]) if plain.get("tell_apart") else None,
        restart=Restart(plain["restart"]),
        fixes=tuple(_fix(fix) for fix in plain["fixes"]),
        references=tuple(plain["references"]),
    )


def _text(plain: Mapping[str, str]) -> Text:
    return Text(plain["en"], plain["zh"])


def _fix(plain: Mapping[str, Any]) -> Fix:
    run = plain.get("run")
    return Fix(
        do=_text(plain["do"]),
        run=run["bash"] if isinstance(run, dict) else run,
        powershell=run.get("powershell") if isinstance(run, dict) else None,
        env=plain["env"],
        flags=tuple(plain["flags"]),
        config=plain["config"],
        code=plain.get("code"),
        note=_text(plain["note"]) if plain.get("note") else None,
        risk=Risk(plain["risk"]),
    )
