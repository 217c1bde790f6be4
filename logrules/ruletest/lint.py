"""Paths of rule files to everything that is wrong in them."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

from logrules.engine.run import prepared
from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.model.record import record
from logrules.ruleset.apply_settings import unknown_names
from logrules.ruleset.compile import read_source, read_sources
from logrules.ruleset.config import Config, checked
from logrules.ruleset.load import shipped_rules
from logrules.ruleset.pack import Pack
from logrules.ruleset.rule_file import RuleSource, RuleText
from logrules.ruleset.settings import Settings
from logrules.ruleset.vocabulary import Vocabulary
from logrules.ruletest import file_checks
from logrules.ruletest.collect import asked_texts, known_collection, shipped_cases
from logrules.ruletest.duplicate_checks import duplicate_rules
from logrules.ruletest.file_contents import signals_in
from logrules.ruletest.rule_tests import Case, Suite, examples_of, find_cases, read_cases
from logrules.ruletest.samples import misread_headers
from logrules.ruletest.signal_checks import literal_findings, pattern_findings
from logrules.ruletest.translation_checks import translation_findings, translations_in

Value = TypeVar("Value")

# A finding that is meant: `# logrules: ignore=LR103 the only text of the line`.
_COMMENT = re.compile(r"#\s*logrules:\s*ignore=([A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*)[ \t]*(.*)$")
_WHOLE_FILE = 0
# What one file shows by itself.
_OF_ONE_FILE: tuple[Callable[[RuleSource], Iterable[Problem]], ...] = (
    file_checks.unused_signals,
    file_checks.references,
    file_checks.place,
    file_checks.placeholders,
    file_checks.crowded_patterns,
    file_checks.harmless_changes,
)


@record
class LintReport:
    """What was found, by place, and in how many files; ``paths`` are the rule files by the names that findings use."""

    findings: tuple[Problem, ...]
    files: int
    paths: Mapping[str, Path]


def check(paths: Sequence[Path], settings: Settings, *, processes: int | None = 1, online: bool = False) -> LintReport:
    """Everything that is wrong in the files at or below the paths.

    Without paths it is the packs that the settings name or, where they name none, all that is shipped. With
    ``online`` file_checks.references are asked for. Raises PackError where a path does not exist.
    """
    given = list(paths) or list(settings.packs)
    texts, asked = asked_texts(given, settings)
    shipped = read_cases(find_cases(shipped_cases()))
    cases = find_cases(given)
    of_cases = _tried(lambda: read_cases(cases))[1]
    found = [*_Lint(texts, asked, settings, shipped, processes, online).findings(), *of_cases]
    ignores = [one for text in asked for one in ignores_in(text.raw.decode("utf-8", "replace"), text.shown)]
    findings = sorted(set(without_ignored(found, ignores)), key=lambda one: (one.place, one.code, one.message))
    count = len(asked) + len(cases if given else shipped)
    return LintReport(tuple(findings), count, {text.shown: text.path for text in asked})


def _tried(read: Callable[[], Value]) -> tuple[Value | None, Sequence[Problem]]:
    """What is read, or what is wrong there."""
    try:
        return read(), ()
    except PackError as fault:
        return None, fault.problems


@record
class _Lint:
    """Rule files to look through: those ``asked`` for among all ``texts`` that have a say, beside the shipped cases."""

    texts: Sequence[RuleText]
    asked: Sequence[RuleText]
    settings: Settings
    shipped: Sequence[Case]
    processes: int | None
    online: bool

    def findings(self) -> Iterator[Problem]:
        """What is wrong in the files that are asked for."""
        shown = {text.shown for text in self.asked} | {self.settings.path}
        config, problems = _tried(lambda: checked(self.settings))
        yield from problems
        read = cache(read_source)  # what has to be compiled is looked through too
        tested, faults = _tried(lambda: known_collection(self.texts, None if problems else self.settings, read))
        yield from (fault for fault in faults if fault.place.path in shown)
        reading = read_sources(self.texts if tested is None else self.asked, config, read)
        sources = [source for source in reading.sources if source.document.path in shown]
        if tested is None:
            opened = frozenset(file_checks.opened_waits(reading.sources))
        else:
            opened = frozenset(name for marker in tested[0].markers for name in marker.opens)
        yield from self._of_sources(sources, opened)
        yield from self._of_translations(sources)
        if tested is not None and not problems:
            yield from self._of_pack(*tested, sources, config)
        if self.online:
            yield from file_checks.gone_references(sources)

    def _of_sources(self, sources: Sequence[RuleSource], opened: Collection[str]) -> Iterator[Problem]:
        """What reading the files shows, whether or not they make a pack; ``opened`` are the waits that markers open."""
        for source in sources:
            for look in _OF_ONE_FILE:
                yield from look(source)
        signals = [here for source in sources for here in signals_in(source)]
        yield from literal_findings(signals, [log for case in self.shipped for log in case.logs])
        for here in signals:
            yield from pattern_findings(here)
        yield from file_checks.unopened_waits(sources, opened)

    def _of_translations(self, sources: Sequence[RuleSource]) -> Iterator[Problem]:
        """What the translations of these files' packs leave out."""
        origins = {source.origin for source in sources}
        folders = {text.origin: Path(text.origin) if text.origin else shipped_rules() for text in self.texts}
        for source, problems in translations_in({origin: folders[origin] for origin in folders if origin in origins}):
            yield from problems
            if source is not None:
                yield from translation_findings(source, [one for one in sources if one.origin == source.origin])

    def _of_pack(
        self, pack: Pack, suite: Suite, sources: Sequence[RuleSource], config: Config | None
    ) -> Iterator[Problem]:
        """What only the pack that the files make shows, or running its rules."""
        yield from unknown_names(pack, config) if config is not None else ()
        vocabulary = Vocabulary.of_pack(pack)
        for source in sources:
            yield from file_checks.missing_captures(source, pack, vocabulary)
        on = prepared(pack, cache=True)
        shown = {source.document.path for source in sources}
        yield from misread_headers(on, [one for one in suite if one.place.path in shown])
        yield from duplicate_rules(sources, on, examples_of(suite), self.shipped, self.processes)


