"""Rule files as they were written before causes had a table: told from today's, with what to do about them."""

from collections.abc import Mapping

_OLD_KEYS = frozenset({"certainty", "weight", "yields_to", "tell_apart"})
ADVICE = "`logrules fmt --upgrade` rewrites it and puts its Chinese texts into translations/zh.yaml"


def is_old(data: Mapping[str, object]) -> bool:
    """Whether a document is a rule, phase, format or vocabulary file of the old format."""
    if "expect" in data:
        return False
    if "family" in data or ("phases" in data and "causes" in data and "language" not in data):
        return True
    cards = [data, *_rows(data.get("waits")), *_rows(data.get("causes")), *_rows(data.get("phases"))]
    return any(_OLD_KEYS & card.keys() or _bilingual(card.get("title")) for card in cards)


def _rows(value: object) -> list[Mapping[str, object]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _bilingual(value: object) -> bool:
    return isinstance(value, dict) and "en" in value
