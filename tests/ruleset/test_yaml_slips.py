"""The slips that authors of rules make in YAML: each is told with what helps against it."""

from collections import deque
from pathlib import Path

import pytest
import yaml

from logrules.model.errors import PackError
from logrules.ruleset.yaml_reader import parse_document


@pytest.mark.parametrize(
    ("slip", "text", "line", "remedy"),
    [
        ("a tab before a first key", "signals:\n\tlost: gone away\n", 2, "indent with blanks, not with tabs"),
        ("a tab before a second key", "signals:\n  lost: gone\n\tleft: away\n", 3, "indent with blanks"),
        ("a colon in a text", "why: It stops: the server is gone.\n", 1, "put a text with `: ` in quotes"),
        ("a backslash in double quotes", 'pattern: "shard \\d+"\n', 1, "put patterns in single quotes"),
        (
            "a key in another column",
            "signals:\n   lost: gone\n left: away\n",
            3,
            "let keys of one mapping begin in one",
        ),
        ("a text that begins with @", "title: @host is gone\n", 1, "in quotes"),
        ("a text that begins with *", "contains: *gone*\n", 1, "put a text that begins with * or & in quotes"),
        ("a bracket that stays open", "contains: [gone, left\nwhy: It is.\n", 2, "close the bracket"),
        ("a quote that stays open", "title: 'It is gone\nwhy: It is.\n", 3, "close the quote"),
        ("a line without a key", "title: It is gone\nand away\nwhy: It is.\n", 3, "`key: value`"),
    ],
)
def test_a_slip_is_told_with_what_helps(slip, text, line, remedy):
    with pytest.raises(PackError) as refused:
        parse_document(text.encode(), "lost.yaml")
    (problem,) = refused.value.problems
    assert (problem.place.line, problem.message.startswith("is not valid YAML: ")) == (line, True)
    assert remedy in (problem.hint or "")


def test_the_shipped_files_need_no_libyaml():
    """PyYAML in pure Python takes no `?` in a text without quotes within brackets, libyaml does."""
    files, refused = sorted((Path(__file__).parents[2] / "rules").rglob("*.yaml")), []
    assert files
    for path in files:
        try:
            deque(yaml.parse(path.read_text(encoding="utf-8"), yaml.SafeLoader), maxlen=0)
        except yaml.YAMLError as fault:
            refused.append(f"{path}: {fault}")
    assert refused == []
