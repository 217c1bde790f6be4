"""`logrules test` as its user calls it: what it prints, and how it ends."""

import json
from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.engine.run import prepared
from logrules.ruletest import collect as collecting
from logrules.ruletest.collect import collect
from logrules.ruletest.harness import on_all_cores
from logrules.ruletest.judging import run_test
from tests.toy_rule import rule, write


@pytest.fixture
def mine(tmp_path) -> Path:
    write(tmp_path / "my/acme/one.yaml", rule("ONE-WORD"))
    return tmp_path / "my"


def said(capsys, *words: str) -> tuple[int, str, str]:
    status = main(["test", *words])
    out, err = capsys.readouterr()
    return status, out, err


def test_only_what_is_at_the_paths_is_run(mine, capsys):
    assert said(capsys, str(mine)) == (0, "3 examples: 0 failed\n", "")
    assert said(capsys, str(mine / "acme/one.yaml"))[1] == "3 examples: 0 failed\n"
    assert said(capsys, str(mine), "-k", "example 2")[1] == "1 example: 0 failed\n"


@pytest.mark.parametrize("measure", [(), ("--coverage", "--floor", "50"), ("--mutate",)])
def test_a_word_that_no_test_has_is_refused(mine, capsys, measure):
    status, out, err = said(capsys, str(mine), "-k", "acne", *measure)
    assert (status, out) == (2, "")
    assert err == "logrules: -k acne: no test has it in its name; did you mean acme?\n"


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ("rank: 3, message: hello", "1 sample: 0 failed\n"),
        ("rank: 9", "acme/pre sample 1 reads rank as 3, not 9"),
        ("level: error", "acme/pre sample 1 reads level as None, not 'error'"),
        ("colour: red", "acme/pre sample 1 has no part `colour`"),
    ],
)
def test_a_sample_of_a_prefix_gives_what_it_says(alone, capsys, parts, says):
    header = f"""framework: acme
headers:
  - id: pre
    pattern: '<r(?P<rank>\\d+)> '
    starts: "<"
    samples:
      - {{line: "<r3> hello", expect: {{{parts}}}}}
"""
    write(alone / "my/pre.yaml", header)
    status, out, err = said(capsys, str(alone / "my"))
    assert (status, err) == (int("0 failed" not in says), "")
    assert says in out


# What a pack of one's own may carry, with a sample that is right and one that is not; then a text that it must not know.
SAMPLES = {
    "times": (
        "framework: acme\ntimes:\n  - id: own\n    pattern: 'T(?P<year>\\d{4})/(?P<month>\\d\\d)/(?P<day>\\d\\d)'\n"
        "    samples: {T2031/02/03: '2031-02-03T00:00:00', T2031/02/04: '2031-02-05T00:00:00'}\n",
        ["acme/own sample 2 reads '2031-02-04T00:00:00', not '2031-02-05T00:00:00'"],
    ),
    "names": (
        "framework: acme\nnames:\n  - id: own\n    pattern: 'part(?P<rank>\\d+)\\.acme'\n"
        "    samples: {part3.acme: {rank: 3}, part4.acme: {rank: 5}}\n",
        ["acme/own sample 2 reads {'rank': 4}, not {'rank': 5}"],
    ),
    "exits": (
        "exit_forms:\n  - id: acme-end\n    contains: [acme worker ended]\n    pattern: 'acme worker ended: (?P<code>\\d+)'\n"
        "    samples: {'acme worker ended: 9': 9, 'acme worker ended: 3': 4, 'acme worker ended well': 0}\n"
        "    near: ['acme worker ended: soon', 'acme worker ended: 7 of 8']\nexit_codes: []\n",
        [
            "exit_forms/acme-end sample 2 reads 3, not 4",
            "exit_forms/acme-end sample 3 does not recognise its sample",
            "exit_forms/acme-end sample 5 recognises a line that it must not",
        ],
    ),
    "stances": (
        "stances:\n  - id: acme-tip\n    stance: advice\n    pattern: '^acme tip'\n"
        "    samples: ['acme tip: try less', 'an acme tip']\n    near: ['the acme tip', 'acme tip: no near miss']\n",
        [
            "stances/acme-tip sample 2 is judged fact, not advice",
            "stances/acme-tip sample 4 recognises a line that it must not",
        ],
    ),
    "told names": (
        "other_names: []\ntold_names:\n  - id: acme_size\n    contains: [acme size]\n    pattern: 'acme size (?P<value>\\d+)'\n"
        "    samples: {acme size 7: '7', acme size 8: '9'}\n    near: [acme size unknown, acme size 11 rows]\n"
        "  - {id: acme_word, pattern: 'acme (?P<value>\\w+)', samples: {acme one: one}}\n",
        [
            "told_names/acme_size sample 2 reads '8', not '9'",
            "told_names/acme_size sample 4 reads '11', not None",
            "told_names/acme_word sample 1 is asked of no line",
        ],
    ),
}


@pytest.mark.parametrize("table", SAMPLES)
def test_the_samples_of_every_table_of_a_pack_are_run(alone, capsys, table):
    text, wrong = SAMPLES[table]
    write(alone / "my/own.yaml", text)
    status, out, err = said(capsys, str(alone / "my"))
    assert (status, err) == (1, "")
    assert [line for line in wrong if line not in out] == []
    assert f"{len(wrong)} failed" in out


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", ["text", "junit", "json"])
@pytest.mark.parametrize(("faulty", "status"), [(False, 0), (True, 1)])
def test_the_exit_status_is_the_same_in_every_form(mine, capsys, form, faulty, status):
    write(mine / "acme/one.yaml", rule("ONE-WORD", faulty=faulty))
    assert said(capsys, str(mine), "--format", form)[0] == status


