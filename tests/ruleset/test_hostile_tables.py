"""Tables of a pack of one's own, as hostile as YAML can be: each fault is a sentence with its file and line."""

from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.model.errors import PackError
from logrules.model.position import MAX_SAID_CHARS
from logrules.ruleset.compile import read_source, read_sources
from logrules.ruleset.file_adapter import MAX_FAULTS
from logrules.ruleset.rule_file import RuleText
from logrules.ruleset.yaml_reader import MAX_NODES, parse_document

_RULE = """\
cause: python-exception
title: One {x}
why: One
signals: {said: {contains: ACME-217, pattern: 'ACME-217 (?P<x>\\S+)'}}
fixes: [{do: a}]
examples: {fires: ACME-217 now, silent: calm}
"""


def refusal(text: str | bytes) -> str:
    raw = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(PackError) as refused:
        parse_document(raw, "own.yaml")
    (problem,) = refused.value.problems
    return str(problem)


@pytest.mark.parametrize(
    "value",
    [
        "!!int 3", "!!map {a: b}", "!!int ''", "!!int '-'", "!!int x", "!!bool foo", "!!timestamp foo", "!!float ''", "!!float _", "!!null x",
        "!!map x", "!!seq x", "!!set x", "!!omap x", "!!binary QQ==", "!!python/name:os.system x", "!own x",
        "!!set {x}", "!!str {x: 1}",
    ],
)  # fmt: skip
def test_a_tag_of_anything_but_a_text_is_refused_where_it_stands(value):
    said = refusal(f"# a comment\ntitle: {value}\n")
    assert said.startswith("own.yaml:2:8: is not valid YAML: nothing is known of the tag ")


@pytest.mark.parametrize("key", ["!!bool foo", "!!int 3", "[a]", "{a: b}"])
def test_a_key_is_a_text(key):
    assert refusal(f"a: 1\n? {key}\n: 2\n").startswith("own.yaml:2:3: is not valid YAML: ")


@pytest.mark.parametrize("keys", [("1", "1"), ("true", "'true'"), ("~", "'~'")])
def test_keys_that_look_alike_are_the_same(keys):
    assert "is given twice" in refusal("".join(f"{key}: 1\n" for key in keys))


@pytest.mark.parametrize(
    "word",
    ["0755", "0x1F", "1_000", "12:30", "1:30:00", "2026-01-02", "2026-99-99", "1e400", "=", "<<", "yes", "+7", "9" * 5000],
)  # fmt: skip
def test_what_json_has_no_number_for_is_the_text_that_was_written(word):
    assert parse_document(f"a: {word}\n".encode(), "own.yaml").data == {"a": word}


@pytest.mark.parametrize(
    ("word", "value"),
    [("7", 7), ("-7", -7), ("0", 0), ("1.5", 1.5), ("1.5e+3", 1500.0), ("true", True), ("null", None), ("", None)],
)
def test_numbers_and_words_of_json_are_what_they_are(word, value):
    assert parse_document(f"a: {word}\n".encode(), "own.yaml").data == {"a": value}


def test_an_environment_is_shown_as_it_was_typed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("own/acme").mkdir(parents=True)
    Path("own/acme/one.yaml").write_text(_RULE.replace("{do: a}", "{do: a, env: {MODE: 0755, AT: 12:30}}"))
    main(["explain", "--rules", "own", "acme/one"])
    said = capsys.readouterr().out
    assert "MODE=0755" in said
    assert "AT=12:30" in said


@pytest.mark.parametrize("raw", [b"a: 1\nb: x\0y\n", b"a: 1\nb: x\x1by\n", "a: 1\nb: x\ufffey\n".encode()])
def test_a_character_that_yaml_may_not_have_is_told_in_its_line(raw):
    assert refusal(raw).startswith("own.yaml:2:5: is not valid YAML: unacceptable character")


