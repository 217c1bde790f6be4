"""Fixes as commands that can be copied: bash or PowerShell."""

import re
from collections.abc import Iterator

from logrules.model.report import Fix

_PLAIN = re.compile(r"[\w@%+=:,./-]+")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def commands(fix: Fix, shell: str) -> Iterator[str]:
    """The lines to paste into ``shell`` ("bash" or "powershell"): variables first, then the command."""
    for name, value in fix.env.items():
        yield f"$env:{name} = {_powershell(value)}" if shell == "powershell" else f"export {name}={_bash(value)}"
    command = fix.powershell if shell == "powershell" and fix.powershell else fix.run
    if command:
        yield from command.strip().splitlines()


def _bash(value: str) -> str:
    """The value quoted so that variables and commands in it expand, and nothing else does."""
    if _PLAIN.fullmatch(value):
        return value
    if "$" in value:
        return '"' + re.sub(r'([\\"`])', r"\\\1", value) + '"'
    return "'" + value.replace("'", "'\\''") + "'"


def _powershell(value: str) -> str:
    """The same; variables are those of the environment, and what joins a list of paths is a semicolon."""
    if _VARIABLE.search(value):
        value = value.replace(":", ";")
    escaped = re.sub(r'([`"])', r"`\1", value)
    return '"' + _VARIABLE.sub(lambda found: f"$env:{found[1] or found[2]}", escaped) + '"'
