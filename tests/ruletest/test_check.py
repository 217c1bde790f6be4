"""`logrules check`: every kind of finding at its place, what is mended, what is ignored, and the forms it is told in."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.cli.main import main
from logrules.inference import ranking
from logrules.model.lint_code import CODES
from logrules.model.position import Problem
from logrules.ruleset.pattern_syntax import branches_of
from logrules.ruleset.pattern_work import is_catastrophic
from logrules.ruleset.settings import Settings, read_settings
from logrules.ruletest import duplicate_checks
from logrules.ruletest.collect import shipped_cases
from logrules.ruletest.file_checks import is_address
from logrules.ruletest.lint import check, ignores_in
from logrules.ruletest.rule_tests import find_cases, read_cases
from tests.conftest import COSTLY
from tests.ruleset.test_fuzzed_rules import SHIPPED, scrambled

RULE = """\
id: acme/one
cause: python-exception
title: One
why: One
signals:
  said:
    contains: [ACME-217]
when: said
fixes:
  - do: a
references: [https://example.org/a]
examples:
  fires:
    - log: ACME-217 now
  silent: calm
"""
WORD = "    contains: [ACME-217]\n"


def findings(folder: Path, *texts: str) -> list[Problem]:
    """What is found in these files, the first of which is acme/one."""
    for text in texts:
        name = next((line.split()[1] for line in text.splitlines() if line.startswith("id: ")), "acme/one")
        path = folder / f"my/{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(check([folder / "my"], Settings()).findings)


def told(found: list[Problem]) -> list[str]:
    return [f"{one.place.line}:{one.place.column} {one.code}" for one in found]


def test_a_file_that_is_a_link_out_of_the_folder_is_looked_at_too(tmp_path, capsys):
    (tmp_path / "elsewhere.yaml").write_text("42\n")
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "linked.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    assert main(["check", str(tmp_path / "rules")]) == 1
    assert "linked.yaml:1:1: LR002 is not a mapping" in capsys.readouterr().out


def test_a_good_rule_has_no_findings(alone):
    assert findings(alone, RULE) == []


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("id:", "id: [", "2:6 LR001"),
        ("title: One", "title: []", "3:1 LR002"),
        ("title:", "titel:", "3:1 LR002"),
        ("title: One", "title: {en: One, zh: 一}", "3:1 LR002"),
        ("- do: a", "- no-such-step", "10:5 LR002"),
        ("cause: python-exception", "cause: no-such", "2:1 LR004"),
        ("when: said", "when: said\nphase: nowhere", "9:1 LR005"),
        ("do: a", "do: a\n    during: [nowhere]", "11:14 LR005"),
        ("log: ACME-217 now", "{log: ACME-217 now, phase: nowhere}", "14:27 LR005"),
        ("when: said", "when: said and", "8:1 LR007"),
        ("when: said", "  other: {contains: OTHER}\nwhen: said", "8:3 LR101"),
        ("[ACME-217]", "[ACME-217, Abc]", "7:26 LR102"),
        ("[ACME-217]", "['step ']", "7:16 LR103"),
        (WORD, f"{WORD}    pattern: '(\\w+\\s?)*x'\n", "8:5 LR104"),
        (WORD, f"{WORD}    except: 'ACME-\\d+'\n", "7:16 LR105"),
        (WORD, "    contains: [Watchdog caught]\n    pattern: 'watchdog caught'\n", "8:5 LR105"),
        (WORD, f"{WORD}    pattern: 'ACME-217|quota is used up'\n", "8:5 LR105"),
        ("[ACME-217]", "[ACME-217, 'x ACME-217']", "7:26 LR106"),
        ("  silent: calm\n", "", "12:1 LR110"),
        ("https://example.org/a", "somewhere", "11:14 LR111"),
        ("id: acme/one", "id: acme/two", "1:1 LR112"),
        ("do: a", "do: see {host}", "10:5 LR113"),
        ("do: a", "do: a\n    run: ping {host}", "10:5 LR113"),
        ("do: a", "do: a\n    env: {A: '{host}'}", "10:5 LR113"),
        ("- do: a", "- lock-holder", "10:5 LR113"),
        ("title: One", "title: One of {host}", "3:1 LR113"),
        ("log: ACME-217 now", "{log: ACME-217 now, captures: {host: a}}", "14:38 LR113"),
        ("title: One", "title: Write what went wrong", "3:1 LR114"),
        ("do: a", "do: Write what to try first", "10:5 LR114"),
        (WORD, f"{WORD}    except: 'a1|b2|c3|d4|e5|f6|g7'\n", "8:5 LR116"),
        ("do: a", "do: a\n    unless: 'a1|b2|c3|d4|e5|f6|g7'", "11:5 LR116"),
        ("do: a", "do: End what is left\n    risk: look", "11:5 LR117"),
    ],
)
def test_each_kind_of_finding_has_its_place(alone, old, new, wanted):
    assert old in RULE
    path = alone / "my/acme/one.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(RULE.replace(old, new, 1), encoding="utf-8")
    assert wanted in told(list(check([path], Settings()).findings))


def test_as_many_alternatives_in_a_list_are_no_finding(alone):
    listed = "".join(f"\n      - '{letter}1'" for letter in "abcdefg")
    assert findings(alone, RULE.replace(WORD, f"{WORD}    except:{listed}\n")) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("title: One", "title: 7", "`title`: expects text"),
        ("title: One", "title: ''", "`title`: is empty"),
        ("title: One", "titel: One", "`titel`: unknown key (did you mean `title`?)"),
        ("title: One", "", "`title`: is missing"),
        ("- do: a", "- {do: a, run: [a]}", "`fixes.0.run`: expects text or keys with values"),
        ("[ACME-217]", "[AC]", "`signals.said.contains.0`: has fewer than 3 characters"),
        (
            WORD,
            f"{WORD}    stance: [meant]\n",
            "`signals.said.stance.0`: expects 'fact', 'advice', 'echo', 'retry' or 'caught'",
        ),
        ("when: said", "when: said\nstall: maybe", "`stall`: expects true or false"),
        ("id: acme/one", "id: One", "`id`: is not of the form `^[a-z0-9-]+(/[a-z0-9-]+)+$`"),
    ],
)
def test_what_does_not_fit_is_said_in_our_words_and_once(alone, old, new, said):
    of_schema = [one.said for one in findings(alone, RULE.replace(old, new, 1)) if one.code == "LR002"]
    assert [one for one in of_schema if said.split(":")[0] in one] == [said]
    assert not any("Input" in one or "should" in one for one in of_schema)


@pytest.mark.parametrize(
    "run",
    ["awk '{print $1}' log", "curl -w %{http_code} here", "echo ${name}", "lslocks | grep {host}"],
)
def test_a_command_may_have_braces_of_its_own_and_what_patterns_capture(alone, run):
    rule = RULE.replace("do: a", f'do: a\n    run: "{run}"').replace(
        WORD, f"{WORD}    pattern: 'ACME-(?P<host>\\w+)'\n"
    )
    assert "LR113" not in [one.code for one in findings(alone, rule)]


def test_a_misspelt_capture_is_told_with_what_it_may_have_meant(alone):
    rule = RULE.replace("do: a", "do: a\n    run: ping {hots}").replace(
        WORD, f"{WORD}    pattern: 'ACME-(?P<host>\\w+)'\n"
    )
    assert "no pattern captures `hots` (did you mean `host`?)" in [one.said for one in findings(alone, rule)]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("- do: a", "- disk-spce", "unknown step `disk-spce` (did you mean `disk-space`?)"),
        ("- do: a", "- zzqqxx", "unknown step `zzqqxx` (see `logrules explain --steps`)"),
        ("when: said", "when: said\nphase: zzqqxx", "unknown phase `zzqqxx` (see `logrules explain --phases`)"),
        ("when: said", "when: said\nrequires: [zzqqxx]", "unknown framework `zzqqxx` (known are "),
        ("when: said", "when: said\ntier: hots", "unknown tier `hots` (did you mean `host`?)"),
        ("when: said", "when: zzqqxx", "unknown signal `zzqqxx`; this rule has `said`"),
    ],
)
def test_an_unknown_name_is_told_with_what_is_near_or_where_all_are(alone, old, new, said):
    (line,) = [one.said for one in findings(alone, RULE.replace(old, new, 1)) if "unknown" in one.said]
    assert said in line
    assert len(line) < 200


def test_an_unknown_step_of_a_table_is_told_where_all_are(alone):
    path = alone / "my/causes.yaml"
    path.parent.mkdir()
    cause = "{id: acme-quota, family: acme, tier: host, title: Quota, about: No hours are left., fixes: [%s]}"
    path.write_text(f"causes:\n  - {cause % 'zzqqxx'}\n", encoding="utf-8")
    (line,) = [one.said for one in check([alone / "my"], Settings()).findings if one.code == "LR002"]
    assert line == "unknown step `zzqqxx` (see `logrules explain --steps`)"


def test_a_sample_of_a_header_that_is_read_otherwise_is_found(alone):
    path = alone / "my/frameworks/acme.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(
        "framework: acme\nheaders:\n  - id: line\n    pattern: 'ACME(?P<rank>\\d+) '\n    starts: A\n    samples:\n"
        "      - {line: 'ACME7 hello', expect: {rank: 7, message: hello}}\n"
        "      - {line: 'ACME8 hello', expect: {rank: 9, message: hello}}\n",
        encoding="utf-8",
    )
    found = [one for one in check([path], Settings()).findings if one.code == "LR115"]
    assert [one.said for one in found] == ["acme/line sample 2 reads rank as 8, not 9"]
    assert found[0].place.line == 8


_FRAMEWORK = """\
framework: acme
present: {contains: [ACME trainer]}
headers:
  - id: line
    pattern: '^ACME '
    samples: [{line: ACME hello, expect: {}}]
markers:
  - id: begun
    contains: [ACME begins]
    samples: [ACME begins]
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("framework: acme\n", "framework: acme\ncontains: [ACME]\n", "`contains`: unknown key"),
        ("framework: acme\n", "framework: acme\ntitle: Acme\n", "`title`: unknown key"),
        ("framework: acme\n", "framework: acme\nmarkrs: []\n", "`markrs`: unknown key (did you mean `markers`?)"),
        ("{contains", "{contain", "`present.contain`: unknown key (did you mean `contains`?)"),
        ("  - id: line\n", "  - id: line\n    contains: [ACME]\n", "`headers.0.contains`: unknown key"),
        (
            "  - id: line\n",
            "  - id: line\n    entres: init\n",
            "`headers.0.entres`: unknown key (did you mean `ends`?)",
        ),
        ("  - id: begun\n", "  - id: begun\n    patience: 5m\n", "`markers.0.patience`: unknown key"),
        (
            "  - id: begun\n",
            "  - id: begun\n    entres: init\n",
            "`markers.0.entres`: unknown key (did you mean `enters`?)",
        ),
    ],
)
def test_an_unknown_key_is_told_with_a_key_that_may_stand_there(alone, old, new, said):
    path = alone / "my/frameworks/acme.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(_FRAMEWORK.replace(old, new, 1), encoding="utf-8")
    assert said in [one.said for one in check([path], Settings()).findings]


