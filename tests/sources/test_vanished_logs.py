"""Logs that go while they are read: the others are read, and the one that went is named."""

import tarfile
from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.sources import file
from logrules.tools.bundle import bundle_files

OOM = "2025-06-01 10:00:01 ERROR torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for rank in range(3):
        Path(f"rank{rank}.log").write_text(f"2025-06-01 10:00:00 INFO rank {rank} begins\n{OOM if rank else ''}")
    return tmp_path


def going(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> None:
    """Have a log go in the moment before this function of a module is called."""
    first = getattr(module, name)

    def gone(*words, **more):
        Path("rank1.log").unlink(missing_ok=True)
        return first(*words, **more)

    monkeypatch.setattr(module, name, gone)


@pytest.mark.parametrize("verb", [("diagnose",), ("diagnose", "--format", "html")])
def test_the_others_are_read(here, monkeypatch, capsys, verb):
    going(monkeypatch, file, "saved_items")
    assert main([*verb, "."]) == 1
    said = capsys.readouterr().out
    assert "out of memory" in said.lower()
    assert "rank1.log" in said
    assert "no such file" in said


def test_one_alone_is_a_sentence(here, monkeypatch, capsys):
    going(monkeypatch, file, "saved_items")
    assert main(["diagnose", "rank1.log"]) == 2
    assert "rank1.log: cannot be read (no such file or directory)" in capsys.readouterr().err


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("module", "name"), [(file, "saved_items"), (bundle_files, "logs")])
def test_a_bundle_has_the_others_and_says_so(here, monkeypatch, capsys, module, name):
    going(monkeypatch, module, name)
    assert main(["bundle", ".", "-o", "out.tar.gz"]) == 0
    assert "rank1.log: cannot be read (no such file or directory); it is not in the bundle" in capsys.readouterr().err
    with tarfile.open("out.tar.gz") as archive:
        names = [one.name for one in archive.getmembers()]
    assert any("rank2" in name for name in names)
    assert not any("rank1" in name for name in names)
