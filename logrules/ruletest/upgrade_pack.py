"""Packs of the old rule format rewritten: what their files say now, and which files go."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.ruleset.causes import Cause
from logrules.ruleset.compile import is_old
from logrules.ruleset.load import rule_bytes
from logrules.ruleset.rule_file import RuleText
from logrules.ruleset.translation_files import FOLDER
from logrules.ruleset.yaml_reader import Unreadable, parse_document, read_document
from logrules.ruletest.rule_writer import written
from logrules.ruletest.upgrade import Plain, Upgrade, upgrade_framework, upgrade_rule, upgrade_words


@dataclass(slots=True)
class Rewritten:
    """Files of a pack by their new content, and the old files in whose place they stand."""

    files: dict[Path, str] = field(default_factory=dict)
    gone: list[Path] = field(default_factory=list)


def upgraded(root: Path, paths: Iterable[Path], causes: Mapping[str, Cause]) -> Rewritten:
    """What the old files among ``paths``, in the pack at ``root``, say in today's format.

    Comments are lost; functions of frames are left out, since a table of origins knows them. Raises PackError where
    a file cannot be read or says what the old format did not.
    """
    found, to = Rewritten(), Upgrade()
    frameworks: dict[str, Plain] = {}
    for path in paths:
        try:
            data = read_document(path, str(path)).data
        except Unreadable as fault:
            raise PackError([fault.problem]) from None
        if not isinstance(data, dict) or not is_old(data):
            continue
        try:
            _take(data, path, root, causes, frameworks, found, to)
        except (KeyError, TypeError, AttributeError) as fault:
            message = f"does not fit the old format: {type(fault).__name__} {fault}"
            raise PackError([Problem(Position(str(path)), message)]) from None
        found.gone.append(path)
    for name, document in frameworks.items():
        found.files[root / "frameworks" / f"{name}.yaml"] = written(document)
    if to.translation:
        path = root / FOLDER / "zh.yaml"
        found.files[path] = written(_joined(path, to.translation))
    found.gone = [path for path in found.gone if path not in found.files]
    return found


def _take(
    data: Plain,
    path: Path,
    root: Path,
    causes: Mapping[str, Cause],
    frameworks: dict[str, Plain],
    found: Rewritten,
    to: Upgrade,
) -> None:
    """Put what an old file says into the new ones."""
    if "when" in data:
        derived = RuleText(str(path), b"", str(root), path).id
        said = {"id": data["id"]} if data["id"] != derived else {}
        found.files[path] = written(said | upgrade_rule(data, causes.get(data["cause"]), to))
    elif "framework" in data or "family" in data:
        new = upgrade_framework(data, causes, to)
        frameworks.setdefault(new["framework"], {}).update(new)
    else:
        for kind, name in (("phases", "pipeline.yaml"), ("causes", "causes.yaml")):
            if data.get(kind):
                found.files[path.parent / name] = written({kind: upgrade_words(data[kind], kind, to)})


def _joined(path: Path, new: Plain) -> Plain:
    """The translation that is there already, and the new one."""
    known: dict[str, Any] = {}
    if path.is_file():
        try:
            known = parse_document(rule_bytes(path), str(path)).data
        except Unreadable as fault:
            raise PackError([fault.problem]) from None
    kinds = {kind: {**known.get(kind, {}), **rows} for kind, rows in new.items() if isinstance(rows, dict)}
    return {**known, **new, **kinds}
