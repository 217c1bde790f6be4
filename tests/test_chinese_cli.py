"""The command line in Chinese: the list of verbs and the complaints that users meet most."""

import pytest

from logrules.cli.chinese import VERBS as CHINESE
from logrules.cli.chinese import in_chinese
from logrules.cli.extension import installed_verbs
from logrules.cli.main import VERBS, main


def test_every_verb_has_its_line():
    assert set(VERBS) | set(installed_verbs()) <= set(CHINESE)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("a.log: no such file or directory", "a.log：没有这个文件或目录"),
        ("the following arguments are required: VERB", "缺少参数：VERB"),
        ("unrecognized arguments: --formt x; did you mean --format?", "不认识的参数：--formt x；是不是想写 --format？"),
        (
            "argument --lang: invalid choice: 'fr' (choose from 'en', 'zh')",
            "参数 --lang：没有 'fr' 这个选项（可选：'en', 'zh'）",
        ),
        ("what nobody translated", "what nobody translated"),
    ],
)
def test_complaints(english, chinese):
    assert in_chinese(english) == chinese


def test_the_locale_decides_and_lang_overrides_it(monkeypatch, capsys):
    monkeypatch.setenv("LANGUAGE", "zh_CN")
    with pytest.raises(SystemExit):
        main(["--help"])
    assert CHINESE["diagnose"] in capsys.readouterr().out
    assert main(["diagnose", "not-there.log"]) == 2
    assert "没有这个文件或目录" in capsys.readouterr().err
    assert main(["diagnose", "--lang", "en", "not-there.log"]) == 2
    assert "no such file or directory" in capsys.readouterr().err
    monkeypatch.setenv("LANGUAGE", "en")
    assert main(["diagnose", "--lang=zh", "not-there.log"]) == 2
    assert "没有这个文件或目录" in capsys.readouterr().err
