"""`logrules fmt`: one way to write rule files; nothing that they say is changed, no comment lost.

That the shipped files are written so is for `logrules fmt --check`, a part of `make lint`.
"""

import contextlib
import re
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from logrules.cli.main import main
from logrules.model.errors import PackError
from logrules.ruleset import framework_models, models
from logrules.ruleset.causes import Cause
from logrules.ruleset.load import shipped_rules
from logrules.ruleset.pack import HeaderFormat
from logrules.ruleset.steps import NamedFixFile
from logrules.ruleset.tables import Phase
from logrules.ruleset.yaml_reader import parse_document
from logrules.ruletest.format import formatted
from logrules.ruletest.key_order import is_ours
from logrules.ruletest.rule_tests import find_cases
from logrules.ruletest.yaml_layout import laid_out

SHIPPED = [*sorted(shipped_rules().rglob("*.yaml")), *find_cases([shipped_rules().parent / "fixtures"])]


MODELS = {
    "": models.RuleFile,
    "fixes": NamedFixFile,
    "fires": models.FiresFile,
    "silent": models.SilentFile,
    "markers": framework_models.MarkerFile,
    "metrics": framework_models.MetricFile,
    "waits": framework_models.WaitFile,
    "headers": HeaderFormat,
    "causes": Cause,
    "phases": Phase,
}


@pytest.mark.parametrize("part", MODELS)
def test_every_key_that_a_model_has_stands_before_unknown_ones(part: str):
    model = MODELS[part]
    names = [member.name for member in fields(model)]
    lines = ["unknown: x", *(f"{name.rstrip('_')}: x" for name in sorted(names))]
    said = yaml.safe_load(laid_out(f"{part}:\n  - " + "\n    ".join(lines) if part else "\n".join(lines)))
    assert [*(said[part][0] if part else said)][-1] == "unknown"


def comments(raw: bytes) -> list[str]:
    return sorted(line.strip() for line in raw.decode().splitlines() if line.lstrip().startswith("# "))


def tidy(text: str) -> str:
    return formatted(text.encode(), "p").decode()


@pytest.mark.parametrize(
    ("story", "before", "after"),
    [
        ("keys of a rule", "when: a\nid: x\ncause: c\n", "id: x\ncause: c\nwhen: a\n"),
        (
            "comments go with their keys",
            "# of the file\nwhen: a  # behind\n# of the id\n# and more\nid: x\n",
            "# of the file\n# of the id\n# and more\nid: x\nwhen: a  # behind\n",
        ),
        (
            "items of lists",
            "when: a\nfixes:\n  - risk: look\n    do: |\n      # no comment\n      x\n  # another\n  - do: y\n    risk: safe\n",
            "when: a\nfixes:\n  - do: |\n      # no comment\n      x\n    risk: look\n  # another\n  - do: y\n    risk: safe\n",
        ),
        (
            "a block that ends in what looks like a comment",
            "when: |\n  a\n  # b\nid: x\n",
            "id: x\nwhen: |\n  a\n  # b\n",
        ),
        (
            "names that are the author's",
            "when: b\nsignals:\n  when: {contains: x}\n  id: {contains: y}\n",
            "signals:\n  when: {contains: x}\n  id: {contains: y}\nwhen: b\n",
        ),
        ("indentation", "when: a\nfixes:\n- risk: safe\n  do: x\n", "when: a\nfixes:\n  - do: x\n    risk: safe\n"),
        ("unknown keys", "zzz: 1\nwhen: a\nyyy: 2\nid: x\n", "id: x\nwhen: a\nzzz: 1\nyyy: 2\n"),
        ("long lines", f"when: a\nwhy: {'word ' * 60}end\n", f"why: {'word ' * 60}end\nwhen: a\n"),
        ("quotes", "when: 'a'\nid: \"x\"\n", "id: \"x\"\nwhen: 'a'\n"),
        ("phase files", "waits: []\nmarkers: []\nframework: x\n", "framework: x\nmarkers: []\nwaits: []\n"),
        (
            "sentences",
            "steps: []\nexpect: x\ntitle:\n  zh: b\n  en: a\n",
            "expect: x\ntitle:\n  en: a\n  zh: b\nsteps: []\n",
        ),
    ],
)
def test_how_a_file_is_written(story, before, after):
    assert tidy(before) == after