def test_a_rule_without_a_cause_is_no_file_of_steps(alone):
    found = findings(alone, RULE.replace("cause: python-exception\n", ""))
    assert [one.said for one in found] == ["`cause`: is missing"]


def test_every_code_can_be_found_and_is_explained(capsys):
    source = Path(__file__).read_text(encoding="utf-8")
    for code in CODES.values():
        assert code.id in source, f"no test finds {code.id}"
        assert main(["explain", code.id, "--lang", "en"]) == 0
        assert code.title.en in capsys.readouterr().out
        assert min(map(len, (code.why.en, code.why.zh, code.help.en, code.help.zh))) > 0


def test_two_files_of_one_name_are_found(alone):
    (alone / "my").mkdir()
    for name in ("a", "b"):
        (alone / f"my/{name}.yaml").write_text(RULE, encoding="utf-8")
    assert "LR003" in [one.code for one in check([alone / "my"], Settings()).findings]


def test_rules_that_always_fire_together_are_twins(alone):
    example = "    - log: ACME-217 now\n"
    both = RULE.replace(example, example * 3)
    found = findings(alone, both, both.replace("acme/one", "acme/two").replace("python-exception", "cuda-oom"))
    assert [(one.code, Path(one.place.path).stem) for one in found] == [("LR107", "one"), ("LR107", "two")]
    assert "`acme/one` and `acme/two`" in found[0].message


