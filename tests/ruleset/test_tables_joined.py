"""What the shipped tables say reaches the engine: nothing is lost where files are joined, rows of exceptions fail."""

from dataclasses import fields
from pathlib import Path

import pytest

from logrules.engine.run import replay
from logrules.model.errors import PackError
from logrules.model.record import replace
from logrules.model.report import Severity
from logrules.ruleset.compile import added_rules, compile_pack, read_sources
from logrules.ruleset.load import load_pack, shipped_texts
from logrules.ruleset.pack import Pack
from logrules.ruleset.rule_file import RuleText
from logrules.ruleset.tables import EXCEPTIONS, Tables
from tests.conftest import MemorySource

_PACKAGES = "/opt/venv/lib/python3.10/site-packages"
_OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"


@pytest.mark.parametrize("name", [field.name for field in fields(Tables)])
def test_no_table_is_lost_where_files_are_joined(shipped: Pack, name: str):
    assert getattr(shipped.tables, name)


@pytest.mark.one_in(2)
def test_rows_that_are_put_on_a_pack_are_as_if_all_had_been_compiled(shipped: Pack):
    known = shipped.tables.exceptions[0].id
    rows = "".join(
        f"- {{id: {name}, cause: peer-lost, classes: [OSError], words: acme lost, samples: ['OSError: acme lost']}}\n"
        for name in (known, "acme-lost")
    )
    text = RuleText("acme.yaml", f"exceptions:\n{rows}".encode(), "acme")
    put_on, whole = read_sources([text]).pack("one", shipped), compile_pack([*shipped_texts(), text], "one")
    assert put_on.tables == whole.tables
    assert put_on.cards == whole.cards
    assert put_on.origins == whole.origins
    assert tuple(put_on.rules) == tuple(whole.rules)
    assert whole.required.items() <= put_on.required.items()


_FRAMEWORK = """\
framework: acme
present: {contains: [ACME trainer]}
headers:
- {id: line, pattern: '^ACME ', samples: [{line: ACME hello, expect: {}}]}
times:
- {id: acme, pattern: '(?P<year>\\d{4})x(?P<month>\\d\\d)x(?P<day>\\d\\d)', samples: {2020x01x02: '2020-01-02T00:00:00'}}
levels: {ACMEBAD: error}
markers:
- {id: warm, contains: ACME warms up, enters: model_load, opens: warm, samples: ACME warms up}
waits:
- id: warm
  phase: model_load
  patience: 10m
  cause: python-exception
  title: ACME never warmed up
  why: The warm-up hangs.
  examples: {fires: {log: ACME warms up, quiet: 12m}, silent: {log: ACME warms up, quiet: 2m}}
metrics:
- {id: loss, metric: loss, contains: ACME loss, pattern: 'ACME loss (?P<value>.+)', samples: {ACME loss 2: 2}}
"""
_RULE = """\
cause: python-exception
title: ACME
why: ACME.
requires: acme
signals: {said: ACME-217}
examples: {fires: ACME-217, silent: calm}
"""


@pytest.mark.one_in(2)
def test_a_framework_that_is_put_on_a_pack_is_as_if_all_had_been_compiled(shipped: Pack):
    own = [RuleText("acme.yaml", _FRAMEWORK.encode(), "acme"), RuleText("acme/one.yaml", _RULE.encode(), "acme")]
    added = added_rules([*shipped_texts(), *own], None)
    assert added is not None
    put_on, whole = added.pack("one", shipped), compile_pack([*shipped_texts(), *own], "one")
    for name in ("waits", "headers", "times", "levels", "cards", "origins", "unclocked", "tables", "steps"):
        assert getattr(put_on, name) == getattr(whole, name)
    assert [rule.id for rule in put_on.rules] == [rule.id for rule in whole.rules]
    for numbered in ("markers", "metrics"):
        told = [
            [(replace(one, signal=0), pack.signals[one.signal]) for one in getattr(pack, numbered)]
            for pack in (put_on, whole)
        ]
        assert told[0] == told[1]
    assert put_on.frameworks[-1].id == whole.frameworks[-1].id == "acme"
    assert added_rules([*shipped_texts(), RuleText("t.yaml", b"framework: torch\n", "acme")], None) is None


def test_a_framework_that_is_shipped_is_in_a_file_of_its_name(shipped: Pack):
    assert {one.id for one in shipped.frameworks} <= {Path(text.shown).stem for text in shipped_texts()}


def test_what_was_raised_is_an_error_and_no_wait(shipped: Pack):
    rows = [rule for rule in shipped.rules if rule.id.startswith(EXCEPTIONS)]
    assert rows
    assert not [rule.id for rule in rows if rule.stall or rule.severity is Severity.WARNING]


@pytest.mark.parametrize(
    ("frames", "phase"),
    [
        ([("/app/train.py", "train"), ("/app/train.py", "validate"), ("torch/nn/parallel/distributed.py", "forward")],
         "eval"),
        ([("/app/train.py", "train"), ("torch/utils/checkpoint.py", "checkpoint"),
          ("torch/utils/checkpoint.py", "forward")], "train_step"),
        ([("/app/main.py", "main"), ("torch/utils/checkpoint.py", "forward"), ("/app/model.py", "forward")],
         "train_step"),
        ([("/app/main.py", "main"), ("torch/nn/parallel/distributed.py", "__init__"),
          ("torch/distributed/utils.py", "_sync_module_states")], "model_load"),
        ([("/app/main.py", "main"), ("accelerate/state.py", "main_process_first"),
          ("torch/distributed/distributed_c10d.py", "barrier")], "data_load"),
        ([("/app/main.py", "main"), ("/app/main.py", "save_checkpoint"),
          ("torch/distributed/distributed_c10d.py", "barrier")], "checkpoint"),
    ],
)  # fmt: skip
def test_frames_tell_the_phase_of_a_failure(shipped: Pack, frames: list[tuple[str, str]], phase: str):
    files = [(file if file.startswith("/") else f"{_PACKAGES}/{file}", function) for file, function in frames]
    places = "".join(f'  File "{file}", line 12, in {function}\n    run()\n' for file, function in files)
    report = replay([MemorySource("train.log", "Traceback (most recent call last):\n" + places + _OOM)], shipped)
    assert report.phase == phase


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("rows", "key"),
    [
        ("exceptions: [{id: acme-lost, classes: [OSError], words: '(lost', cause: peer-lost}]", "exceptions.0.words"),
        ("exit_forms: [{id: acme-end, contains: [rank died], pattern: 'rank (?P<rank>\\d+ died'}]",
         "exit_forms.0.pattern"),
        ("phases: [{id: acme_warm, title: Warm up, about: It warms up., words: '*warming'}]", "phases.0.words"),
        ("other_names: []\ntold_names: [{id: acme, pattern: 'acme=(?P<value>[a-z+'}]", "told_names.0.pattern"),
    ],
)  # fmt: skip
def test_a_row_whose_pattern_is_none_is_told_and_not_met_by_a_log(tmp_path: Path, rows: str, key: str):
    (tmp_path / "acme.yaml").write_text(rows + "\n", encoding="utf-8")
    with pytest.raises(PackError) as fault:
        load_pack([tmp_path], cache=False)
    assert [(one.place.path, one.message.split(":")[0]) for one in fault.value.problems] == [
        (str(tmp_path / "acme.yaml"), f"`{key}`")
    ]
