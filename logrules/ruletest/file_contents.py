"""What checked rule files hold: signals and cards with their places, the lines shown for them, and tests."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from logrules.model.position import NodePath, Problem
from logrules.model.record import record
from logrules.ruleset import models as schema
from logrules.ruleset.duration import seconds
from logrules.ruleset.framework_models import FrameworkFile, MarkerFile, MetricFile
from logrules.ruleset.pack import HeaderSample
from logrules.ruleset.rule_file import RuleSource
from logrules.ruletest.rule_tests import Example, Sample, Suite, WantedDiagnosis
from logrules.ruletest.samples import TABLES


@record
class Placed:
    """A part of a rule file, by what the pack calls it, and where it stands."""

    source: RuleSource
    at: NodePath
    name: str

    def problem(
        self, code: str, message: str, *below: str | int, hint: str | None = None, removes: NodePath | None = None
    ) -> Problem:
        """A fault of the part, or of what stands ``below`` it."""
        return self.source.problem((*self.at, *below), message, hint, code=code, removes=removes)


@record
class PlacedSignal(Placed):
    """A signal; lines of a ``routine`` one are expected to be many."""

    signal: schema.SignalFile
    routine: bool = False


def signals_in(source: RuleSource) -> Iterator[PlacedSignal]:
    """The signals of rules, markers and metrics in a file; how headers look is another matter."""
    match source.file:
        case schema.RuleFile(signals=signals, with_=evidence):
            for key, named in (("signals", signals), ("with", evidence)):
                for name, signal in named.items():
                    yield PlacedSignal(source, (key, name), name, signal)
        case FrameworkFile(markers=markers, metrics=metrics):
            for number, marker in enumerate(markers):
                yield PlacedSignal(source, ("markers", number), marker.id, marker, marker.progress)
            for number, metric in enumerate(metrics):
                yield PlacedSignal(source, ("metrics", number), metric.id, metric, routine=True)


@record
class PlacedCard(Placed):
    """The card of a rule or a wait."""

    card: schema.CardFile


def cards_in(source: RuleSource) -> Iterator[PlacedCard]:
    """The cards of rules and waits in a file."""
    match source.file:
        case schema.RuleFile() as rule:
            yield PlacedCard(source, (), rule.id, rule)
        case FrameworkFile(framework=framework, waits=waits):
            for number, wait in enumerate(waits):
                yield PlacedCard(source, ("waits", number), f"waits/{framework}/{wait.id}", wait)


def lines_for(here: PlacedSignal) -> Iterator[str]:
    """The lines that the file itself shows the signal: of examples that fire, and of samples."""
    match here.source.file:
        case schema.RuleFile(examples=examples):
            logs = (*(one.log for one in examples.fires), *(one.log for one in examples.silent))
            yield from (line for log in logs for line in log.splitlines())
        case FrameworkFile() if isinstance(here.signal, MarkerFile | MetricFile):
            yield from here.signal.samples


def suite_of(sources: Sequence[RuleSource]) -> Suite:
    """The tests in these files, examples first."""
    examples = [example for source in sources for example in _examples(source)]
    return (*examples, *(sample for source in sources for sample in _samples(source)))


def _examples(source: RuleSource) -> Iterator[Example]:
    for here in cards_in(source):
        said = here.card.examples
        fires = [("fires", index, example, _wanted(example)) for index, example in enumerate(said.fires)]
        silent = [("silent", index, example, None) for index, example in enumerate(said.silent)]
        for number, (kind, index, example, wanted) in enumerate((*fires, *silent), start=1):
            place = source.document.place((*here.at, "examples", kind, index))
            quiet_s = seconds(example.quiet) if example.quiet else None
            yield Example(here.name, number, place, example.log, quiet_s, kind == "fires", wanted, tuple(example.dumps))


def _wanted(example: schema.FiresFile) -> WantedDiagnosis | None:
    found = WantedDiagnosis(**schema.fields_of(example, WantedDiagnosis))
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