def test_a_log_that_many_examples_have_is_read_once(alone, monkeypatch):
    """On one log all of many rules may hold: to rank them for each of their examples took time by the cube of them."""
    logs: list[str] = []
    run = duplicate_checks._fired_on_example

    def see(on, example):
        logs.append(example.log)
        return run(on, example)

    monkeypatch.setattr(duplicate_checks, "_fired_on_example", see)
    found = findings(alone, *(RULE.replace("acme/one", f"acme/rule-{number}") for number in range(9)))
    assert [one.code for one in found] == ["LR107"] * 9
    assert "`acme/rule-8`" in found[0].message
    assert sorted(logs) == ["ACME-217 now", "calm"]


def test_which_rules_fire_is_asked_without_ordering_them(alone, monkeypatch):
    """Of many rules that hold on many logs each would be compared with each, on each."""
    ordered: list[int] = []
    monkeypatch.setattr(ranking, "ranked", lambda hypotheses, *_: ordered.append(len(hypotheses)) or ())
    others = [
        RULE.replace("acme/one", f"acme/rule-{number}").replace("ACME-217 now", f"ACME-217 now {number}")
        for number in range(9)
    ]
    assert [one.code for one in findings(alone, *others)] == ["LR107"] * 9
    assert not any(ordered)  # the captured logs are reported on, and nothing holds there


