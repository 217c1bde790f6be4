"""Rule files from strangers: what they are, how big they are and what their names hold harms nobody."""

import os
import tracemalloc
from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.model.errors import PackError
from logrules.parsing.captures import MAX_PATTERN_TEXT, Captures
from logrules.ruleset.bounded_read import read_bounded
from logrules.ruleset.bounds import MAX_FILE_BYTES
from logrules.ruleset.load import rule_texts
from logrules.ruleset.pack import Signal
from logrules.ruleset.pattern import MAX_NESTED_REPEATS, compiled

LOG = "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n"
COMMANDS = (["diagnose", "train.log", "--rules", "theirs"], ["check", "theirs"], ["fmt", "theirs"], ["test", "theirs"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / "theirs").mkdir()
    return tmp_path / "theirs"


@pytest.mark.one_in(5)
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("kind", ["device", "pipe", "sparse"])
def test_a_rule_file_that_has_no_end_is_a_sentence(
    folder: Path, kind: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "rule.yaml"
    if kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        with path.open("wb") as file:
            file.truncate(50 << 30)
    tracemalloc.start()
    try:
        assert main(words) == 2
        assert tracemalloc.get_traced_memory()[1] < 200_000_000
    finally:
        tracemalloc.stop()
    said = capsys.readouterr().err
    expected = f"it is larger than {MAX_FILE_BYTES} bytes" if kind == "sparse" else "it is not a regular file"
    assert said.startswith("logrules: theirs/rule.yaml: cannot be read: ")
    assert expected in said


def test_a_link_to_a_rule_file_is_read(folder: Path) -> None:
    (folder / "target").write_bytes(b"some text")
    (folder / "link.yaml").symlink_to("target")
    assert read_bounded(folder / "link.yaml", 9) == b"some text"
    with pytest.raises(OSError, match="larger than 8 bytes"):
        read_bounded(folder / "link.yaml", 8)


def test_a_translation_that_has_no_end_is_not_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "translations").mkdir()
    (folder / "translations" / "zh.yaml").symlink_to("/dev/zero")
    assert main(["diagnose", "train.log", "--rules", "theirs", "--lang", "zh"]) in {0, 1}
    assert "CUDA out of memory" in capsys.readouterr().out


def test_a_pack_has_a_number_of_files_and_of_bytes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        (folder / f"{number}.yaml").write_text("1234567\n")
    assert len(list(rule_texts([folder]))) == 4
    monkeypatch.setattr("logrules.ruleset.load.MAX_PACK_BYTES", 20)
    with pytest.raises(PackError, match="theirs: has more than 20 bytes of rules"):
        list(rule_texts([folder]))
    monkeypatch.setattr("logrules.ruleset.load.MAX_PACK_FILES", 3)
    with pytest.raises(PackError, match="theirs: has more than 3 files of rules"):
        list(rule_texts([folder]))


@pytest.mark.parametrize(
    "pattern",
    [
        "(?(DEFINE)(?P<q>(?&q)))(?&q)",
        "(?R)?x",
        "(a(?1)?b)",
        "(?P<a>x(?P>a)?)",
        r"\\(?R)",
        "(?:colour){e<=2}",
        "(?:a){1<=e<=3}",
    ],
)
def test_a_pattern_without_a_bound_of_work_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="has no bound of work"):
        compiled(pattern)


@pytest.mark.parametrize("repeat", ["+", "+?", "{1,900}", "{2}"])
@pytest.mark.parametrize("inner", ["a", r"[(]", r"\(", "(?:x|y)*"])
def test_repeated_groups_in_each_other_are_few(repeat: str, inner: str) -> None:
    def nested(deep: int) -> str:
        return "(?:" * deep + inner + f"){repeat}" * deep

    usual = nested(MAX_NESTED_REPEATS - 1)
    assert compiled(usual).pattern == usual
    with pytest.raises(ValueError, match="repeated groups in each other"):
        compiled(nested(40))


@pytest.mark.parametrize(
    "pattern", [r"\(?R\)", r"a{2,3}(?P<e>b)(?(e)c|d)", r"step {x} of", r"(?i:x)(?-i:y)", r"\{e<=2}"]
)
def test_what_only_looks_like_it_is_a_pattern(pattern: str) -> None:
    assert compiled(pattern).pattern == pattern


@pytest.mark.parametrize(
    "pattern",
    [r"\p{L}{99999999}", "a{99999999,}", "(?:a{1000}){1000}", "(?:(?:x|ab?){100}){100}y{0,9}{3}", "[a{2}]{9999999}"],
)
def test_what_must_come_very_often_is_refused_before_it_is_written_out(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"repeated to more than 100,000 parts|multiple repeat"):
        compiled(pattern)


@pytest.mark.parametrize("pattern", [r"a{1,20000}", r"(?:\d{4}-){3}[{9}]{2}\{7}", r"(?:a{100}){100}", r"\p{L}{9}"])
def test_what_must_come_a_few_times_may_be_used(pattern: str) -> None:
    assert compiled(pattern).pattern == pattern


def test_a_text_with_a_nul_is_no_text_to_search_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "acme").mkdir()
    (folder / "acme/lost.yaml").write_text(
        'cause: data-stall\ntitle: T\nwhy: W.\nsignals: {a: "lost\\0"}\nexamples: {fires: lost, silent: x}\n'
    )
    assert main(["diagnose", "--rules", "theirs", "train.log"]) == 2
    assert capsys.readouterr().err.startswith("logrules: theirs/acme/lost.yaml:4:11: `signals.a`")


def seen(pattern: str, text: str, **more: str) -> bool:
    return Captures().of(Signal("x:y", ("needle",), pattern, **more), text, text) is not None


def test_a_pattern_sees_the_head_of_a_long_line_and_what_is_round_the_literal() -> None:
    far = "begin " + "x" * 20_000 + " one needle two " + "y" * 20_000 + " end"
    assert seen("^begin", far)
    assert seen("one needle two", far)
    assert not seen("begin.*needle", far)
    assert not seen("end", far)
    assert not seen("one", far, unless="needle two")


def test_of_a_whole_traceback_a_pattern_sees_the_end() -> None:
    text = "Traceback\n" + "  File\n" * 5_000 + "ValueError: this"
    assert Captures().of(Signal("x:y", (), "ValueError: (?P<what>.*)"), text, text) == {"what": "this"}


def test_what_a_pattern_does_is_bounded_by_the_length_of_its_text() -> None:
    looked_at = []

    class Pattern:
        def search(self, text: str, start: int, end: int) -> None:
            looked_at.append(end - start)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("logrules.parsing.captures.bounded", lambda _: Pattern())
        seen("x", "a" * 30_000 + "needle" + "b" * 100_000)
    assert looked_at == [MAX_PATTERN_TEXT, MAX_PATTERN_TEXT]
