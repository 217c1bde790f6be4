"""Fixes as commands that can be pasted: bash or PowerShell."""

import re
from collections.abc import Iterator, Sequence

from logrules.model.late_pattern import late_pattern
from logrules.model.report import Fix

_PLAIN = late_pattern(r"[\w@%+=:,./-]+")
# What the reader has to fill in. Angle brackets would redirect files.
_PLACEHOLDER = late_pattern(r"<([A-Za-z][\w .-]{0,60})>")
_VARIABLE = late_pattern(r"\$(?:\{(\w+)\}|(\w+))")
# What PowerShell on Windows has no word for: a command with one of these says nothing there.
_OF_UNIX = (
    r"(?:^|[|;&(]|\bsudo|\bdo) *(?:dmesg|grep|head|tail|df|du|free|ps|ss|lsof|fuser|ulimit|ls|find|xargs|sed|awk|getent"
    r"|ip|pgrep|journalctl|iostat|watch|nc|hostname -I|mount|chmod|export|unset|which|cat|for|while|test|env|rm|sacct"
    r"|srun)\b"
)
# Of flags beside each other, in columns.
_MAX_FLAGS, _APART = 90, "   "
# PowerShell has these of its own.
_AUTOMATIC = {"PWD", "HOME"}


def commands(fix: Fix, shell: str) -> Iterator[str]:
    """The lines to paste into ``shell`` ("bash" or "powershell"): variables first, then the command."""
    for name, value in fix.env.items():
        said = pasteable(value)
        yield (
            f"$env:{name} = {_in_powershell(name, said)}"
            if shell == "powershell"
            else f"export {name}={_in_bash(said)}"
        )
    command = fix.powershell if shell == "powershell" and fix.powershell else fix.run
    if command and not (command == fix.run and shell == "powershell" and re.search(_OF_UNIX, command)):
        yield from pasteable(command).strip().splitlines()


def copyables(fix: Fix, shell: str) -> Iterator[Sequence[str]]:
    """Everything of a step that can be copied, in lines that belong together."""
    yield from ((line,) for line in commands(fix, shell))
    yield from ((line,) for line in _flag_lines(fix.flags))
    yield from ((f"{name}: {value}",) for name, value in fix.config.items())
    if fix.code:
        yield fix.code.rstrip().splitlines()


def _flag_lines(flags: Sequence[str]) -> Iterator[str]:
    """Flags beside each other, wide apart, for they may be of several programs: one that comes again begins a line."""
    line: list[str] = []
    for flag in flags:
        names = {one.split(maxsplit=1)[0] for one in line}
        if line and (flag.split(maxsplit=1)[0] in names or len(_APART.join((*line, flag))) > _MAX_FLAGS):
            yield _APART.join(line)
            line = []
        line.append(flag)
    if line:
        yield _APART.join(line)


def pasteable(text: str) -> str:
    """The text with what the reader has to fill in (``<pid>``) as a word in capitals, which every shell can parse."""
    return _PLACEHOLDER.sub(lambda found: re.sub(r"\W+", "_", found[1]).upper(), text)


def quoted(text: str, quote: str = "'\\''") -> str:
    """The text as one word of a shell that writes a quote inside quotes as ``quote``."""
    return text if _PLAIN.fullmatch(text) else "'" + text.replace("'", quote) + "'"


def _in_bash(value: str) -> str:
    """The value as one word, in which variables and commands expand."""
    if "$" in value:
        return '"' + re.sub(r'([\\"`])', r"\\\1", value) + '"'
    return quoted(value)


def _in_powershell(name: str, value: str) -> str:
    """The same in PowerShell, whose search paths are separated by semicolons."""
    if "$" in value and name.endswith("PATH"):
        value = value.replace(":", ";")
    escaped = re.sub(r'([`"])', r"`\1", value)
    return '"' + _VARIABLE.sub(_environment, escaped) + '"'


def _environment(found: re.Match[str]) -> str:
    variable = found[1] or found[2]
    return f"${variable}" if variable in _AUTOMATIC else f"${{env:{variable}}}"
