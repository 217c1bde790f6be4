"""In which order the keys of rule files, cases and profiles stand: what it is, how it is seen, what helps, examples."""

from collections.abc import Mapping, Sequence

_SIGNAL = ("contains", "in", "pattern", "except", "stance", "after")
_HEAD = ("cause", "title", "why", "differs_from", "requires")
_HELP = ("explained_by", "restart", "fixes", "references", "examples")
_PHASE = ("id", "title", "about", "after", "loop", "idle")
_CAUSE = (
    *("id", "family", "tier", "title", "about", "phase", "severity", "restart", "culprit", "cleared_by", "stall"),
    *("abrupt", "ends_stalls", "checks", "fixes"),
)
_PRINTED = (
    "id",
    "metric",
    *_SIGNAL,
    "enters",
    "leaves",
    "opens",
    "closes",
    "renews",
    "progress",
    "starts",
    "completes",
    "ends",
    "rests",
    "polls",
    "scale",
)
_STEP = ("do", "run", "env", "flags", "config", "code", "note", "risk", "frameworks", "where", "unless", "during")

_RULE = (
    *("id", *_HEAD, "detector", "longer_than", "signals", "with", "when", "anywhere"),
    *("severity", "tier", "phase", "culprit", "cleared_by", "stall", "fallback", *_HELP),
)
_FRAMEWORK = (
    *("framework", "present", "loops", "headers", "times", "names", "levels", "trace"),
    *("markers", "waits", "metrics"),
)
_CASE = (
    *("id", "source", "frameworks", "kind", "phase", "cause", "accept", "not", "evidence", "culprit_rank"),
    *("fix", "fix_keywords", "lang", "captured", "logs", "script", "status", "diagnoses", "absent", "expected_miss"),
)
_FILES: Sequence[tuple[str, Sequence[str]]] = (
    ("when", _RULE),
    ("examples", _RULE),
    ("framework", _FRAMEWORK),
    ("expect", ("expect", "title", "steps", "never")),
    ("causes", ("tiers", "causes")),
    ("phases", ("phases",)),
    ("language", ("language", "phases", "causes", "fixes", "rules")),
    ("fixes", ("fixes",)),
)
_PARTS: Mapping[str, Sequence[str]] = {
    "markers": (*_PRINTED, "samples", "near"),
    "metrics": (*_PRINTED, "samples"),
    "waits": ("id", "phase", "patience", "first", "starter", *_HEAD, "severity", "tier", *_HELP),
    "fixes": ("id", *_STEP, "params"),
    "fires": ("log", "quiet", "captures", "ranks", "phase", "note"),
    "silent": ("log", "quiet", "note"),
    "phases": _PHASE,
    "causes": _CAUSE,
    "steps": ("id", "title", "lines", "markers", "optional", "hint"),
    "never": ("id", "title", "lines"),
    "headers": ("id", "pattern", "starts", "holds", "first", "generic", "ends", "role", "samples"),
    "times": ("id", "pattern", "samples"),
    "names": ("id", "pattern", "role", "samples"),
}
_SENTENCE = ("en", "zh")


def order_of(path: Sequence[str | int], keys: Sequence[str]) -> Sequence[str]:
    """The order of the keys of the mapping at this path; empty where their order is their author's."""
    if not path:
        return next((order for key, order in _FILES if key in keys), _CASE if "id" in keys else ())
    above = path[-2] if isinstance(path[-1], int) and len(path) > 1 else path[-1]
    if len(path) > 1 and path[-2] in ("signals", "with"):
        return _SIGNAL
    if set(keys) == set(_SENTENCE):
        return _SENTENCE
    return _PARTS.get(str(above), ()) if isinstance(path[-1], int) else ()
