"""Paths of rule files to a Pack, or every problem in them at once; cached by content and version."""

import gc
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.ruleset.bounded_read import read_named
from logrules.ruleset.bounds import MAX_FILE_BYTES, MAX_PACK_BYTES, MAX_PACK_FILES
from logrules.ruleset.cache_files import can_keep, keep_for, kept_for
from logrules.ruleset.kept_values import cached_pack, keep_pack
from logrules.ruleset.pack import Pack
from logrules.ruleset.rule_file import SHIPPED, RuleText
from logrules.ruleset.settings import Settings
from logrules.ruleset.translation import TRANSLATIONS

SCHEMA_VERSION = "1"
# What a fixture case is called, wherever it lies.
CASE_NAME = "case.yaml"
# Under which is kept what pack files in a state came to.
_STATE = "state"
_ENGLISH = "en"
# Folders of a pack that hold something else than what it is compiled from.
_BESIDE = frozenset({"expect", TRANSLATIONS})


def shipped_rules() -> Path:
    """The rules that come with logrules: inside the installed package, else in the checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_rules"
    return installed if installed.is_dir() else package.parent / "rules"


def load_pack(
    folders: Sequence[str | Path] = (),
    *,
    settings: Settings | None = None,
    cache: bool = True,
    language: str = _ENGLISH,
) -> Pack:
    """The shipped rules, those that the settings name and those in ``folders``, later ones before earlier ones.

    Without settings, neither a configuration nor installed packs have a say. What people read is English, and in
    ``language`` too. Raises PackError with every problem.
    """
    state = _state(folders, settings, language) if cache else None
    noted = kept_for(_STATE, state) if state else None
    known = cached_pack(str(noted, "ascii", "replace")) if noted else None
    if known is not None:
        return known
    translations = _translations(language, settings, folders)
    texts = [*shipped_texts(), *own_texts(settings, map(Path, folders)), *translations]
    digest = digest_of([*texts, *settings_text(settings)])
    pack = cached_pack(digest) if cache else None
    if pack is None:
        pack = _compiled(texts, digest, settings, cache=cache)
        # The parser of conditions leaves cycles through its frames, and so through ours with every document.
        gc.collect()
        if cache:
            keep_pack(pack)
    if state:
        keep_for(_STATE, state, digest.encode())
    return pack


def is_to_be_kept(folders: Sequence[str | Path], settings: Settings, language: str) -> bool:
    """Whether `load_pack` has to look what the pack is, and most likely to compile it, and can keep it after that."""
    state = _state(folders, settings, language)
    return state is not None and kept_for(_STATE, state) is None and can_keep()


def is_shipped(folders: Sequence[str | Path], settings: Settings) -> bool:
    """Whether all rules are those that come with logrules, as they come."""
    return not (folders or settings.path or any(_packs_of(settings)))


def _compiled(texts: Sequence[RuleText], digest: str, settings: Settings | None, *, cache: bool) -> Pack:
    """The pack of the texts, put on the shipped one as it was kept where that can be done."""
    from logrules.ruleset import compile as compiling
    from logrules.ruleset.apply_settings import with_settings
    from logrules.ruleset.config import checked

    config = checked(settings)
    added = compiling.added_rules(texts, config) if cache else None
    if added is None:
        return compiling.compile_pack(texts, digest, config)
    return with_settings(added.pack(digest, load_pack()), config)


def _state(folders: Sequence[str | Path], settings: Settings | None, language: str) -> bytes | None:
    """What identifies everything that a pack is made of, as it is now on disk; None where a file cannot be seen.

    To read three hundred files takes longer than a diagnosis: one counts as the same while its path, size, inode and
    time of change are.
    """
    packs = list(_packs_of(settings))
    roots = [Path(__file__).parent, shipped_rules(), *(folder for _, folder in packs), *map(Path, folders)]
    texts = (f"{one.shown}\n{one.raw.decode()}" for one in settings_text(settings))
    try:
        seen = [line for root in roots for line in sorted(_seen(root))]
    except (OSError, ValueError):  # what reads them says which; a NUL in a name is a wrong value
        return None
    names = (name for name, _ in packs if name)
    return "\n".join((*seen, SCHEMA_VERSION, language, *texts, *names, "")).encode(errors="surrogateescape")


def _seen(root: Path) -> Iterator[str]:
    status = root.stat()
    yield f"{root} {status.st_mtime_ns} {status.st_size} {status.st_ino}"
    folders = [str(root)] if root.is_dir() else []
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.name.endswith((".yaml", ".yml", ".py")):
                    status = entry.stat()
                    yield f"{entry.path} {status.st_mtime_ns} {status.st_size} {status.st_ino}"


def shipped_texts() -> Iterator[RuleText]:
    """The rule files that come with logrules, under the names that they have in its repository."""
    return _texts_called(SHIPPED, shipped_rules(), origin="")


def own_texts(settings: Settings | None, folders: Iterable[Path]) -> list[RuleText]:
    """The rule files beside the shipped ones: those of the settings, then those at or below the folders.

    A file that several of them have counts once, where it comes last.
    """
    packs = _packs_of(settings)
    named = (_texts_called(name, root, origin=name) if name else rule_texts([root]) for name, root in packs)
    texts = [*chain.from_iterable(named), *rule_texts(folders)]
    last = {text.path.resolve(): place for place, text in enumerate(texts)}
    return [texts[place] for place in sorted(last.values())]


def _translations(language: str, settings: Settings | None, folders: Iterable[str | Path]) -> Iterator[RuleText]:
    """What packs say in another language than English: of the shipped one too it comes beside what is compiled."""
    for root in (shipped_rules(), *(folder for _, folder in _packs_of(settings)), *map(Path, folders)):
        path = root / TRANSLATIONS / f"{language}.yaml"
        if language != _ENGLISH and path.is_file():
            yield _text(path, str(path), str(root))


def _packs_of(settings: Settings | None) -> Iterator[tuple[str, Path]]:
    """(name, folder) of each installed pack, then of those that the configuration names, which are called nothing."""
    if settings is None:
        return
    if settings.installed:
        from logrules.ruleset.entry_points import installed_packs

        yield from installed_packs()
    yield from (("", folder) for folder in settings.packs)


def _texts_called(name: str, root: Path, origin: str) -> Iterator[RuleText]:
    """The rule files of a pack that messages call by a name, wherever it lies."""
    return (_text(path, str(name / path.relative_to(root)), origin) for path in _rule_files(root))


def settings_text(settings: Settings | None) -> tuple[RuleText, ...]:
    """What the settings themselves say, to be told apart from what they said before."""
    return (RuleText(settings.path, settings.table.encode()),) if settings and settings.path else ()


def rule_texts(roots: Iterable[Path]) -> Iterator[RuleText]:
    """Every YAML file below the roots, in a stable order. Raises PackError where one cannot be read."""
    for root in roots:
        size = 0
        for path in _rule_files(root):
            text = _text(path, str(path), str(root if root.is_dir() else root.parent))
            size += len(text.raw)
            if size > MAX_PACK_BYTES:
                raise PackError([Problem(Position(str(root), 0), f"has more than {MAX_PACK_BYTES} bytes of rules")])
            yield text


def _text(path: Path, shown: str, origin: str) -> RuleText:
    return RuleText(shown, rule_bytes(path), origin, path)


def rule_bytes(path: Path) -> bytes:
    """The content of a rule file. Raises PackError where it is none, is too big or cannot be read."""
    return read_named(path, MAX_FILE_BYTES)


def _rule_files(root: Path) -> list[Path]:
    """The files that make up a pack: neither cases nor profiles nor translations."""
    return [
        path
        for path in yaml_files(root)
        if path == root or (path.name != CASE_NAME and not _BESIDE.intersection(path.relative_to(root).parts))
    ]


def yaml_files(root: Path) -> list[Path]:
    """The YAML files at or below a path, in a stable order. Raises PackError where there is no such path."""
    if root.is_file():
        return [root]
    if not root.is_dir():
        raise PackError([Problem(Position(str(root), 0), "no such file or folder of rules")])
    found = islice((path for kind in ("*.yaml", "*.yml") for path in root.rglob(kind)), MAX_PACK_FILES + 1)
    files = sorted(found)
    if len(files) > MAX_PACK_FILES:
        raise PackError([Problem(Position(str(root), 0), f"has more than {MAX_PACK_FILES} files of rules")])
    return files


def digest_of(texts: Sequence[RuleText]) -> str:
    """What identifies these texts and the code that compiles them."""
    import hashlib

    seen = hashlib.sha256(f"{SCHEMA_VERSION} {_code_digest()}".encode())
    for text in texts:
        # Names of files need not be UTF-8.
        seen.update(b"\0%s\0%d\0" % (os.fsencode(text.shown), len(text.raw)))
        seen.update(text.raw)
    return seen.hexdigest()


def _code_digest() -> str:
    """The compiler's own text: a changed checkout must not read what an older one cached."""
    import hashlib

    seen = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        seen.update(path.read_bytes())
    return seen.hexdigest()
