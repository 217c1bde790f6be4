"""Rule files read on several cores: the same files, the same problems, and no pattern compiled twice."""

from logrules.ruleset import pattern
from logrules.ruleset.compile import read_sources
from logrules.ruleset.rule_file import RuleText
from logrules.ruletest import parallel
from logrules.ruletest.parallel import reading_with

RULE = """cause: python-exception
title: Lost {number}
why: It is lost.
signals: {{lost: {{contains: [ACME-lost], pattern: 'ACME-lost (?P<n>{number})'}}}}
examples: {{fires: [ACME-lost {number}], silent: [ACME found]}}
"""


def texts(count: int) -> list[RuleText]:
    return [
        RuleText(f"acme/{n}.yaml", (RULE.format(number=n) if n % 7 else f"cause: {n}\n").encode()) for n in range(count)
    ]


def test_many_files_say_the_same_however_many_processes_read_them():
    some = texts(parallel.FEW_FILES)
    alone = read_sources(some)
    together = read_sources(some, read=reading_with(2))
    assert together.problems == alone.problems
    assert [(one.file, one.document.path) for one in together.sources] == [
        (one.file, one.document.path) for one in alone.sources
    ]
    assert [one.problem(["title"], "?", kind="schema") for one in together.sources] == [
        one.problem(["title"], "?", kind="schema") for one in alone.sources
    ]


def test_what_one_process_compiled_another_one_takes(monkeypatch):
    monkeypatch.setattr(pattern._Stored, "forms", {})
    monkeypatch.setattr(pattern, "_made", {})
    pattern.compiled.cache_clear()
    read_sources(texts(parallel.FEW_FILES), read=reading_with(2))
    assert "ACME-lost (?P<n>1)" in pattern.stored_so_far()
    assert pattern.compiled("ACME-lost (?P<n>1)").search("ACME-lost 1")
    assert not pattern.made_so_far()


def test_few_files_take_no_process(monkeypatch):
    monkeypatch.setattr("logrules.engine.resilient_pool.process_pool", None)
    assert len(read_sources(texts(parallel.FEW_FILES - 1), read=reading_with(None)).sources) > 0
