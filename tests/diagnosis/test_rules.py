"""What every shipped rule has; that its examples hold is for `logrules test`, a part of `make lint`."""

from logrules.ruleset import models as schema
from logrules.ruleset.compile import read_source
from logrules.ruleset.load import rule_texts, shipped_rules


def test_every_rule_has_a_firing_example_and_a_near_miss():
    lacking, seen = [], 0
    for text in rule_texts([shipped_rules()]):
        source, problems = read_source(text)
        assert source is not None, problems
        cards = [source.file] if isinstance(source.file, schema.RuleFile) else getattr(source.file, "waits", [])
        for card in cards:
            seen += 1
            if not (card.examples.fires and card.examples.silent):
                lacking.append(f"{text.shown} {card.id}")
    assert lacking == []
    assert seen > 0


def test_the_id_of_a_rule_is_its_path():
    root = shipped_rules()
    seen = 0
    for text in rule_texts([root]):
        source, problems = read_source(text)
        assert source is not None, problems
        if isinstance(source.file, schema.RuleFile):
            seen += 1
            assert source.file.id == text.path.relative_to(root).with_suffix("").as_posix()
            assert b"\nid:" not in b"\n" + text.raw, f"{text.shown} says what its path says"
    assert seen > 0
