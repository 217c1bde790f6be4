"""Rules and signals of a kept pack: rows are built when they are asked for, and what all of them say is kept."""

import marshal
import pickle
from collections import defaultdict

import pytest

from logrules.engine.run import replay
from logrules.inference.rule_index import Index
from logrules.model.record import replace
from logrules.ruleset.condition import Absence, Detector, Metrical, Waiting, leaves, signals_of
from logrules.ruleset.kept_values import from_plain, to_plain
from logrules.ruleset.long_tables import RuleTable, SignalTable, literals_of
from tests.conftest import MemorySource


@pytest.fixture
def kept(shipped):
    """The shipped pack as the next start reads it."""
    return from_plain(marshal.loads(marshal.dumps(to_plain(shipped))))  # noqa: S302 (just written)


def built(table) -> int:
    return sum(not isinstance(row, bytes) for row in table._rows)


def test_a_diagnosis_builds_few_rows_of_a_kept_pack(kept):
    log = "".join(f"2026-01-01 10:00:{n:02d},000 INFO step {n} loss 0.5\n" for n in range(60))
    report = replay([MemorySource("train.log", log + "RuntimeError: CUDA out of memory.\n")], kept, threads=1)
    assert report.diagnoses[0].cause == "cuda-oom"
    assert built(kept.rules) < len(kept.rules) / 3
    assert built(kept.signals) < len(kept.signals) / 10


@pytest.mark.parametrize("table", ["rules", "signals"])
def test_a_kept_table_is_the_same_row_for_row(kept, shipped, table):
    once, again = getattr(shipped, table), getattr(kept, table)
    assert len(again) == len(once)
    assert again[7] == once[7]
    assert again[-1] == once[-1]
    assert again[3:6] == once[3:6]
    assert again.summary == once.summarized(once)
    assert list(again) == list(once)
    assert again == once
    assert again != type(once)(once[1:])


@pytest.mark.parametrize("table", ["rules", "signals"])
def test_a_kept_table_can_be_sent_to_another_process(kept, table):
    sent = pickle.loads(pickle.dumps(getattr(kept, table)))  # noqa: S301 (just written)
    assert sent == getattr(kept, table)
    assert sent.summary == getattr(kept, table).summary


def test_a_changed_table_has_a_summary_of_its_own(shipped):
    first, *others = shipped.rules
    changed = RuleTable([replace(first, id="own/first"), *others])
    assert changed.named("own/first") == replace(first, id="own/first")
    assert changed.named(first.id) is None
    assert shipped.rules.named(first.id) == first


def test_each_literal_has_one_entry_and_sampled_signals_their_own(shipped):
    few = SignalTable(
        replace(shipped.signals[0], id=name, literals=texts, sampled=sampled)
        for name, texts, sampled in (
            ("a:one", ("step", "loss"), False),
            ("b:one", ("loss", "loss"), False),
            ("c:one", ("loss",), True),
        )
    )
    assert literals_of(few) == literals_of(tuple(few))
    assert literals_of(few).texts == (b"step", b"loss", b"loss")
    assert literals_of(few).asked_by == ((0,), (0, 1), (2,))
    assert literals_of(few).sampled == (2,)


def test_a_signal_moves_the_leaves_of_all_rules_that_ask_for_it(kept, shipped):
    asking: dict[int, dict[str, set[object]]] = defaultdict(lambda: defaultdict(set))
    for rule in shipped.rules:
        for leaf in leaves(rule.when):
            for signal in signals_of(leaf):
                asking[signal][rule.id].add(leaf)
    index = Index(kept)
    for signal in range(len(shipped.signals)):
        assert {rule.id: set(moved) for rule, moved in index.moved_by(signal)} == asking[signal]


def test_silence_moves_the_rules_that_ask_for_it(kept, shipped):
    minding = Absence | Detector | Metrical | Waiting
    asking = [rule.id for rule in shipped.rules if any(isinstance(leaf, minding) for leaf in leaves(rule.when))]
    assert [rule.id for rule in kept.rules.silent()] == asking


def test_a_rule_of_no_pack_is_not_known(kept):
    assert kept.rules.named("own/unknown") is None
    with pytest.raises(KeyError):
        Index(kept).rule("own/unknown")