@pytest.mark.one_in(4)
@pytest.mark.parametrize("path", SHIPPED[7::40], ids=lambda path: path.parent.name + "/" + path.name)
def test_a_shipped_file_in_disorder_loses_nothing(path):
    head, *blocks = re.split(r"(?m)^(?=[a-z])", path.read_text(encoding="utf-8"))
    turned = (head + "".join(block.rstrip("\n") + "\n" for block in reversed(blocks))).encode()
    new = formatted(turned, str(path))
    assert yaml.safe_load(new) == yaml.safe_load(turned)
    assert comments(new) == comments(turned)
    assert formatted(new, str(path)) == new


@pytest.mark.parametrize("folder", ["rules", "fixtures"])
def test_every_shipped_file_names_the_schema_of_its_kind(folder):
    kinds = {
        "frameworks": "framework",
        **dict.fromkeys(("exceptions", "exits", "names", "origins"), "tables"),
        "fixes": "fixes",
        "expect": "expect",
        "translations": "translation",
        "fixtures": "case",
    }
    root = shipped_rules().parent
    files = [path for path in SHIPPED if path.is_relative_to(root / folder)]
    assert len(files) > 90
    for path in files:
        named = path.read_text(encoding="utf-8").partition("$schema=")[2].split("\n")[0]
        parts = path.relative_to(root).parts
        kind = next((kinds[part] for part in parts if part in kinds), "rule")
        if len(parts) == 2:  # a table
            kind = "tables"
        assert (path.parent / named).resolve() == root / f"docs/schema/{kind}.json", path


KEYS = ("id", "when", "cause", "fixes", "title", "other")
VALUES = st.one_of(
    st.sampled_from(["a", "'b'", "[x, y]", "{en: a, zh: b}", "|\n    text\n    # more"]),
    st.sampled_from(
        ["\n    en: a\n    # here\n    zh: b", "\n    - log: a\n      note: b\n    - note: c\n      log: d"]
    ),
)


@given(
    st.lists(st.tuples(st.sampled_from(KEYS), VALUES, st.booleans()), min_size=1, unique_by=lambda entry: entry[0]),
    st.booleans(),
)
def test_order_keeps_data_and_comments(entries, header):
    text = "# of the file\n" * header
    for key, value, commented in entries:
        text += f"# of {key}\n" * commented + f"{key}: {value}\n"
    new = laid_out(text)
    assert yaml.safe_load(new) == yaml.safe_load(text)
    assert comments(new.encode()) == comments(text.encode())
    assert len(new.splitlines()) == len(text.splitlines())
    assert laid_out(new) == new


@given(st.text(max_size=300))
def test_any_text_is_formatted_or_refused_in_one_sentence(text):
    try:
        once = formatted(text.encode(errors="replace"), "p")
    except PackError as fault:
        assert all(str(problem).startswith("p:") for problem in fault.problems)
    else:
        assert formatted(once, "p") == once


@pytest.mark.parametrize("text", ["?", "a: 1\n? "])
def test_a_key_without_a_word_that_ends_a_file_is_refused(text):
    with pytest.raises(PackError, match="laid out in an unknown way"):
        formatted(text.encode(), "p")


SMALL = [path for path in SHIPPED if path.stat().st_size < 2_000]
EDITS = [
    "# c",
    "  # c",
    "",
    " ",
    "x",
    "'",
    '"',
    ",",
    ":",
    "- ",
    "{",
    "?",
    "~",
    "1_0",
    "|",
    "\n",
    "!!str ",
    "&a ",
    ".5",
    "\t",
    "é",
    "🏃",
    "\r",
]


