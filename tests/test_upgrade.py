"""Rule files of the older format, rewritten by `logrules fmt --upgrade`."""

from pathlib import Path

import pytest
import yaml

from logrules.cli.main import main
from logrules.ruleset.load import load_pack

RULE = """
id: acme/lost
title: {en: The shard is gone, zh: 分片不见了}
why: {en: Its node left., zh: 节点离开了。}
cause: python-exception
severity: error
certainty: 0.9
signals:
  lost: {contains: [ACME-217 lost], unless: rehearsal}
when: lost
fixes: [{do: {en: Start the node., zh: 启动节点。}}]
references: ['https://example.org']
examples: [{log: ACME-217 lost shard 3, fires: true}, {log: ACME-216 found, fires: false}]
"""


@pytest.fixture
def pack(tmp_path) -> Path:
    path = tmp_path / "my/acme/lost.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(RULE, encoding="utf-8")
    return tmp_path / "my"


def test_the_older_format_is_refused_with_advice(pack, capsys):
    assert main(["test", str(pack)]) == 2
    assert "`logrules fmt --upgrade`" in capsys.readouterr().err


def test_looking_changes_nothing(pack, capsys):
    assert main(["fmt", "--upgrade", "--check", str(pack)]) == 1
    assert f"would rewrite {pack}/acme/lost.yaml" in capsys.readouterr().out
    assert (pack / "acme/lost.yaml").read_text(encoding="utf-8") == RULE


def test_a_rewritten_rule_holds_and_its_chinese_is_a_translation(pack):
    assert main(["fmt", "--upgrade", str(pack)]) == 0
    rule = yaml.safe_load((pack / "acme/lost.yaml").read_text(encoding="utf-8"))
    assert rule.keys().isdisjoint({"id", "certainty", "severity"})
    assert rule["title"] == "The shard is gone"
    assert rule["signals"]["lost"] == {"contains": ["ACME-217 lost"], "except": "rehearsal"}
    chinese = yaml.safe_load((pack / "translations/zh.yaml").read_text(encoding="utf-8"))
    assert chinese["rules"]["acme/lost"]["title"] == "分片不见了"
    assert main(["test", str(pack)]) == 0
    assert "acme/lost" in {one.id for one in load_pack([pack]).rules}


def test_what_never_was_a_format_is_one_sentence(pack, capsys):
    (pack / "acme/lost.yaml").write_text("title: {en: a}\nwhen: b\n")
    assert main(["fmt", "--upgrade", str(pack)]) == 2
    assert "does not fit the old format" in capsys.readouterr().err
