"""The command line in Chinese: the list of verbs and the complaints that users meet most."""

import argparse

import pytest

from logrules.cli.chinese import VERBS as CHINESE
from logrules.cli.chinese import in_chinese
from logrules.cli.chinese_options import HEADINGS, OPTIONS
from logrules.cli.extension import installed_verbs, verb
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


def parsers():
    for name, module in {**{name: module for name, (module, _) in VERBS.items()}, **installed_verbs()}.items():
        parser = argparse.ArgumentParser()
        verb(name, module).add_options(parser)
        yield parser


def test_every_option_of_every_verb_is_said_in_chinese():
    helps = {action.help for parser in parsers() for action in parser._actions if action.help}
    said = helps - {argparse.SUPPRESS}
    assert said - set(OPTIONS) == set()
    assert set(OPTIONS) - said == {"print the version", "show where an error came from, for a bug report"}
    assert {group.title for parser in parsers() for group in parser._action_groups} == set(HEADINGS)


def test_numbers_and_names_of_an_option_stay_in_chinese():
    import re

    for english, chinese in OPTIONS.items():
        assert set(re.findall(r"--[\w-]+|\$\w+|`[^`]+`|\b[A-Z]{3,}\b", english)) - {"GPUs", "JSON", "HTML"} <= set(
            re.findall(r"--[\w-]+|\$\w+|`[^`]+`|[A-Z]{3,}", chinese)
        ), english


@pytest.mark.parametrize("name", ["diagnose", "watch", "scan"])
def test_help_of_a_verb_in_chinese(name, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["logrules", name, "--lang", "zh", "--help"])
    with pytest.raises(SystemExit):
        main([name, "--lang", "zh", "--help"])
    told = capsys.readouterr().out
    assert told.startswith("用法：logrules")
    assert "位置参数" in told
    assert "show" not in told.split("示例")[0]
