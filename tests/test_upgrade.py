"""Packs of the old format: told in one sentence, and rewritten so that they say the same."""

from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.ruleset.load import load_pack
from logrules.ruleset.rule_text import card_of

RULE = """\
id: acme/lost
cause: disk-full
severity: error
certainty: 0.9
weight: 0.5
title: {en: The scratch disk is full, zh: 临时盘已满}
why: {en: Nobody cleans it., zh: 没有人清理。}
tell_apart: {en: A quota says so., zh: 配额会另行提示。}
frameworks: [acme]
signals:
  full: {contains: [ACME-28], unless: "^#"}
  also: {contains: ACME-29}
when: full or also
phase: here else data_load
yields_to: ["*"]
restart: no
fixes:
  - do: {en: Empty it, zh: 清空}
    run: df -h
    note: {en: Ask first., zh: 请先确认。}
    risk: look
examples:
  - {log: "ACME-28 gone", fires: {captures: {}, ranks: []}}
  - {log: "ACME-29 gone", fires: true}
  - {log: "# ACME-28", fires: false, note: a comment}
"""
PHASES = """\
framework: acme
markers:
  - {id: begin, contains: ACME begins, unless: never, opens: shard, samples: [ACME begins]}
waits:
  - id: shard
    phase: data_load
    patience: 5m
    cause: dataloader-stall
    certainty: 0.5
    title: {en: No shard came, zh: 没有分片}
    why: {en: The server is slow., zh: 服务器较慢。}
    fixes: [{do: {en: Wait, zh: 等待}}]
    examples: [{log: ACME begins, fires: true}, {log: ACME ends, fires: false}]
frames: [{functions: [read_shard], phase: data_load}]
"""
FORMATS = """\
family: acme
headers: [{id: rank, starts: "<", pattern: '<(?P<rank>\\d+)> ', samples: [{line: "<1> x", expect: {rank: 1}}]}]
"""
WORDS = """\
causes: [{id: acme-quota, family: acme, title: {en: Quota, zh: 配额}, about: {en: Used up., zh: 用尽。}}]
"""


@pytest.fixture
def old(tmp_path) -> Path:
    files = {"acme/lost": RULE, "phases/acme": PHASES, "formats/acme": FORMATS, "vocabulary": WORDS}
    for name, text in files.items():
        path = tmp_path / f"my/{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "my"


def test_an_old_file_is_one_message_that_says_what_helps(old, capsys):
    assert main(["check", str(old / "acme"), "--settings", "none"]) == 1
    (finding, *rest) = capsys.readouterr().out.splitlines()
    assert "is written in an older format (`logrules fmt --upgrade` rewrites it" in finding
    assert not [line for line in rest if "acme/lost.yaml" in line]


def test_an_upgraded_pack_says_the_same(old, capsys):
    assert main(["fmt", str(old), "--upgrade", "--settings", "none"]) == 0
    assert sorted(str(path.relative_to(old)) for path in old.rglob("*.yaml")) == [
        "acme/lost.yaml",
        "causes.yaml",
        "frameworks/acme.yaml",
        "translations/zh.yaml",
    ]
    assert main(["test", str(old), "--settings", "none"]) == 0
    pack = load_pack([old], language="zh")
    card = card_of(pack, "acme/lost")
    assert (card.title.en, card.title.zh) == ("The scratch disk is full", "临时盘已满")
    assert card.differs_from is not None
    assert (card.differs_from.zh, card.restart.value) == ("配额会另行提示。", "no")
    (fix,) = card.fixes()
    assert fix.note is not None
    assert (fix.do.zh, fix.note.zh, fix.risk.value) == ("清空", "请先确认。", "look")
    assert card_of(pack, "waits/acme/shard").title.zh == "没有分片"
    assert "acme/rank" in {header.id for header in pack.headers}
    assert "acme-quota" in {cause.id for cause in pack.tables.causes}


def test_an_upgrade_leaves_out_what_others_say(old):
    assert main(["fmt", str(old), "--upgrade", "--settings", "none"]) == 0
    text = (old / "acme/lost.yaml").read_text(encoding="utf-8")
    for gone in ("id:", "certainty", "weight", "yields_to", "when", "severity", "frameworks", "zh"):
        assert gone not in text


def test_a_look_changes_nothing(old, capsys):
    before = {path: path.read_bytes() for path in old.rglob("*.yaml")}
    assert main(["fmt", str(old), "--upgrade", "--check", "--settings", "none"]) == 1
    assert {path: path.read_bytes() for path in old.rglob("*.yaml")} == before
    assert "would rewrite" in capsys.readouterr().out


def test_what_does_not_fit_is_one_sentence(tmp_path, capsys):
    path = tmp_path / "my/acme/lost.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("id: acme/lost\ncertainty: 1\nwhen: a\n")
    assert main(["fmt", str(tmp_path / "my"), "--upgrade", "--settings", "none"]) == 2
    assert "does not fit the old format" in capsys.readouterr().err
