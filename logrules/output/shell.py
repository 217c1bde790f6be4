"""Fixes as commands that can be pasted: bash or PowerShell, with the real names of the logs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from logrules.model.late_pattern import late_pattern
from logrules.model.record import replace
from logrules.model.report import Diagnosis, Fix, Report

_PLAIN = late_pattern(r"[\w@%+=:,./-]+")
# There a comma makes a list, and @ a table.
_PLAIN_IN_POWERSHELL = late_pattern(r"[\w%+=:./-]+")
# Each of these ends a text of PowerShell; twice it stands for itself.
_SINGLE_QUOTES = late_pattern("['\u2018-\u201b]")
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


def quoted(text: str, shell: str) -> str:
    """The text as one word of ``shell`` ("bash" or "powershell")."""
    is_bash = shell == "bash"
    if (_PLAIN if is_bash else _PLAIN_IN_POWERSHELL).fullmatch(text):
        return text
    inner = text.replace("'", "'\\''") if is_bash else _SINGLE_QUOTES.sub(r"\g<0>\g<0>", text)
    return f"'{inner}'"


def path_word(path: str, shell: str) -> str:
    """The path as one word of ``shell``, and never an option."""
    return quoted(f"./{path}" if path.startswith("-") else path, shell)


def _in_bash(value: str) -> str:
    """The value as one word, in which variables and commands expand."""
    if "$" in value:
        return '"' + re.sub(r'([\\"`])', r"\\\1", value) + '"'
    return quoted(value, "bash")


def _in_powershell(name: str, value: str) -> str:
    """The same in PowerShell, whose search paths are separated by semicolons."""
    if "$" in value and name.endswith("PATH"):
        value = value.replace(":", ";")
    escaped = re.sub(r'([`"])', r"`\1", value)
    return '"' + _VARIABLE.sub(_environment, escaped) + '"'


def _environment(found: re.Match[str]) -> str:
    variable = found[1] or found[2]
    return f"${variable}" if variable in _AUTOMATIC else f"${{env:{variable}}}"


_MAX_NAMED = 4
_SAVED = "<saved output>"
# A file to write to stays: only what is read is the log. Text inside quotes is a pattern or a script.
_ONE_LOG = late_pattern(r"(?<![\w./>*'\"-])(?<!> )train\.log(?![\w.'\"])")
_ALL_LOGS = late_pattern(r"(?<![\w./>'\"-])(?<!name )(?<!include )\*\.log(?![\w.'\"])")
# What stands between `|`, `;`, `&` and line ends; quoted text is no such mark.
_SIMPLE_COMMAND = late_pattern(r"(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|[^'\"\\|;&\n])+")
_FIRST_WORD = late_pattern(r"\s*(\S+)")
# gzip, bzip2, xz and zstd bring these along; each also reads files that are not compressed, if it is told to (-f).
_TOOLS = {".gz": "z", ".bz2": "bz", ".xz": "xz", ".zst": "zstd"}
_NO_TOOL = (".tgz", ".tar", ".zip", ".lz4")


def _reading_packed(command: str, prefix: str, cat: str) -> str:
    """The command for bash with each of its parts that reads logs by tools of this ``prefix``, which expand them."""

    def part(found: re.Match[str]) -> str:
        simple, word = found[0], _FIRST_WORD.match(found[0])
        log = _ONE_LOG.search(simple) or _ALL_LOGS.search(simple)
        if log is None or word is None:
            return simple
        before, behind = simple[: word.start(1)], simple[word.start(1) :]
        if word[1] == "grep":
            return f"{before}{prefix}{behind}"
        return f"{before}{prefix}{cat} {log[0]} | {simple[word.start(1) : log.start()].rstrip()}{simple[log.end() :]}"

    return _SIMPLE_COMMAND.sub(part, command)


def with_paths(report: Report, paths: Mapping[str, str]) -> Report:
    """The report with ``paths`` (source name: path on disk) kept in it and in its commands.

    Where logs are packed as no common tool of the shell can read them, the commands stay. Where none lies on disk
    (what a command printed), the reader fills in where it was saved.
    """
    named = tuple(paths.values())
    unpacker = _unpacker_of(named)

    def located(one: Diagnosis, fix: Fix) -> Fix:
        if not named:
            run, powershell = (one if one is None else _ONE_LOG.sub(_SAVED, one) for one in (fix.run, fix.powershell))
            return replace(fix, run=run, powershell=powershell)
        first = paths.get(one.evidence[0].source, named[0]) if one.evidence else named[0]
        return fix if unpacker is None else _located(fix, first, named, *unpacker)

    diagnoses = tuple(replace(one, fixes=tuple(located(one, fix) for fix in one.fixes)) for one in report.diagnoses)
    return replace(report, paths=dict(paths), diagnoses=diagnoses)


def _located(fix: Fix, first: str, named: Sequence[str], prefix: str, cat: str) -> Fix:
    run, powershell = fix.run, fix.powershell
    if powershell is None and run is not None and _ONE_LOG.search(run) and not re.search(_OF_UNIX, run):
        powershell = run
    if run is not None:
        run = _named(_reading_packed(run, prefix, cat) if prefix else run, first, named, "bash")
    if powershell is not None and not prefix:
        powershell = _named(powershell, first, named, "powershell")
    return replace(fix, run=run, powershell=powershell)


def _named(command: str, first: str, named: Sequence[str], shell: str) -> str:
    command = _ONE_LOG.sub(lambda _: path_word(first, shell), command)
    return _ALL_LOGS.sub(lambda _: _all_named(named, shell), command)


def _all_named(named: Sequence[str], shell: str) -> str:
    if len(named) <= _MAX_NAMED:
        return (" " if shell == "bash" else ",").join(path_word(path, shell) for path in named)
    folders = {PurePath(path).parent for path in named}
    return f"{path_word(folders.pop().as_posix(), shell)}/*" if len(folders) == 1 else "*.log"


def _unpacker_of(paths: Sequence[str]) -> tuple[str, str] | None:
    """The prefix of the tools that read all of these files, none for plain ones, and their `cat`; None without any."""
    stems = {path: next((end for end in _TOOLS if path.endswith(end)), "") for path in paths}
    archives = any(path.removesuffix(end).endswith(_NO_TOOL) for path, end in stems.items())
    packed = {end for end in stems.values() if end}
    if archives or len(packed) > 1:
        return None
    return (_TOOLS[packed.pop()] if packed else "", "cat -f" if "" in stems.values() else "cat")
