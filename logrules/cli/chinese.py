"""The command line in Chinese, by its English words: help and complaints, as *chinese.toml* has them."""

import argparse
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from logrules.ruleset.bounded_read import packaged_table

# What stands within or behind a complaint.
_PARTS = (
    (re.compile(r"looked for names such as "), "找过的文件名："),
    (re.compile(r"; did you mean (\S+) or (\S+) or (\S+)\?$"), r"；是不是想写 \1、\2 或 \3？"),
    (re.compile(r"; did you mean (\S+) or (\S+)\?$"), r"；是不是想写 \1 或 \2？"),
    (re.compile(r"; did you mean (.*)\?$", re.DOTALL), r"；是不是想写 \1？"),
)


@cache
def words() -> Mapping[str, Any]:
    """All that the file says, by its tables."""
    return packaged_table("logrules.cli", "chinese.toml")


def speak_chinese(parser: argparse.ArgumentParser) -> None:
    """Put what is known in Chinese in the place of the English lines; what packages add keeps their words."""
    known = words()
    for action in parser._actions:  # noqa: SLF001 (argparse has no other way to its actions)
        if action.help:
            action.help = known["options"].get(action.help, action.help)
    for group in parser._action_groups:  # noqa: SLF001
        group.title = known["headings"].get(group.title or "", group.title)
    for english, chinese in known["epilog_headings"].items():
        parser.epilog = parser.epilog.replace(english, chinese) if parser.epilog else None


def in_chinese(complaint: str) -> str:
    """The complaint in Chinese, as far as it is known here; what it names is kept as it is."""
    complaint = _whole(complaint) or _behind_a_name(complaint) or complaint
    for part, chinese in _PARTS:
        complaint = part.sub(chinese, complaint, count=1)
    return complaint


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile("(.*?)".join(map(re.escape, english.split("{}"))), re.DOTALL), chinese)
        for english, chinese in words()["complaints"].items()
    )


def _whole(complaint: str) -> str | None:
    for pattern, chinese in _patterns():
        found = pattern.fullmatch(complaint)
        if found:
            return chinese.format(*found.groups())
    return None


def _behind_a_name(complaint: str) -> str | None:
    """What an option or a command that is named first complains of."""
    name, colon, reason = complaint.partition(": ")
    said = _whole(reason) if colon else None
    return f"{name}：{said}" if said else None
