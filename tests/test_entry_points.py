"""What installed packages bring is looked through again where a package came, and nowhere else."""

import sys
from pathlib import Path

import pytest

from logrules.cli.extension import diagnose_extensions
from logrules.cli.main import main
from logrules.ruleset import entry_points as looking
from logrules.ruleset.entry_points import entry_points


@pytest.fixture
def places(tmp_path, monkeypatch) -> tuple[Path, Path]:
    """A folder of packages and one of logs, which are all of the path; with a cache of their own."""
    packages, logs = tmp_path / "packages", tmp_path / "logs"
    packages.mkdir()
    logs.mkdir()
    monkeypatch.setenv("LOGRULES_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "path", [str(logs), str(packages), str(tmp_path / "gone")])
    return packages, logs


def install(folder: Path, name: str) -> None:
    told = folder / f"{name}-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(f"[logrules.verbs]\n{name} = {name}.verb:run\n")


def test_a_log_beside_changes_nothing(places, monkeypatch):
    packages, logs = places
    install(packages, "one")
    assert entry_points("logrules.verbs") == (("one", "one.verb:run"),)
    monkeypatch.setattr(looking, "_look", lambda _path: pytest.fail("looked through all packages again"))
    (logs / "train.log").write_text("step 1\n")
    assert entry_points("logrules.verbs") == (("one", "one.verb:run"),)


@pytest.mark.parametrize("place", [0, 1], ids=["packages", "logs"])
def test_a_package_that_comes_is_seen(places, place):
    install(places[0], "one")
    entry_points("logrules.verbs")
    install(places[place], "two")
    assert [name for name, _ in entry_points("logrules.verbs")] == ["one", "two"]


@pytest.fixture
def broken(tmp_path, monkeypatch) -> Path:
    """An installed package of which nothing can be loaded."""
    install(tmp_path, "broken_acme")
    points = "[logrules.verbs]\nacme = broken_acme\nbare = types\n[logrules.diagnose]\nacme = broken_acme\n"
    (tmp_path / "broken_acme-1.0.dist-info/entry_points.txt").write_text(points)
    (tmp_path / "broken_acme.py").write_text("raise RuntimeError('100% \\x1b[2J')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    diagnose_extensions.cache_clear()
    yield tmp_path
    diagnose_extensions.cache_clear()


def test_a_package_that_is_broken_takes_nothing_else_with_it(broken, capsys):
    log = broken / "a.log"
    log.write_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
    assert main(["diagnose", str(log), "--baseline", str(log)]) == 1
    said = capsys.readouterr()
    assert "cuda-oom" in said.out
    assert "`acme` of an installed package cannot be loaded (100% \\x1b[2J)" in said.err
    assert said.err.count("\n") == 1
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "\x1b" not in (said := capsys.readouterr().out)
    assert "acme" in said
    assert "scan" in said
    assert main(["completion", "bash"]) == 0
    assert "scan" in capsys.readouterr().out
    assert main(["acme"]) == 2
    assert "an error in logrules" not in capsys.readouterr().err
