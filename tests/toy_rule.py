"""A rule of one word, for tests of what is done with rule files."""

from pathlib import Path

_RULE = """\
cause: python-exception
title: a
why: a
signals:
  said: {{contains: {word}}}
when: said
examples:
  fires:
    - {word}
    {second}
  silent:
    - calm
"""


def write(path: Path, text: str) -> None:
    """The file, in folders that need not be there yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def rule(word: str, *, faulty: bool = False) -> str:
    """A rule that a word fires; a ``faulty`` one has a second example that does not fire."""
    return _RULE.format(word=word, second="- hush" if faulty else f"- and {word}")
