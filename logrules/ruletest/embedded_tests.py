"""The tests that checked rule files carry."""

from collections.abc import Iterator, Sequence

from logrules.ruleset import models as schema
from logrules.ruleset.duration import seconds
from logrules.ruleset.framework_models import FrameworkFile
from logrules.ruleset.pack_builder import RuleSource
from logrules.ruletest.suite import Example, HeaderSample, MarkerSample, MetricSample, Suite, WantedDiagnosis


def suite_of(sources: Sequence[RuleSource]) -> Suite:
    """The tests in these files."""
    phases = [(source, source.file) for source in sources if isinstance(source.file, FrameworkFile)]
    return Suite(
        tuple(example for source in sources for example in _examples(source)),
        tuple(sample for source, file in phases for sample in _marker_samples(source, file)),
        tuple(sample for source, file in phases for sample in _metric_samples(source, file)),
        tuple(sample for source, file in phases for sample in _header_samples(source, file)),
    )


def _examples(source: RuleSource) -> Iterator[Example]:
    for owner, card, at in _cards(source):
        rows: list[tuple[str, int, schema.FiresFile | schema.SilentFile]] = [
            *(("fires", index, example) for index, example in enumerate(card.examples.fires)),
            *(("silent", index, example) for index, example in enumerate(card.examples.silent)),
        ]
        for number, (kind, index, example) in enumerate(rows, start=1):
            place = source.document.place((*at, "examples", kind, index))
            quiet_s = seconds(example.quiet) if example.quiet else None
            wanted = _wanted(example) if isinstance(example, schema.FiresFile) else None
            yield Example(owner, number, place, example.log, quiet_s, kind == "fires", wanted)


def _cards(source: RuleSource) -> Iterator[tuple[str, schema.CardFile, tuple[str | int, ...]]]:
    match source.file:
        case schema.RuleFile() as rule:
            yield rule.id, rule, ()
        case FrameworkFile(framework=framework, waits=waits):
            for index, wait in enumerate(waits):
                yield f"waits/{framework}/{wait.id}", wait, ("waits", index)


def _wanted(example: schema.FiresFile) -> WantedDiagnosis | None:
    found = example.to_record(WantedDiagnosis)
    return found if found != WantedDiagnosis() else None


def _marker_samples(source: RuleSource, file: FrameworkFile) -> Iterator[MarkerSample]:
    for index, marker in enumerate(file.markers):
        name = f"{file.framework}/{marker.id}"
        place = source.document.place(("markers", index))
        lines = [*((line, True) for line in marker.samples), *((line, False) for line in marker.near)]
        for number, (line, carries) in enumerate(lines, start=1):
            yield MarkerSample(name, number, place, f"{name}:marker", line, carries)


def _metric_samples(source: RuleSource, file: FrameworkFile) -> Iterator[MetricSample]:
    for index, metric in enumerate(file.metrics):
        name = f"{file.framework}/{metric.id}"
        place = source.document.place(("metrics", index))
        for number, (line, value) in enumerate(metric.samples.items(), start=1):
            yield MetricSample(name, number, place, f"{name}:metric", line, float(value), metric.scale)


def _header_samples(source: RuleSource, file: FrameworkFile) -> Iterator[HeaderSample]:
    for index, header in enumerate(file.headers):
        place = source.document.place(("headers", index))
        for number, sample in enumerate(header.samples, start=1):
            yield HeaderSample(f"{file.framework}/{header.id}", number, place, sample.line, sample.expect)
