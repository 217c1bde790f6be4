"""The command line in Chinese: the list of verbs and the complaints that users meet most."""

import argparse
import ast
import re
from pathlib import Path

import pytest

from logrules.cli.chinese import in_chinese, words
from logrules.cli.extension import installed_verbs, verb
from logrules.cli.main import VERBS, main

CHINESE, HEADINGS, OPTIONS = (words()[name] for name in ("verbs", "headings", "options"))


def test_every_verb_has_its_line():
    assert set(VERBS) | set(installed_verbs()) <= set(CHINESE)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("a.log: no such file or directory", "a.log：没有这个文件或目录"),
        ("the following arguments are required: VERB", "缺少参数：VERB"),
        ("unrecognized arguments: --formt x; did you mean --format?", "不认识的参数：--formt x；是不是想写 --format？"),
        ("there is no command `diagnos`; did you mean diagnose?", "没有 `diagnos` 这个子命令；是不是想写 diagnose？"),
        ("no rule is called `a`; did you mean x/a or y/a?", "没有名为 `a` 的规则；是不是想写 x/a 或 y/a？"),
        ("no rule is called `a`; did you mean x/a or y/a or z?", "没有名为 `a` 的规则；是不是想写 x/a、y/a 或 z？"),
        ("a.zip: is a zip archive; unpack it first", "a.zip：是 zip 压缩包；请先解压"),
        ("p.png: is a picture", "p.png：是图片"),
        ("n.log: contains only NUL bytes", "n.log：只有 NUL 字节"),
        (
            "argument --lang: invalid choice: 'fr' (choose from 'en', 'zh')",
            "参数 --lang：没有 'fr' 这个选项（可选：'en', 'zh'）",
        ),
        ("hook.sh: ended with status 3", "hook.sh：以状态 3 结束"),
        (
            "--report r.txt: still running when the job ended; not waited for",
            "--report r.txt：任务结束时仍未完成，不再等待",
        ),
        ("a.toml:1:1: is nested too deep", "a.toml:1:1：嵌套过深"),
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


# What these raise is for authors of rules and for agents, who are spoken to in English.
ENGLISH_ONLY = ("draft/", "mcp/", "ruleset/", "ruletest/")
# Settings are for everybody.
IN_BOTH = ("ruleset/settings.py",)
# Where a job stands is shown as the page shows it.
SHOWN = ("stacks: X",)


def raised() -> dict[str, str]:
    """Each sentence that a verb or what it stands on may say or end with, with an X where it names something."""
    found = {}
    root = Path(__file__).parents[2] / "logrules"
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if any(part in name for part in ENGLISH_ONLY) and name not in IN_BOTH:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                found.update(dict.fromkeys(sentences_of(node), name))
    return found


def sentences_of(call: ast.Call) -> list[str]:
    """What a call complains of: the name of a function or of a method says that it does, and the file its place."""
    named = getattr(call.func, "id", "") or getattr(call.func, "attr", "")
    told = {"LogrulesError": call.args[:1], "SourceError": call.args[:1], "Problem": call.args[1:2]}
    for complains in ("complain", "_complain"):
        told[complains] = call.args[:1]
    match told.get(named):
        case [ast.Constant(value=str(text))]:
            return [f"X: {text}" if named == "Problem" else text]
        case [ast.JoinedStr(values=parts)]:
            text = "".join(part.value if isinstance(part, ast.Constant) else "X" for part in parts)
            return [f"X: {text}" if named == "Problem" else text]
    return []


def test_every_complaint_of_a_verb_is_said_in_chinese():
    said = raised().items()
    complaints = {text: name for text, name in said if re.search("[a-z]{3}", text) and text not in SHOWN}
    assert len(complaints) > 50
    assert [(name, text) for text, name in complaints.items() if not re.search("[一-鿿]", in_chinese(text))] == []


def test_what_a_complaint_names_is_kept():
    assert in_chinese("no rule is called `a}{0}b`; did you mean x?") == "没有名为 `a}{0}b` 的规则；是不是想写 x？"
    assert in_chinese("there is no framework `vlm`") == "没有名为 `vlm` 的 framework"
