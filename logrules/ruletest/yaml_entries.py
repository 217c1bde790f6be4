"""Lines of a YAML file put in order: the entries of each block mapping move whole, with the comments above them.

The order is that of the models of rule files, cases and profiles: what it is, how it is seen, what helps, examples.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

import yaml

from logrules.model.record import record
from logrules.ruleset import framework_models, models
from logrules.ruleset.causes import Cause
from logrules.ruleset.pack import HeaderFormat, NameForm, TimeForm
from logrules.ruleset.profile_models import NeverFile, PathStepFile, ProfileFile
from logrules.ruleset.table_reader import TABLE_FILES, CausesFile, PipelineFile
from logrules.ruleset.tables import Phase
from logrules.ruleset.translation import Translation
from logrules.ruleset.yaml_reader import SafeLoader
from logrules.ruletest.case import CaseFile


def _keys(model: Any, first: Sequence[str] = ("id",), last: Sequence[str] = ()) -> tuple[str, ...]:
    """The keys that a model has, in its own order but for those that come ``first`` and ``last``."""
    names = model.model_fields if issubclass(model, models.Strict) else [member.name for member in fields(model)]
    # What would be a word of Python has an underscore behind its name.
    own = [name.rstrip("_") for name in names]
    order = (*first, *(key for key in own if key not in (*first, *last)), *last)
    return tuple(key for key in order if key in own)


_HEAD = ("id", "cause", "title", "why", "differs_from", "requires")
_TAIL = ("severity", "tier", "phase", "culprit", "cleared_by", "stall", "fallback", "explained_by")
_WAIT = ("id", "phase", "patience", "first", "starter", "joint", "presumed")
_RULE = _keys(models.RuleFile, _HEAD, (*_TAIL, "restart", "fixes", "references", "examples"))
_SIGNAL = _keys(models.EvidenceFile)
# By a key that tells what a file is, and by what the list is called that holds a mapping.
_FILES: Mapping[str, Sequence[str]] = {
    "when": _RULE,
    "examples": _RULE,
    "framework": _keys(framework_models.FrameworkFile),
    "expect": _keys(ProfileFile),
    "causes": _keys(CausesFile, ("tiers", "causes")),
    "phases": _keys(PipelineFile),
    "language": _keys(Translation),
}
_PARTS: Mapping[str, Sequence[str]] = {
    "markers": _keys(framework_models.MarkerFile),
    "metrics": _keys(framework_models.MetricFile, ("id", "metric"), ("scale", "samples")),
    "waits": _keys(framework_models.WaitFile, _WAIT),
    "fixes": _keys(models.NamedFixFile),
    "fires": _keys(models.FiresFile, last=("captures", "ranks", "phase", "note")),
    "silent": _keys(models.SilentFile),
    "phases": _keys(Phase),
    "causes": _keys(Cause),
    "steps": _keys(PathStepFile),
    "never": _keys(NeverFile),
    "headers": _keys(HeaderFormat, last=("samples",)),
    "times": _keys(TimeForm, last=("samples",)),
    "names": _keys(NameForm, last=("samples",)),
}
_CASE = _keys(CaseFile)
# By a key of these at its margin a file is known as ours, without being read: a broken one is no other program's.
_OURS = re.compile(
    rb"^(?:\xef\xbb\xbf)?\{? ?[\"']?(?:%s)[\"']? *:"
    % "|".join([*_FILES, *TABLE_FILES, "cause", "signals", "detector", "fixes"]).encode(),
    re.MULTILINE,
)
_SENTENCE = ("en", "zh")


@record
class _Mapping:
    """A mapping in block style: its place in the data, and where each key begins and its value ends."""

    path: tuple[str | int, ...]
    keys: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    column: int

    def wanted(self) -> list[int]:
        """The entries' numbers in the order that they should have; unknown keys last, in their own."""
        order = _order_of(self.path, self.keys)
        places = {key: place for place, key in enumerate(order)}
        numbers = range(len(self.keys))
        return sorted(numbers, key=lambda number: places.get(self.keys[number], len(places))) if order else [*numbers]


def is_ours(raw: bytes) -> bool:
    """Whether a file of YAML is one of rules or tables, and not of another program."""
    return _OURS.search(raw) is not None


def ordered(text: str) -> str:
    """The text with the keys of every block mapping in their order; the data that it says are the same."""
    lines = text.split("\n")
    astray = [one for one in _mappings(text) if one.wanted() != [*range(len(one.keys))]]
    # Inner ones first: the lines that an outer one moves stay as many, and stand where they stood.
    for one in sorted(astray, key=lambda one: len(one.path), reverse=True):
        _sort(lines, one)
    return "\n".join(lines)


def _mappings(text: str) -> Iterator[_Mapping]:
    node = yaml.compose(text, Loader=SafeLoader)
    if node is not None:
        yield from _below(node, ())


def _below(node: yaml.Node, path: tuple[str | int, ...]) -> Iterator[_Mapping]:
    if isinstance(node, yaml.MappingNode):
        if not node.flow_style and node.value:
            yield _Mapping(
                path,
                tuple(str(key.value) for key, _ in node.value),
                tuple(key.start_mark.line for key, _ in node.value),
                tuple(_end(value) for _, value in node.value),
                node.value[0][0].start_mark.column,
            )
        for key, value in node.value:
            yield from _below(value, (*path, str(key.value)))
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            yield from _below(value, (*path, number))


def _end(node: yaml.Node) -> int:
    """The line behind the last that the value itself stands on; a block ends where its last part does."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    mark = node.end_mark
    return mark.line if mark.column == 0 and mark.line > node.start_mark.line else mark.line + 1


def _sort(lines: list[str], mapping: _Mapping) -> None:
    """Put the lines of the mapping's entries in their order."""
    entries = _entries(lines, mapping)
    lead, blank = lines[mapping.starts[0]][: mapping.column], " " * mapping.column
    moved: list[str] = []
    for place, number in enumerate(mapping.wanted()):
        comments, own = entries[number]
        moved += [*comments, (blank if place else lead) + own[0][mapping.column :], *own[1:]]
    lines[mapping.starts[0] : mapping.ends[-1]] = moved


def _entries(lines: Sequence[str], mapping: _Mapping) -> list[tuple[list[str], list[str]]]:
    """For each key the comments just above it, and its own lines. Those above the first are about the whole."""
    begins = [mapping.starts[0]]
    for before, start in zip(mapping.ends, mapping.starts[1:], strict=False):
        begin = start
        while begin > before and lines[begin - 1].lstrip().startswith("#"):
            begin -= 1
        begins.append(begin)
    stops = [*begins[1:], mapping.ends[-1]]
    return [
        (list(lines[begin:start]), list(lines[start:stop]))
        for begin, start, stop in zip(begins, mapping.starts, stops, strict=True)
    ]


def _order_of(path: Sequence[str | int], keys: Sequence[str]) -> Sequence[str]:
    """The order of the keys of the mapping at this path; empty where their order is their author's."""
    if not path:
        return next((order for key, order in _FILES.items() if key in keys), _CASE if "id" in keys else ())
    above = path[-2] if isinstance(path[-1], int) and len(path) > 1 else path[-1]
    if len(path) > 1 and path[-2] in ("signals", "with"):
        return _SIGNAL
    if set(keys) == set(_SENTENCE):
        return _SENTENCE
    return _PARTS.get(str(above), ()) if isinstance(path[-1], int) else ()