def test_another_encoding_is_told_with_what_helps():
    assert refusal("a: 1\n".encode("utf-16")) == "own.yaml:1:1: is not UTF-8 text (save it as UTF-8)"


@pytest.mark.parametrize("text", ["a: [" + "1," * 200_000 + "]", "a: [" + "&x 1," * 150_000 + "]"])
def test_numbers_and_texts_count_as_parts_too(text):
    assert f"has more than {MAX_NODES} parts" in refusal(text)


def test_files_have_a_number_of_parts_together(monkeypatch):
    monkeypatch.setattr("logrules.ruleset.compile.MAX_PACK_PARTS", 20)
    texts = [RuleText(f"own/acme/{name}.yaml", _RULE.encode(), "own") for name in ("one", "two", "three")]
    with pytest.raises(PackError, match=r"two\.yaml:1:1: with this file there are more than 20 parts of rules"):
        read_sources(texts)


def test_of_very_many_faults_some_are_told_and_the_others_counted():
    raw = (_RULE + "".join(f"k{number}: 1\n" for number in range(5_000))).encode()
    _, faults = read_source(RuleText("own/acme/one.yaml", raw, "own"))
    assert len(faults) == MAX_FAULTS + 1
    assert str(faults[-1]) == f"own/acme/one.yaml:1:1: has {5_000 - MAX_FAULTS} further faults"


def test_a_sentence_is_no_longer_than_a_person_reads():
    raw = _RULE.replace("python-exception", "x" * 50).replace("title: One {x}", '"' + "k" * 900 + '": 1').encode()
    _, faults = read_source(RuleText("own/acme/one.yaml", raw, "own"))
    assert all(len(str(fault)) < MAX_SAID_CHARS + 200 for fault in faults)
    assert any("k" * 400 in str(fault) for fault in faults)


def test_a_list_whose_entry_is_wrong_is_not_called_empty():
    raw = _RULE.replace("fires: ACME-217 now", "fires: [{log: a, captures: 3}]").encode()
    _, faults = read_source(RuleText("own/acme/one.yaml", raw, "own"))
    assert [fault.message for fault in faults] == ["`examples.fires.0.captures`: expects keys with values"]


@pytest.mark.parametrize(
    "text",
    [
        "other_names: []\ntold_names: [{id: a, pattern: x, contains: ['']}]\n",
        "exit_forms: [{id: a, contains: [\"a\\nb\"], pattern: '(?P<code>3)'}]\n",
    ],
)
def test_a_text_that_the_scan_looks_for_is_one_line_of_some_letters(text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("own").mkdir()
    Path("own/t.yaml").write_text(text)
    Path("a.log").write_text("step 1\n")
    assert main(["diagnose", "--rules", "own", "a.log"]) == 2
    assert capsys.readouterr().err.startswith("logrules: own/t.yaml:")


@pytest.mark.usefixtures("alone")
def test_tiers_that_a_table_leaves_out_are_told_in_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("own").mkdir()
    Path("own/causes.yaml").write_text("causes: []\ntiers: [{id: mine}]\n")
    Path("a.log").write_text("step 1\n")
    assert main(["diagnose", "--rules", "own", "a.log"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "logrules: own/causes.yaml:2:1: leaves out the tier `hardware`, of which causes are"
    assert all(line.removeprefix("logrules: ").startswith("own/causes.yaml:2:1: ") for line in said)


@pytest.mark.parametrize("words", [("explain", "acme/one"), ("explain", "python-exception"), ("rules", "acme")])
def test_what_a_rule_says_uses_no_control_of_a_terminal(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("own/acme").mkdir(parents=True)
    Path("own/acme/one.yaml").write_text(
        _RULE.replace("why: One", 'why: "One \\e]0;x\\a"').replace("title: One {x}", 'title: "One \\e[31m \\u202e"')
    )
    assert main([*words, "--rules", "own"]) == 0
    assert not {"\x1b", "\x07", "\u202e"} & set(capsys.readouterr().out)
