"""Translations found beside the rules, read, and kept: only where another language than English was asked for."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.ruleset.bounded_read import read_named
from logrules.ruleset.bounds import MAX_FILE_BYTES
from logrules.ruleset.kept_values import keep_value, kept_value
from logrules.ruleset.rule_file import RuleText
from logrules.ruleset.translation import Translation, joined

FOLDER = "translations"


def translation_for(language: str, roots: Iterable[Path], code: str) -> Translation:
    """What the packs in these folders say in this language, later ones before earlier ones.

    ``code`` identifies the version that reads them. Raises PackError with every problem in them.
    """
    paths = [path for root in roots if (path := root / FOLDER / f"{language}.yaml").is_file()]
    if not paths:
        return Translation()
    texts = [read_named(path, MAX_FILE_BYTES) for path in paths]
    seen = hashlib.sha256(code.encode())
    for text in texts:
        seen.update(f"\0{len(text)}\0".encode())
        seen.update(text)
    kind = f"translation-{language}"
    known = kept_value(kind, seen.hexdigest(), Translation)
    if known is None:
        known = _read(language, paths, texts)
        keep_value(kind, seen.hexdigest(), known)
    return known


def _read(language: str, paths: Sequence[Path], texts: Sequence[bytes]) -> Translation:
    from logrules.ruleset.compile import read_source

    files: list[Translation] = []
    problems: list[Problem] = []
    for path, text in zip(paths, texts, strict=True):
        source, faults = read_source(RuleText(str(path), text, path=path))
        problems += faults
        if source is not None and isinstance(source.file, Translation):
            files.append(source.file)
        elif not faults:
            problems.append(Problem(Position(str(path)), "is no translation: it has no `language`", kind="schema"))
    if problems:
        raise PackError(problems)
    return joined(language, files)
