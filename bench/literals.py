"""The literals that the loaded rules make logrules look for; run as a program, it prints them, one a line.

A program of its own, so that `run.py` stays small: what a process has in memory when it
starts another one counts into the other's peak.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from logrules.ruleset.load import load_pack


def literals() -> list[str]:
    """Every literal of every signal of the shipped rules, once."""
    return sorted({literal for signal in load_pack().signals for literal in signal.literals})


def signals() -> list[Sequence[str]]:
    """For each signal its literals."""
    return [signal.literals for signal in load_pack().signals if signal.literals]


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.writelines(f"{literal}\n" for literal in literals())
