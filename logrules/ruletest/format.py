"""A rule file as it should be written: plain data made one, or one laid out anew, its comments kept; keys in order."""

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import getitem
from pathlib import Path

import yaml

from logrules.model.errors import PackError
from logrules.model.position import NodePath, Position, Problem
from logrules.ruleset.load import rule_bytes
from logrules.ruleset.yaml_reader import parse_document
from logrules.ruletest.yaml_layout import in_reverse, laid_out

# Long lines are one sentence or one log line: breaking them would hide what they say.
_NEVER_BROKEN = 1 << 30


def formatted(raw: bytes, shown: str, without: Iterable[NodePath] = ()) -> bytes:
    """The file in its canonical form, the parts at the paths ``without`` taken out.

    Raises PackError where it cannot be read, or would not say the same afterwards.
    """
    said = parse_document(raw, shown).data
    gone = in_reverse(without)
    for *above, last in gone:
        del reduce(getitem, above, said)[last]
    try:
        text = laid_out(raw.decode("utf-8-sig"), gone).encode()
        same = text == raw or parse_document(text, shown).data == said
    except (yaml.YAMLError, ValueError) as fault:
        raise PackError([Problem(Position(shown), f"cannot be formatted: {str(fault).splitlines()[0]}")]) from None
    if not same:
        raise PackError([Problem(Position(shown), "cannot be formatted without changing what it says")])
    return text


def autofixed(findings: Iterable[Problem], paths: Mapping[str, Path]) -> dict[Path, bytes]:
    """The new text of each file that a finding can be mended in; ``paths`` are the files by the names in findings.

    Raises PackError where a file cannot be written as it should be.
    """
    gone: dict[str, set[NodePath]] = {}
    for finding in findings:
        if finding.removes is not None and finding.place.path in paths:
            gone.setdefault(finding.place.path, set()).add(finding.removes)
    return {paths[shown]: formatted(rule_bytes(paths[shown]), shown, parts) for shown, parts in sorted(gone.items())}


def written(data: Mapping[str, object]) -> str:
    """The text of a file that says this; it is still to be formatted."""
    text: str = yaml.safe_dump(data, sort_keys=False, width=_NEVER_BROKEN, allow_unicode=True)
    return text