def test_a_rule_that_fires_alone_once_is_no_twin(alone):
    example = "    - log: ACME-217 now\n"
    both = RULE.replace(example, example * 3)
    other = both.replace("acme/one", "acme/two").replace("python-exception", "cuda-oom").replace("[ACME-217]", "[ACME]")
    assert findings(alone, both, other.replace(example, f"{example}    - log: ACME-218\n", 1)) == []


def test_a_wait_that_is_not_there_is_found(alone):
    marker = "framework: acme\nmarkers:\n  - {id: s, contains: ACME begins, opens: nowhere, samples: [ACME begins]}\n"
    assert "LR006" in [one.code for one in findings(alone, marker)]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("{title: 一, why: 一, fixes: [{do: 甲}]}", []),
        ("{title: 一, why: 一}", ["`acme/one: 1 steps and their notes` is not in translations/zh.yaml"]),
        ("{title: 一, why: the words of the author, fixes: [{do: 甲}]}", ["`acme/one` is not in Chinese"]),
    ],
)
def test_a_language_that_a_pack_has_it_must_have_in_full(alone, said, wanted):
    path = alone / "my/translations/zh.yaml"
    path.parent.mkdir(parents=True)
    # The name of the file says the language.
    path.write_text(f"rules:\n  acme/one: {said}\n", encoding="utf-8")
    assert [(one.code, one.said) for one in findings(alone, RULE)] == [("LR109", message) for message in wanted]


def test_a_rule_that_a_translation_lacks_is_found(alone):
    path = alone / "my/translations/zh.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("language: zh\n", encoding="utf-8")
    assert told(findings(alone, RULE)) == ["1:1 LR109"]


def test_a_wait_that_nothing_opens_is_dead(alone):
    phases = """
framework: acme
markers:
  - {id: began, contains: ACME begins, enters: launch, samples: [ACME begins]}
waits:
  - id: begin
    phase: launch
    patience: 5m
    cause: python-exception
    title: a
    why: a
    fixes: [{do: a}]
    examples: {fires: {log: ACME begins, quiet: 6m}, silent: {log: ACME begins, quiet: 1m}}
"""
    assert told(findings(alone, phases)) == ["6:5 LR101"]
    assert findings(alone, phases.replace("enters: launch", "enters: launch, opens: begin")) == []


def test_a_marker_of_progress_may_be_common(alone):
    marker = "framework: acme\nmarkers:\n  - {id: s, contains: 'step ', progress: true, samples: [step 1]}\n"
    assert findings(alone, marker) == []


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        (r"(a+)+b", True),
        (r"(a*)*b", True),
        (r"(\w+\s?)*x", True),
        (r"(?:\s*\S+)*x", True),
        (r"(x+x+)+y", True),
        (r"(?:a|ab|b)*c", True),
        (r"(?:ab|a.)*c", True),
        (r"(a{1,100}){1,100}", True),
        (r"((?:a|b)+c?)+", True),
        (r".*.*x", False),
        (r"(a|b)*c", False),
        (r"(?:a+b)+", False),
        (r"([a-z]+=\d+ )+", False),
        (r"(\d+,)*\d+", False),
        (r"(?:[^,]*,)*x", False),
        (r"(?:\w+ ){1,5}", False),
        (r"(?>a+)+b", False),
        (r"(?:a++)*b", False),
        (r"(?:(?>ab|a)c)*", False),
        (r"\p{Han}+(", False),
    ],
)
def test_ambiguous_repetitions_are_told_from_harmless_ones(pattern, wanted):
    assert is_catastrophic(pattern) is wanted


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("a|b", ("a", "b")),
        ("(a|b)c", ("(a|b)c",)),
        (r"a\|b|[|]c|[]|]|d", (r"a\|b", "[|]c", "[]|]", "d")),
        ("(?i)a|b", ("(?i)a", "(?i)b")),
        ("[^]|]", ("[^]|]",)),
        ("[", ("[",)),
    ],
)
def test_the_branches_of_a_pattern(pattern, wanted):
    assert branches_of(pattern) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("https://pytorch.org/docs", True),
        ("http://example.org", True),
        ("ftp://example.org", False),
        ("https://localhost", False),
        ("https://example.org/a b", False),
        ("https://[", False),
        ("see the docs", False),
    ],
)
def test_addresses_of_pages(text, wanted):
    assert is_address(text) is wanted


