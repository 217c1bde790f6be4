"""Lengths of time as rules, configurations and options write them: ``90s``, ``10m``, ``0.5s``."""

import re

# How they look: nine digits are more than any job lasts, and no number overflows.
LENGTH = r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s|m|h|d)"
# As rule files are checked against it and schemas say it.
FORM = rf"^{LENGTH}$"
UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_WRITTEN = re.compile(LENGTH)
_SPELLED = ("d", "h", "m", "s")


def seconds(duration: str) -> float:
    """Seconds of a duration. Raises ValueError for what is none."""
    found = _WRITTEN.fullmatch(duration)
    if found is None:
        raise ValueError(f"{duration!r} is no length of time, such as 30s or 12m")
    return float(found[1]) * UNITS_S[found[2]]


def spelled(length_s: float) -> str:
    """Seconds as a duration that is read again, unrounded: in the largest unit of which they are a whole number."""

    def fits(unit: str) -> bool:
        return length_s >= UNITS_S[unit] and length_s % UNITS_S[unit] == 0

    unit = next(filter(fits, _SPELLED), "s")
    return f"{length_s / UNITS_S[unit]:.10g}{unit}"
