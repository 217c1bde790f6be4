"""What is checked: the files that were asked for, among all that they are read together with."""

from collections.abc import Iterator

from logrules.model.lint_finding import LintFinding, NodePath
from logrules.model.record import record
from logrules.ruleset import models as schema
from logrules.ruleset.framework_models import FrameworkFile, MarkerFile, MetricFile
from logrules.ruleset.pack_builder import RuleSource


@record
class PlacedSignal:
    """A signal and where it stands; lines of a ``routine`` one are expected to be many."""

    source: RuleSource
    at: NodePath
    name: str
    signal: schema.SignalFile
    routine: bool = False

    def finding(self, code: str, message: str, *below: str | int, removes: NodePath | None = None) -> LintFinding:
        """A finding at the signal, or at what stands ``below`` it."""
        return finding_at(self.source, (*self.at, *below), code, message, removes)


def finding_at(
    source: RuleSource, at: NodePath, code: str, message: str, removes: NodePath | None = None
) -> LintFinding:
    """A finding at this path of a file."""
    return LintFinding(source.document.place(at), code, message, removes)


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


def cards_in(source: RuleSource) -> Iterator[tuple[str, NodePath, schema.CardFile]]:
    """The cards of rules and waits in a file, by what the pack calls them, with their paths."""
    match source.file:
        case schema.RuleFile() as rule:
            yield rule.id, (), rule
        case FrameworkFile(framework=framework, waits=waits):
            for number, wait in enumerate(waits):
                yield f"waits/{framework}/{wait.id}", ("waits", number), wait


def lines_for(here: PlacedSignal) -> Iterator[str]:
    """The lines that the file itself shows the signal: of examples that fire, and of samples."""
    match here.source.file:
        case schema.RuleFile(examples=examples):
            logs = (*(one.log for one in examples.fires), *(one.log for one in examples.silent))
            yield from (line for log in logs for line in log.splitlines())
        case FrameworkFile() if isinstance(here.signal, MarkerFile | MetricFile):
            yield from here.signal.samples
