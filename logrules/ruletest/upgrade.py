"""Documents of the old rule format said in today's: what a cause's row says goes, Chinese goes to a translation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from logrules.ruleset.causes import Cause

Plain: TypeAlias = dict[str, Any]

_SIGNAL_NAMES = {"record": "in", "unless": "except"}
# Frames are found by the table of origins.
_GONE = ("framework", "family", "frames")
_FROM_ROW = ("severity", "restart", "culprit", "cleared_by", "stall")


@dataclass(slots=True)
class Upgrade:
    """What was said in Chinese."""

    translation: Plain = field(default_factory=dict)

    def say(self, kind: str, name: str, said: Plain) -> None:
        """Keep a translation."""
        self.translation.setdefault("language", "zh")
        self.translation.setdefault(kind, {})[name] = said


def upgrade_rule(old: Plain, cause: Cause | None, to: Upgrade) -> Plain:
    """A rule without what its cause's row says; its id belongs into the name of its file."""
    new = _card(old, old["id"], cause, to)
    new["signals"] = {name: _brief(_signal(signal)) for name, signal in (old.get("signals") or {}).items()}
    if not _any_of(old["when"], new["signals"]):
        new["when"] = old["when"]
    phase = str(old.get("phase", "here"))
    if phase not in ("here", f"here else {cause.phase if cause else ''}"):
        new["phase"] = phase
    if old.get("fallback"):
        new["fallback"] = True
    return new


def upgrade_wait(old: Plain, framework: str, cause: Cause | None, to: Upgrade) -> Plain:
    """The card of a wait: it is a warning, and a stall, whatever its cause's row says."""
    new = _card({"severity": "warning", **old}, f"waits/{framework}/{old['id']}", cause, to)
    if new.get("severity") == "warning":
        del new["severity"]
    for key in ("stall", "culprit", "cleared_by"):
        new.pop(key, None)
    return {"id": old["id"], "phase": old["phase"], "patience": old["patience"], **new}


def upgrade_framework(old: Plain, causes: Mapping[str, Cause], to: Upgrade) -> Plain:
    """What a framework prints: of a phase file or a format file."""
    name = old.get("framework") or old["family"]
    new = {"framework": name} | {key: value for key, value in old.items() if key not in _GONE}
    for key in ("markers", "metrics"):
        if key in new:
            new[key] = [_signal(one) for one in new[key]]
    if "waits" in new:
        new["waits"] = [upgrade_wait(one, name, causes.get(one["cause"]), to) for one in new["waits"]]
    return new


def upgrade_words(rows: Iterable[Plain], kind: str, to: Upgrade) -> list[Plain]:
    """Phases or causes."""
    new = []
    for row in rows:
        to.say(kind, row["id"], {key: _chinese(row[key]) for key in ("title", "about")})
        tier = {"tier": "process"} if kind == "causes" and "tier" not in row else {}
        new.append({**row, **tier, "title": _english(row["title"]), "about": _english(row["about"])})
    return new


def _card(old: Plain, name: str, cause: Cause | None, to: Upgrade) -> Plain:
    new: Plain = {"cause": old["cause"], "title": _english(old["title"]), "why": _english(old["why"])}
    said: Plain = {"title": _chinese(old["title"]), "why": _chinese(old["why"])}
    if old.get("tell_apart"):
        new["differs_from"], said["differs_from"] = _english(old["tell_apart"]), _chinese(old["tell_apart"])
    for key, usual in zip(_FROM_ROW, ("error", "after-fix", "reporter", "progress", False), strict=True):
        value = old.get(key, usual)
        # YAML 1.1 read an unquoted `no` as false.
        value = "no" if key == "restart" and value is False else value
        if value != (getattr(cause, key) if cause else usual):
            new[key] = value
    new["fixes"] = [_fix(fix) for fix in old["fixes"]]
    said["fixes"] = [_said_of(fix) for fix in old["fixes"]]
    if old.get("references"):
        new["references"] = old["references"]
    new["examples"] = _examples(old.get("examples", ()))
    to.say("rules", name, said)
    return new


def _signal(old: Plain) -> Plain:
    return {_SIGNAL_NAMES.get(key, key): value for key, value in old.items() if key != "ignore_case"}


def _brief(signal: Plain) -> Any:
    """A signal that has nothing but words is said by its words."""
    if signal.keys() != {"contains"}:
        return signal
    words = signal["contains"]
    return words[0] if isinstance(words, list) and len(words) == 1 else words


def _fix(old: Plain) -> Plain:
    return {key: _english(value) for key, value in old.items()}


def _said_of(old: Plain) -> Plain:
    return {key: _chinese(old[key]) for key in ("do", "note") if key in old}


def _examples(rows: Iterable[Plain]) -> Plain:
    """The logs on which the rule fires and those on which it is silent."""
    found: dict[str, list[Any]] = {"fires": [], "silent": []}
    for row in rows:
        fires = row["fires"]
        said: Plain = {"log": row["log"], **{key: row[key] for key in ("quiet", "note") if key in row}}
        if isinstance(fires, dict):
            said |= {key: value for key, value in fires.items() if key != "evidence"}
        found["fires" if fires is not False else "silent"].append(said["log"] if len(said) == 1 else said)
    return {kind: logs[0] if len(logs) == 1 else logs for kind, logs in found.items()}


def _any_of(when: str, signals: Iterable[str]) -> bool:
    return {part.strip() for part in when.split(" or ")} == set(signals)


def _english(value: object) -> Any:
    return value["en"] if isinstance(value, dict) and value.keys() == {"en", "zh"} else value


def _chinese(value: Any) -> str:
    return str(value["zh"]) if isinstance(value, dict) else str(value)