@given(
    st.sampled_from(SMALL),
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 60), st.sampled_from(EDITS)), max_size=3),
)
def test_a_file_out_of_shape_loses_nothing(path, edits):
    lines = path.read_text(encoding="utf-8").split("\n")
    for row, column, edit in edits:
        line = lines[row % len(lines)]
        lines[row % len(lines)] = line[:column] + edit + line[column:]
    text = "\n".join(lines)
    with contextlib.suppress(PackError):
        new = tidy(text)
        assert parse_document(new.encode(), "p").data == parse_document(text.encode(), "p").data
        assert new.count("# c") == text.count("# c")
        assert tidy(new) == new


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a:\n- x\n# of y\n- y\n", "a:\n  - x\n  # of y\n  - y\n"),
        ("a:\n    b: c   # behind\n    # of d\n    d: e\n", "a:\n  b: c   # behind\n  # of d\n  d: e\n"),
        ("a:   # of all\n      b: c\n", "a:   # of all\n  b: c\n"),
        ("a:\n  # of b\n  b\n", "# of b\na: b\n"),
        ("a:\n  - # of b\n    b: c\n", "a:\n  # of b\n  - b: c\n"),
        ("a: [b, # of c\n  c]\n", "a: [b, # of c\n  c]\n"),
        ("a: {b: c,\n   d: [e,\n f]}\n", "a: {b: c, d: [e, f]}\n"),
        ("a: [{b: c}, d: e,\n]\n", "a: [{b: c}, d: e]\n"),
        ("a: {b: , c}\n", "a: {b: null, c: null}\n"),
        ("a: b\n  c\n  d # behind\n", "a: b c d # behind\n"),
        ("a: 'b\n\n    c'\n", "a: 'b\n\n  c'\n"),
        ('a: "b\\\n    c"\n', 'a: "b\\\n  c"\n'),
        ("a:\n      |\n   b\n    c\n\n# of d\nd: e\n", "a: |\n  b\n   c\n\n# of d\nd: e\n"),
        ("a: |1\n  b\n c\n", "a: |2\n   b\n  c\n"),
        ("a: |+\n b\n\n", "a: |+\n  b\n\n"),
        ("a: ~\nb: [~]\n", "a:\nb: [~]\n"),
        ("a:\n- - b\n  - c\n- d\n", "a:\n  - - b\n    - c\n  - d\n"),
        ("a:\n-\n- b\n", "a:\n  -\n  - b\n"),
        ("? a\n:   b\n", "? a\n: b\n"),
        ("a : b\n", "a: b\n"),
        ("--- # of all\na: b\n...\n", "    # of all\na: b\n"),
        ("a: b\n\n\n", "a: b\n\n\n"),
        ("a: !!str   b\n", "a: !!str   b\n"),
        ("a:\r\n- b\r\n", "a:\n  - b\n"),
    ],
)
def test_how_parts_are_laid_out(before, after):
    assert tidy(before) == after
    assert tidy(after) == after


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ("a: [b, c]\nd: e\n", ("a", 0), "a: [c]\nd: e\n"),
        ("a: [b,\n  # of c\n  c]\n", ("a", 1), "a: [b]\n"),
        ("a: [b]\n", ("a", 0), "a: []\n"),
        ("a: {b: c, d: e}\n", ("a", "b"), "a: {d: e}\n"),
        ("a:\n  b: c\n  # of d\n  d: e\n", ("a", "b"), "a:\n  # of d\n  d: e\n"),
        ("a:\n  # of b\n  b: c\n  d: e\n", ("a", "b"), "a:\n  d: e\n"),
        ("a:\n  b: |\n    c\n  d: e\n", ("a", "b"), "a:\n  d: e\n"),
        ("a:\n  b: c\nd: e\n", ("a", "b"), "a: {}\nd: e\n"),
        ("a:\n  - b\n  - c\n", ("a", 1), "a:\n  - b\n"),
    ],
)
def test_a_part_is_taken_out_with_its_comments(before, path, after):
    assert formatted(before.encode(), "p", [path]).decode() == after


@pytest.mark.parametrize("text", ["%YAML 1.1\n---\na: b\n", "? |\n  a\n: b\n"])
def test_what_no_file_of_rules_has_is_refused(text):
    with pytest.raises(PackError, match="cannot be formatted: line 1"):
        tidy(text)


