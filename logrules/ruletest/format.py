"""A rule file as it should be written: its layout by ruamel.yaml, which keeps comments; then its keys in order."""

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from logrules.model.errors import PackError
from logrules.model.lint_finding import LintFinding, NodePath
from logrules.model.position import Position, Problem
from logrules.ruleset.load import rule_bytes
from logrules.ruleset.yaml_reader import PlainLoader, parse_document
from logrules.ruletest.yaml_entries import ordered

# Long lines are one sentence or one log line: breaking them would hide what they say.
_NEVER_BROKEN = 1 << 30


def formatted(raw: bytes, shown: str, without: Iterable[NodePath] = ()) -> bytes:
    """The file in its canonical form, the parts at the paths ``without`` taken out.

    Raises PackError where it cannot be read, or would not say the same afterwards.
    """
    said = parse_document(raw, shown).data
    gone = sorted(without, key=_by_index, reverse=True)
    for path in gone:
        _take_out(said, path)
    try:
        text = ordered(_laid_out(raw, gone))
        same = yaml.load(text, Loader=PlainLoader) == said  # noqa: S506 (it is a safe one)
    except (YAMLError, yaml.YAMLError, RecursionError, AttributeError, ValueError) as fault:
        reason = str(fault).splitlines()[0] if str(fault) else type(fault).__name__
        raise PackError([Problem(Position(shown), f"cannot be formatted: {reason}")]) from None
    if not same:
        raise PackError([Problem(Position(shown), "cannot be formatted without changing what it says")])
    return text.encode()


def _laid_out(raw: bytes, gone: Iterable[NodePath]) -> str:
    layout = YAML()
    layout.preserve_quotes = True
    layout.width = _NEVER_BROKEN
    layout.indent(mapping=2, sequence=4, offset=2)
    document = layout.load(raw.decode("utf-8-sig"))
    for path in gone:
        _take_out(document, path)
    out = io.StringIO()
    layout.dump(document, out)
    return out.getvalue()


def _by_index(path: NodePath) -> tuple[tuple[int, str], ...]:
    """Later entries of a list are taken out before earlier ones, whose numbers then stay."""
    return tuple((part, "") if isinstance(part, int) else (-1, part) for part in path)


def _take_out(document: Any, path: NodePath) -> None:
    for part in path[:-1]:
        document = document[part]
    del document[path[-1]]


def autofixed(findings: Iterable[LintFinding], paths: Mapping[str, Path]) -> dict[Path, bytes]:
    """The new text of each file that a finding can be mended in; ``paths`` are the files by the names in findings.

    Raises PackError where a file cannot be written as it should be.
    """
    gone: dict[str, set[NodePath]] = {}
    for finding in findings:
        if finding.removes is not None and finding.place.path in paths:
            gone.setdefault(finding.place.path, set()).add(finding.removes)
    return {paths[shown]: formatted(rule_bytes(paths[shown]), shown, parts) for shown, parts in sorted(gone.items())}