# Comments that ignore.


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a: 1  # logrules: ignore=LR103 why", [("LR103", 1, "why")]),
        (
            "a: 1\n# logrules: ignore=LR103,LR104 why not\n\n# more\nb: 2",
            [("LR103", 5, "why not"), ("LR104", 5, "why not")],
        ),
        ("# title\n# logrules: ignore=LR112 it moved\na: 1", [("LR112", 0, "it moved")]),
        ("a: 1 # logrules:ignore=LR103", [("LR103", 1, "")]),
        ("a: 1 # logrules: ignore", []),
    ],
)
def test_what_a_comment_ignores(text, wanted):
    assert [(one.code, one.line, one.reason) for one in ignores_in(text, "p")] == wanted


def test_a_finding_is_ignored_with_a_reason(alone):
    short = RULE.replace("[ACME-217]", "[ACME-217, Abc]")
    line = WORD.replace("[ACME-217]", "[ACME-217, Abc]")
    behind = short.replace(line, f"{line[:-1]}  # logrules: ignore=LR102 nothing else is on the line\n")
    above = short.replace(line, f"    # logrules: ignore=LR102 nothing else is on the line\n{line}")
    assert (findings(alone, behind), findings(alone, above)) == ([], [])


def test_a_reason_is_asked_for_and_vain_comments_are_found(alone):
    short = RULE.replace("[ACME-217]", "[ACME-217, Abc]")
    without = short.replace("signals:", "signals:  # logrules: ignore=LR102")
    assert sorted(one.code for one in findings(alone, without)) == ["LR102", "LR901", "LR902"]


# What is mended.


def test_what_is_superfluous_is_taken_out(alone, capsys):
    text = RULE.replace("[ACME-217]", "[ACME-217, 'x ACME-217']  # as printed").replace(
        "when: said", "  other: {contains: OTHER}\nwhen: said"
    )
    assert {one.code for one in findings(alone, text)} == {"LR101", "LR106"}
    assert main(["check", str(alone / "my"), "--fix", "--settings", "none"]) == 0
    mended = (alone / "my/acme/one.yaml").read_text(encoding="utf-8")
    assert re.sub(" +#", " #", mended) == RULE.replace("[ACME-217]", "[ACME-217] # as printed")
    assert capsys.readouterr().err == "logrules: mended 1 file\n"


def test_no_signal_is_taken_out_for_a_misspelling_in_the_condition(alone):
    text = RULE.replace("when: said", "  other: {contains: OTHER}\nwhen: said and ohter")
    assert {one.code for one in findings(alone, text)} == {"LR007"}


def test_nothing_else_is_changed_by_mending(alone):
    text = RULE.replace("id: acme/one", "id: acme/two")
    findings(alone, text)
    (alone / "my/acme/two.yaml").rename(alone / "my/acme/one.yaml")
    assert main(["check", str(alone / "my"), "--fix", "--settings", "none"]) == 1
    assert (alone / "my/acme/one.yaml").read_text(encoding="utf-8") == text


# Forms, paths, the web.


@pytest.fixture
def faulty(alone, monkeypatch) -> Path:
    findings(alone, RULE.replace("https://example.org/a", "'a: 1, 100%'"))
    monkeypatch.chdir(alone)
    return alone


def run(capsys, *words: str) -> str:
    assert main(["check", "my", "--settings", "none", *words]) == 1
    return capsys.readouterr().out


def test_findings_as_text(faulty, capsys):
    assert run(capsys) == (
        "my/acme/one.yaml:11:14: LR111 `a: 1, 100%` is no address of a page\n"
        "1 file: 1 finding\n"
        "`logrules explain LR111` says more: a broken reference\n"
    )


