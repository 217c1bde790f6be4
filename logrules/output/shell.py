"""Fixes as commands that can be copied: bash or PowerShell."""

import re
from collections.abc import Iterator

from logrules.model.report import Fix

_PLAIN = re.compile(r"[\w@%+=:,./-]+")


def commands(fix: Fix, shell: str) -> Iterator[str]:
    """The lines to paste into ``shell`` ("bash" or "powershell"): variables first, then the command."""
    for name, value in fix.env.items():
        yield f'$env:{name} = "{_escaped(value)}"' if shell == "powershell" else f"export {name}={_quoted(value)}"
    command = fix.powershell if shell == "powershell" and fix.powershell else fix.run
    if command:
        yield from command.strip().splitlines()


def _quoted(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else "'" + value.replace("'", "'\\''") + "'"


def _escaped(value: str) -> str:
    return re.sub(r'([`"$])', r"`\1", value)
