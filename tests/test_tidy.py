"""`logrules fmt`: one way to write rule files; nothing that they say is changed, no comment lost.

That the shipped files are written so is for `logrules fmt --check`, a part of `make lint`.
"""

import contextlib
import re
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
from logrules.ruleset.load import CASE_NAME, shipped_rules
from logrules.ruleset.pack import HeaderFormat
from logrules.ruleset.tables import Phase
from logrules.ruleset.yaml_reader import parse_document
from logrules.ruletest.case import find_cases
from logrules.ruletest.format import _laid_out, formatted
from logrules.ruletest.layout_proof import is_laid_out
from logrules.ruletest.yaml_entries import is_ours, ordered

SHIPPED = [*sorted(shipped_rules().rglob("*.yaml")), *find_cases([shipped_rules().parent / "fixtures"])]


MODELS = {
    "": models.RuleFile,
    "fixes": models.NamedFixFile,
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
    names = getattr(model, "model_fields", None) or [member.name for member in fields(model)]
    lines = ["unknown: x", *(f"{name.rstrip('_')}: x" for name in sorted(names))]
    said = yaml.safe_load(ordered(f"{part}:\n  - " + "\n    ".join(lines) if part else "\n".join(lines)))
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
        "exceptions": "exceptions",
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
            kind = path.stem
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
    new = ordered(text)
    assert yaml.safe_load(new) == yaml.safe_load(text)
    assert comments(new.encode()) == comments(text.encode())
    assert len(new.splitlines()) == len(text.splitlines())
    assert ordered(new) == new


@given(st.text(max_size=300))
def test_any_text_is_formatted_or_refused_in_one_sentence(text):
    try:
        once = formatted(text.encode(errors="replace"), "p")
    except PackError as fault:
        assert all(str(problem).startswith("p:") for problem in fault.problems)
    else:
        assert formatted(once, "p") == once


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
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 60), st.sampled_from(EDITS)), max_size=2),
)
def test_what_is_proved_to_be_laid_out_is_not_changed(path, edits):
    lines = path.read_text(encoding="utf-8").split("\n")
    for row, column, edit in edits:
        line = lines[row % len(lines)]
        lines[row % len(lines)] = line[:column] + edit + line[column:]
    raw = "\n".join(lines).encode()
    with contextlib.suppress(PackError):
        parse_document(raw, "p")
        if is_laid_out(raw):
            assert ordered(_laid_out(raw, ())).encode() == raw


# What ruamel would write otherwise, or refuse.
NOT_SURE = [
    "- a\n",
    "a: [[[b]]]\n",
    "a: |+\n  x\n\n",
    "a:\n  -\n  - b\n",
    "a: [{b: c}]\n",
    "a: [b: [c: d]]\n",
    "true: a\n",
    "\na: b\n",
]


@pytest.mark.parametrize("text", NOT_SURE)
def test_what_is_not_sure_is_not_proved(text):
    assert not is_laid_out(text.encode())


def test_of_most_shipped_files_it_is_proved_at_once():
    assert sum(is_laid_out(path.read_bytes()) for path in SHIPPED[::8]) > len(SHIPPED[::8]) / 2


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
    assert not is_ours(raw)


def test_every_shipped_file_is_ours():
    assert [path for path in SHIPPED if path.name != CASE_NAME and not is_ours(path.read_bytes())] == []


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
