"""The tests that checked rule files carry."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from logrules.model.lint_finding import NodePath
from logrules.ruleset import models as schema
from logrules.ruleset.duration import seconds
from logrules.ruleset.framework_models import FrameworkFile
from logrules.ruleset.pack import HeaderSample
from logrules.ruleset.pack_builder import RuleSource
from logrules.ruletest.lint_targets import cards_in
from logrules.ruletest.samples import TABLES
from logrules.ruletest.suite import Example, Sample, Suite, WantedDiagnosis


def suite_of(sources: Sequence[RuleSource]) -> Suite:
    """The tests in these files, examples first."""
    examples = [example for source in sources for example in _examples(source)]
    return Suite((*examples, *(sample for source in sources for sample in _samples(source))))


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


def _samples(source: RuleSource) -> Iterator[Sample]:
    framework = source.file.framework if isinstance(source.file, FrameworkFile) else None
    for table in TABLES:
        for index, row in enumerate(getattr(source.file, table, ())):
            texts = (*_texts(row.samples), *((text, None, ("near", at)) for at, text in enumerate(_near(row))))
            for number, (text, expected, at) in enumerate(texts, start=1):
                place = source.document.place((table, index, *at))
                near = at[0] == "near"
                yield Sample(f"{framework or table}/{row.id}", number, place, table, text, expected, near)


def _near(row: Any) -> Sequence[str]:
    return getattr(row, "near", ())


def _texts(samples: Mapping[str, Any] | Sequence[str | HeaderSample]) -> Iterator[tuple[str, Any, NodePath]]:
    """The texts of a row's samples, what must be read from each, and where they stand in the row."""
    if isinstance(samples, Mapping):
        yield from ((text, expected, ("samples", text)) for text, expected in samples.items())
        return
    for at, sample in enumerate(samples):
        if isinstance(sample, str):
            yield sample, None, ("samples", at)
        else:
            yield sample.line, sample.expect, ("samples", at)
