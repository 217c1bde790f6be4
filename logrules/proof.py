"""All examples of all rules of a pack, and the samples of its markers and metrics."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from logrules.examples import Bench, ExampleResult, bench, captures_in, failures
from logrules.pack import schema
from logrules.pack.assemble import Source
from logrules.pack.compile import read_source
from logrules.pack.load import rule_texts, shipped_rules
from logrules.pack.pack import Pack
from logrules.reason.metrics import number


def prove(pack: Pack, folders: Sequence[str] = (), word: str = "") -> Iterator[ExampleResult]:
    """Each example's result, for the rules and waits whose id contains ``word``; markers and metrics too."""
    on = bench(pack)
    for text in rule_texts([shipped_rules(), *map(Path, folders)]):
        source, _ = read_source(text)
        if source is None:
            continue
        for rule, card, at in _cards(source):
            if word not in rule:
                continue
            for place_number, example in enumerate(card.examples, start=1):
                place = source.document.place((*at, "examples", place_number - 1))
                yield ExampleResult(rule, place_number, str(place), list(failures(on, rule, example)))
        if isinstance(source.file, schema.PhaseFile) and word in source.file.framework:
            yield from _samples(on, source, source.file)


def _cards(source: Source) -> Iterator[tuple[str, schema.CardFile, tuple[str | int, ...]]]:
    match source.file:
        case schema.RuleFile() as rule:
            yield rule.id, rule, ()
        case schema.PhaseFile(framework=framework, waits=waits):
            for index, wait in enumerate(waits):
                yield f"waits/{framework}/{wait.id}", wait, ("waits", index)


def _samples(on: Bench, source: Source, file: schema.PhaseFile) -> Iterator[ExampleResult]:
    numbers = {signal.id: index for index, signal in enumerate(on.pack.signals)}
    for index, marker in enumerate(file.markers):
        name = f"{file.framework}/{marker.id}"
        signal = numbers[f"{name}:marker"]
        faults = [f"does not recognise {line!r}" for line in marker.samples if captures_in(on, line, signal) is None]
        faults += [f"recognises {line!r}" for line in marker.near if captures_in(on, line, signal) is not None]
        yield ExampleResult(name, 1, str(source.document.place(("markers", index))), faults)
    for index, metric in enumerate(file.metrics):
        name = f"{file.framework}/{metric.id}"
        signal = numbers[f"{name}:metric"]
        read = {line: _value(captures_in(on, line, signal), metric.scale) for line in metric.samples}
        faults = [
            f"reads {read[line]} from {line!r}, not {value}"
            for line, value in metric.samples.items()
            if not _same(read[line], float(value))
        ]
        yield ExampleResult(name, 1, str(source.document.place(("metrics", index))), faults)


def _value(captures: Mapping[str, str] | None, scale: float) -> float | None:
    value = number(captures.get("value", "")) if captures is not None else None
    return None if value is None else value * scale


def _same(got: float | None, wanted: float) -> bool:
    return got is not None and (math.isclose(got, wanted, rel_tol=1e-9) or (math.isnan(got) and math.isnan(wanted)))
