"""Rule files from strangers: what they are, how big they are and what their names hold harms nobody."""

import os
import tracemalloc
from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.model.errors import PackError
from logrules.ruleset.bounded_read import read_bounded
from logrules.ruleset.bounds import MAX_FILE_BYTES
from logrules.ruleset.load import rule_texts

LOG = "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n"
COMMANDS = (["diagnose", "train.log", "--rules", "theirs"], ["check", "theirs"], ["fmt", "theirs"], ["test", "theirs"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / "theirs").mkdir()
    return tmp_path / "theirs"


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
    assert said.startswith("logrules: theirs/rule.yaml:1:1: cannot be read: ")
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
    with monkeypatch.context() as bounds, pytest.raises(PackError, match="theirs:1:1: has more than 3 files of rules"):
        bounds.setattr("logrules.ruleset.load.MAX_PACK_FILES", 3)
        list(rule_texts([folder]))
    with monkeypatch.context() as bounds, pytest.raises(PackError, match="theirs:1:1: has more than 20 bytes of rules"):
        bounds.setattr("logrules.ruleset.load.MAX_PACK_BYTES", 20)
        list(rule_texts([folder]))


@pytest.mark.parametrize("words", [["fmt", "--diff"], ["fmt", "--check"], ["fmt"]], ids=" ".join)
def test_no_name_and_no_text_of_a_rule_file_reaches_the_terminal(
    folder: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a\x1b]0;P\x07.yaml").write_text('cause:   "a\x85b"\n')
    main([*words, "theirs"])
    told = capsys.readouterr()
    assert "a\\x1b]0;P\\x07.yaml" in told.out
    assert not {"\x1b", "\x07", "\x85"}.intersection(told.out + told.err)
