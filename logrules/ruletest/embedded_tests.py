"""The tests that checked rule files carry."""

from collections.abc import Iterator, Sequence

from logrules.ruleset import models as schema
from logrules.ruleset.duration import seconds
from logrules.ruleset.framework_models import FrameworkFile
from logrules.ruleset.pack_builder import RuleSource
from logrules.ruleset.table_reader import ExceptionsFile
from logrules.ruleset.tables import EXCEPTIONS
from logrules.ruletest.lint_targets import cards_in
from logrules.ruletest.suite import (
    AnySample,
    Example,
    ExceptionSample,
    HeaderSample,
    MarkerSample,
    MetricSample,
    Suite,
    WantedDiagnosis,
)


def suite_of(sources: Sequence[RuleSource]) -> Suite:
    """The tests in these files, examples first."""
    examples = [example for source in sources for example in _examples(source)]
    return Suite((*examples, *(sample for source in sources for sample in _samples(source))))


def _samples(source: RuleSource) -> Iterator[AnySample]:
    if isinstance(source.file, FrameworkFile):
        yield from _marker_samples(source, source.file)
        yield from _metric_samples(source, source.file)
        yield from _header_samples(source, source.file)
    elif isinstance(source.file, ExceptionsFile):
        yield from _exception_samples(source, source.file)


def _examples(source: RuleSource) -> Iterator[Example]:
    for owner, at, card in cards_in(source):
        fires = [("fires", index, example, _wanted(example)) for index, example in enumerate(card.examples.fires)]
        silent = [("silent", index, example, None) for index, example in enumerate(card.examples.silent)]
        for number, (kind, index, example, wanted) in enumerate((*fires, *silent), start=1):
            place = source.document.place((*at, "examples", kind, index))
            quiet_s = seconds(example.quiet) if example.quiet else None
            yield Example(owner, number, place, example.log, quiet_s, kind == "fires", wanted, tuple(example.dumps))


def _wanted(example: schema.FiresFile) -> WantedDiagnosis | None:
    found = example.to_record(WantedDiagnosis)
    return found if found != WantedDiagnosis() else None


def _marker_samples(source: RuleSource, file: FrameworkFile) -> Iterator[MarkerSample]:
    for index, marker in enumerate(file.markers):
        name = f"{file.framework}/{marker.id}"
        place = source.document.place(("markers", index))
        lines = [*((line, True) for line in marker.samples), *((line, False) for line in marker.near)]
        for number, (line, carries) in enumerate(lines, start=1):
            yield MarkerSample(name, number, place, line, carries)


def _metric_samples(source: RuleSource, file: FrameworkFile) -> Iterator[MetricSample]:
    for index, metric in enumerate(file.metrics):
        name = f"{file.framework}/{metric.id}"
        place = source.document.place(("metrics", index))
        for number, (line, value) in enumerate(metric.samples.items(), start=1):
            yield MetricSample(name, number, place, line, float(value), metric.scale)


def _header_samples(source: RuleSource, file: FrameworkFile) -> Iterator[HeaderSample]:
    for index, header in enumerate(file.headers):
        place = source.document.place(("headers", index))
        for number, sample in enumerate(header.samples, start=1):
            yield HeaderSample(f"{file.framework}/{header.id}", number, place, sample.line, sample.expect)


def _exception_samples(source: RuleSource, file: ExceptionsFile) -> Iterator[ExceptionSample]:
    for index, row in enumerate(file.exceptions):
        lines = [(kind, at) for kind in ("samples", "near") for at in range(len(getattr(row, kind)))]
        for number, (kind, at) in enumerate(lines, start=1):
            place = source.document.place(("exceptions", index, kind, at))
            yield ExceptionSample(EXCEPTIONS + row.id, number, place, getattr(row, kind)[at], kind == "samples")
