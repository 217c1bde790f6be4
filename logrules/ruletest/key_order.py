"""The order of keys in YAML files of ours, that of their models: what it is, how it is seen, what helps, examples."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from logrules.ruleset import framework_models, models
from logrules.ruleset.causes import Cause
from logrules.ruleset.framework_models import NeverFile, PathStepFile, ProfileFile
from logrules.ruleset.load import CASE_NAME
from logrules.ruleset.pack import HeaderFormat, NameForm, TimeForm
from logrules.ruleset.steps import NamedFixFile
from logrules.ruleset.tables import Phase, Tables
from logrules.ruleset.translation import TRANSLATIONS, Translation
from logrules.ruletest.rule_tests import CaseFile


def _keys(model: Any, first: Sequence[str] = ("id",), last: Sequence[str] = ()) -> tuple[str, ...]:
    """The keys that a model has, in its own order but for those that come ``first`` and ``last``."""
    # What would be a word of Python has an underscore behind its name.
    own = [member.name.rstrip("_") for member in fields(model)]
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
    "language": _keys(Translation, ("causes",)),
    **dict.fromkeys(_keys(Tables), _keys(Tables)),
}
_PARTS: Mapping[str, Sequence[str]] = {
    "markers": _keys(framework_models.MarkerFile, last=("samples", "near")),
    "metrics": _keys(framework_models.MetricFile, ("id", "metric"), ("scale", "samples")),
    "waits": _keys(framework_models.WaitFile, _WAIT, ("examples",)),
    "fixes": _keys(NamedFixFile),
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
    % "|".join([*_FILES, "cause", "signals", "detector", "fixes"]).encode(),
    re.MULTILINE,
)
_TRANSLATED = re.compile(rb"^(?:\xef\xbb\xbf)?[\"']?rules[\"']? *:", re.MULTILINE)
_SENTENCE = ("en", "zh")


def is_ours(path: Path, raw: bytes) -> bool:
    """Whether a file of YAML is one of rules, tables, translations or a case, and not of another program."""
    if path.name == CASE_NAME or _OURS.search(raw) is not None:
        return True
    # Elsewhere `rules` are those of an alert or a firewall.
    return path.parent.name == TRANSLATIONS and _TRANSLATED.search(raw) is not None


def in_order(path: Sequence[str | int], keys: Sequence[str]) -> list[int]:
    """The places of the keys of the mapping at this path, in their order; unknown keys last, in their own."""
    order = _order_of(path, keys)
    places = {key: place for place, key in enumerate(order)}
    return sorted(range(len(keys)), key=lambda place: places.get(keys[place], len(places)))


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