def test_findings_as_json(faulty, capsys):
    document = json.loads(run(capsys, "--format", "json"))
    (one,) = document["findings"]
    assert (document["schema"], document["files"]) == ("logrules.findings/1", 1)
    assert (one["code"], one["line"], one["column"], one["severity"]) == ("LR111", 11, 14, "warning")


def test_findings_as_sarif(faulty, capsys):
    (found,) = json.loads(run(capsys, "--format", "sarif"))["runs"]
    (result,) = found["results"]
    assert found["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "LR111"


def test_findings_as_github(faulty, capsys):
    assert run(capsys, "--format", "github") == (
        "::warning file=my/acme/one.yaml,line=11,col=14,title=LR111 reference::`a: 1, 100%25` is no address of a page\n"
    )


def test_a_path_that_does_not_exist(alone, capsys):
    assert main(["check", str(alone / "absent"), "--settings", "none"]) == 2
    assert "no such file or folder of rules" in capsys.readouterr().err


def test_settings_are_checked_too(alone):
    (alone / "logrules.toml").write_text("packs = ['my']\ndisable = ['no/such']\ncolour = 1\n")
    findings(alone, RULE)
    assert [str(one.code) for one in check([], read_settings(alone / "logrules.toml")).findings] == ["LR002"]
    (alone / "logrules.toml").write_text("packs = ['my']\ndisable = ['no/such']\n")
    assert told(list(check([], read_settings(alone / "logrules.toml")).findings)) == ["2:1 LR002"]


def test_cases_are_checked_too(alone):
    (alone / "my/case-a").mkdir(parents=True)
    (alone / "my/case-a/case.yaml").write_text("script: [{line: a}]\n")
    assert told(findings(alone, RULE)) == ["1:1 LR002"]


def test_pages_that_are_gone_are_found_online(alone, monkeypatch):
    findings(alone, RULE)
    monkeypatch.setattr("logrules.ruletest.file_checks._trouble", lambda _: "answers 404")
    found = check([alone / "my"], Settings(), online=True).findings
    assert [(one.code, one.said) for one in found] == [("LR111", "`https://example.org/a` answers 404")]


def test_a_page_that_cannot_be_reached_is_one_sentence():
    from logrules.ruletest.file_checks import _trouble

    assert _trouble("http://127.0.0.1:9/x").startswith("cannot be reached:")


def test_the_shipped_logs_are_what_is_measured():
    assert len([log for case in read_cases(find_cases(shipped_cases())) for log in case.logs]) > 90


@pytest.mark.one_in(2)
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("story", "old", "new"),
    [
        ("a pattern nested too deep", WORD, f"{WORD}    pattern: '{'(' * 450}{')' * 450}'\n"),
        ("repetitions of repetitions", WORD, f"{WORD}    pattern: '{'(' * 20}a{'{1,900})' * 20}'\n"),
        ("a pattern that calls itself", WORD, f"{WORD}    pattern: '(?P<x>a(?&x)?a)$'\n"),
        ("a very long alternation", WORD, f"{WORD}    pattern: '({'|'.join(f'a{n}' for n in range(150))})*'\n"),
        ("a veto that takes for ever", WORD, f"{WORD}    except: '(A+)+(C+)+\\d+$'\n"),
        ("a comment in a comment", "id:", "# logrules: ignore=LR001 # logrules: ignore=\nid:"),
        ("control characters", "calm", '"\\x00\\x1b[31m"'),
        ("a list", RULE, "- a"),
        ("nothing", RULE, ""),
    ],
)
def test_malice_is_findings_and_never_a_crash(alone, capsys, story, old, new):
    path = alone / "my/acme/one.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(RULE.replace(old, new, 1), encoding="utf-8")
    assert main(["check", str(path), "--settings", "none"]) in {0, 1}
    assert "\x1b" not in capsys.readouterr().out
    assert main(["fmt", str(path), "--check", "--settings", "none"]) in {0, 1, 2}


@given(st.sampled_from(SHIPPED), st.randoms(use_true_random=False))
@COSTLY
def test_scrambled_rule_files_are_findings_and_never_a_crash(alone, raw, random_):
    path = alone / "my/acme/one.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(scrambled(raw, random_))
    for finding in check([path], Settings()).findings:
        assert finding.code in CODES
        assert finding.place.path == str(path)