@record
class Ignored:
    """A code that a comment ignores, where the comment is, and the line that it speaks of (0: the whole file)."""

    code: str
    place: Position
    line: int
    reason: str


def ignores_in(text: str, path: str) -> Iterator[Ignored]:
    """The codes that the comments of a file ignore.

    One counts for its own line, or alone on a line for the next that is no comment; above the first key, for the file.
    """
    lines = text.splitlines()
    first = next((number for number, line in enumerate(lines, start=1) if not _silent(line)), len(lines) + 1)
    for number, line in enumerate(lines, start=1):
        if comment := _COMMENT.search(line):
            place = Position(path, number, comment.start() + 1)
            for code in re.split(r"\s*,\s*", comment[1]):
                yield Ignored(code, place, _line_meant(lines, number, first), comment[2].strip())


def _silent(line: str) -> bool:
    """Whether a line says nothing but a comment."""
    return not line.strip() or line.lstrip().startswith("#")


def _line_meant(lines: Sequence[str], number: int, first: int) -> int:
    if number < first:
        return _WHOLE_FILE
    if not _silent(lines[number - 1]):
        return number
    return next((one for one, line in enumerate(lines[number:], start=number + 1) if not _silent(line)), number)


def without_ignored(findings: Iterable[Problem], ignores: Sequence[Ignored]) -> Iterator[Problem]:
    """The findings that nobody ignores, and what is wrong with the comments themselves."""
    used: set[Ignored] = set()
    for finding in findings:
        here = [one for one in ignores if (one.place.path, one.code) == (finding.place.path, finding.code)]
        meant = [one for one in here if one.line in {_WHOLE_FILE, finding.place.line}]
        used.update(meant)
        if not meant:
            yield finding
    for one in ignores:
        if not one.reason:
            yield Problem(one.place, f"{one.code} is ignored without a reason", code="LR901")
        if one not in used:
            yield Problem(one.place, f"there is no {one.code} to ignore here", code="LR902")
