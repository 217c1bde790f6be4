"""Names of secrets in lines that begin alike are looked at in time that grows with the text."""

import pytest

from logrules.tools.bundle import line_heads


def test_a_long_line_with_many_names_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    line_of = line_heads._line

    def counted(text: str, lines: list[int], number: int) -> str:
        read.append(number)
        return line_of(text, lines, number)

    monkeypatch.setattr(line_heads, "_line", counted)
    names = 500
    text = "first\n" + "password " * names + "\nlast\n"
    places = [6 + 9 * number for number in range(names)]

    assert line_heads.without_line_heads(text, places) is None
    assert len(read) < 10