def calls_of(text: str) -> int:
    """How many functions formatting a text calls: the same on any machine."""
    count = 0

    def see(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(see)
    try:
        tidy(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("a: [{}]\n", "some words,  "),
        ("a:\n{}\n", "- some words\n"),
        ("examples:\n  silent:\n{}\n", "  - note: a\n    log: b\n"),
    ],
    ids=["in brackets", "a line each", "out of order"],
)
def test_work_grows_with_the_text_and_no_faster(text, entry):
    """A file of a megabyte is formatted in a second: it took ten when each part was parsed and written in Python."""
    small, large = (calls_of(text.format((entry * count).rstrip(", \n"))) for count in (300, 3_000))
    assert large < 11 * small
    assert large / 3_000 < 400


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    (tmp_path / "my").mkdir()
    (tmp_path / "my/a.yaml").write_text("when: a\nid: x\n")
    (tmp_path / "my/b.yaml").write_text("id: x\nwhen: a\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_are_formatted_once(folder, capsys):
    assert main(["fmt", "my"]) == 0
    assert capsys.readouterr().out == "formatted my/a.yaml\n"
    assert (folder / "my/a.yaml").read_text() == "id: x\nwhen: a\n"
    assert main(["fmt", "my", "--check"]) == 0


@pytest.mark.parametrize(("option", "says"), [("--check", "would format my/a.yaml"), ("--diff", "+++ my/a.yaml")])
def test_a_look_changes_nothing(folder, capsys, option, says):
    assert main(["fmt", "my", option]) == 1
    assert says in capsys.readouterr().out
    assert (folder / "my/a.yaml").read_text() == "when: a\nid: x\n"


def test_a_file_that_cannot_be_read_does_not_keep_the_others_from_it(folder, capsys):
    (folder / "my/0.yaml").write_text("when: [")
    assert main(["fmt", "my"]) == 2
    said = capsys.readouterr()
    assert said.out == "formatted my/a.yaml\n"
    assert said.err.startswith("logrules: my/0.yaml:")


FOREIGN = "services:\n     db:   {image: acme}\n"


def test_a_file_of_another_program_is_left_alone(folder, capsys):
    (folder / "my/compose.yaml").write_text(FOREIGN)
    assert main(["fmt", "my"]) == 0
    said = capsys.readouterr()
    assert said.out == "formatted my/a.yaml\n"
    assert said.err == "logrules: my/compose.yaml: is no file of rules, and is left as it is\n2 files: 1 formatted\n"
    assert (folder / "my/compose.yaml").read_text() == FOREIGN


@pytest.mark.parametrize("raw", [b"", b"a: 1", b"- when: a", b"jobs:\n  when: a\n", b"x: 1\n---\ny: !Ref z\n"])
def test_what_is_no_file_of_rules(raw):
    assert not is_ours(Path("rules/a.yaml"), raw)


def test_a_translation_is_known_by_its_folder():
    assert is_ours(Path("my/translations/zh.yaml"), b"rules:\n  acme/one: {title: x, why: y}\n")
    assert not is_ours(Path("my/alerts.yaml"), b"rules:\n  - alert: HighLoad\n")
    assert not is_ours(Path("my/translations/de.yaml"), b"title: Hallo\n")


def test_every_shipped_file_is_ours():
    assert [path for path in SHIPPED if not is_ours(path, path.read_bytes())] == []


def test_a_file_that_cannot_be_written_stays_as_it_was(folder, capsys, monkeypatch):
    def refuse(path, *_rest):
        raise OSError(13, "Permission denied")

    monkeypatch.setattr("logrules.output.atomic_write._replace", refuse)
    assert main(["fmt", "my"]) == 2
    assert capsys.readouterr().err == "logrules: my/a.yaml: cannot be written (permission denied)\n"


def test_a_log_is_not_formatted_although_it_is_yaml(tmp_path, capsys):
    log = tmp_path / "train.log"
    log.write_text("10:00  INFO: step 1\n10:01  INFO:   step 2\n", encoding="utf-8")
    assert main(["fmt", str(log)]) == 2
    assert capsys.readouterr().err.endswith("train.log: is not a YAML file (.yaml, .yml)\n")
    assert log.read_text(encoding="utf-8") == "10:00  INFO: step 1\n10:01  INFO:   step 2\n"