def test_processes_change_nothing(capsys):
    some = ("-k", "gloo", "--format", "json")  # examples, samples and a case
    assert said(capsys, *some, "-j", "1") == said(capsys, *some, "-j", "3")


def test_coverage_and_its_floor(mine, capsys):
    text = rule("ONE-WORD").replace("when: said", "  idle: {contains: IDLE}\nwhen: said or idle")
    write(mine / "acme/one.yaml", text)
    status, out, _ = said(capsys, str(mine), "--coverage", "--floor", "50")
    assert status == 0
    assert out.splitlines()[0] == "acme/one: no example has the signal `idle`"
    assert "signals: 1 of 2 (50.0 %) exercised\n" in out
    status, _, err = said(capsys, str(mine), "--coverage", "--floor", "51")
    assert (status, err) == (1, "logrules: 50.0 % is below the floor of 51 %\n")
    document = json.loads(said(capsys, str(mine), "--coverage", "--format", "json")[1])
    assert document["signals"] == {"done": 1, "all": 2, "percent": 50.0}
    assert document["rules"][0]["missing"][0] == "no example has the signal `idle`"


def test_mutants_and_their_floor(mine, capsys):
    text = rule("ONE-WORD").replace("contains: ONE-WORD}", "contains: ONE-WORD, pattern: 'ONE-WORD'}")
    write(mine / "acme/one.yaml", text)
    status, out, _ = said(capsys, str(mine), "--mutate", "--floor", "50")
    assert status == 0
    assert "acme/one: no example notices the pattern of `said` dropped\n" in out
    assert out.endswith("mutants: 1 of 2 (50.0 %) noticed\n")
    assert said(capsys, str(mine), "--mutate", "--floor", "90")[0] == 1
    document = json.loads(said(capsys, str(mine), "--mutate", "--format", "json")[1])
    assert document["rules"][0]["survivors"] == ["the pattern of `said` dropped"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--floor", "9"], "--floor needs"),
        (["--coverage", "--format", "junit"], "text or json, not as junit"),
        (["--mutate", "--changed"], "name files"),
        (["no-such-folder"], "no such file or folder"),
    ],
)
def test_contradictions_are_one_sentence_and_status_2(capsys, words, complaint):
    status, out, err = said(capsys, *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert complaint in err


@pytest.mark.fuzz
def test_where_forking_is_not_safe_processes_compile_the_pack_themselves(mine, monkeypatch):
    monkeypatch.setattr("logrules.engine.resilient_pool.sys.platform", "darwin")
    found = collect([mine])
    on = prepared(found.pack)
    here = list(on_all_cores(run_test, found.tests(), on, 1))
    there = list(on_all_cores(run_test, found.tests(), on, 2, few=2))
    assert there == here != []


ROW = """\
  - id: {id}
    cause: dataset-corrupt
    classes: [KeyError]
    words: '{words}'
    samples: ['{sample}']
    near: ['{near}']
"""


def rows_at(folder: Path, *rows: tuple[str, str, str, str]) -> Path:
    """A file of rows of exceptions: of each its id, its words, its sample and what it must not know."""
    text = "".join(ROW.format(id=name, words=words, sample=sample, near=near) for name, words, sample, near in rows)
    write(folder / "exceptions/acme.yaml", "exceptions:\n" + text)
    return folder


def test_the_samples_of_rows_of_exceptions_are_asked_of_each_alone(tmp_path, capsys):
    shard = "KeyError: shard 17"
    rows = [
        ("acme-good", "shard", shard, "KeyError: 17"),
        ("acme-healthy", "shard", shard, "INFO 17 files are read"),
        ("acme-class", "KeyError", shard, "KeyError: 17"),
        ("acme-wide", "shard", shard, "KeyError: no shard"),
        ("acme-loud", "shard", shard, "INFO shard 17 is read"),
        ("acme-line", "shard", "- no shard -", "KeyError: 17"),
    ]
    status, out, _ = said(capsys, str(rows_at(tmp_path, *rows)))
    assert status == 1
    failed = [line for line in out.splitlines() if line.startswith(str(tmp_path))]
    assert [next(name for name, *_ in rows if name in line) for line in failed] == [name for name, *_ in rows[2:]]
    assert out.count("does not know its sample (`words` is searched in the message") == 1
    assert out.count("knows an exception that it must not") == 2
    assert out.count("is no last line of a traceback") == 1


def test_rows_of_exceptions_that_hold_end_well_and_no_shipped_rule_is_compiled_for_them(tmp_path, capsys, monkeypatch):
    calls = []
    compiled = collecting.compiled
    monkeypatch.setattr(collecting, "compiled", lambda *given, **more: calls.append(1) or compiled(*given, **more))
    rows = rows_at(tmp_path, ("acme-shard", "shard", "KeyError: shard 18", "KeyError: 18"))
    assert said(capsys, str(rows)) == (0, "2 samples: 0 failed\n", "")
    assert not calls
