"""What installed packages bring is looked through again where a package came, and nowhere else."""

import marshal
import sys
from pathlib import Path

import pytest

from logrules.cli.extension import diagnose_extensions, watch_extensions
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


@pytest.mark.parametrize("kept", [1, [1], [("a", "b")], None], ids=str)
def test_what_was_kept_and_is_no_list_of_them_is_looked_for_again(places, monkeypatch, kept):
    install(places[0], "one")
    monkeypatch.setattr(looking, "kept_for", lambda *_: marshal.dumps(kept))
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
    points += "[logrules.watch]\nacme = broken_acme\n"
    (tmp_path / "broken_acme-1.0.dist-info/entry_points.txt").write_text(points)
    (tmp_path / "broken_acme.py").write_text("raise RuntimeError('100% \\x1b[2J')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    forget_extensions()
    yield tmp_path
    forget_extensions()


def forget_extensions() -> None:
    diagnose_extensions.cache_clear()
    watch_extensions.cache_clear()


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


def test_a_package_that_is_broken_leaves_the_listeners_of_others(broken, capsys):
    log = broken / "a.log"
    log.write_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
    metrics = broken / "job.prom"
    assert main(["watch", "--replay", "max", str(log), "--metrics-textfile", str(metrics)]) in (1, 2)
    said = capsys.readouterr().err
    assert "`acme` of an installed package cannot be loaded" in said
    assert "its options of `watch` are left out" in said
    assert "unrecognized" not in said


ACME = """
import json
from types import SimpleNamespace
from logrules.model.report import Text
from logrules.notify.listener import Listener

ABOUT = "audits"
SCHEMAS = {}

def add_options(parser):
    parser.add_argument("--acme", choices=("own", "theirs", "library", "argument"))

def run(options):
    if options.acme == "own":
        raise RuntimeError("no ledger")
    if options.acme == "library":
        json.loads("{")
    if options.acme == "theirs":
        Text.told(None)

def addition(options):
    run(options)

class Heard(Listener):
    def __init__(self, run):
        self.run = run

    def on_update(self, update, report):
        if update.ended:
            self.run.complain(f"{self.run.job} had {update.lines} lines, {self.run.pid()}")

def listeners(options, run):
    yield Heard(run)

def render(report, out, language, shell):
    out.write(f"{report.status} in {language} for {shell}")
"""


@pytest.fixture
def acme(tmp_path, monkeypatch) -> Path:
    """An installed package with a verb, options of `diagnose` and `watch`, and a form of its own."""
    install(tmp_path, "acme_audit")
    groups = ("verbs", "diagnose", "watch")
    points = "".join(f"[logrules.{group}]\nacme = acme_audit\n" for group in groups)
    points += "[logrules.forms]\nacme = acme_audit:render\nlost = acme_audit:nowhere\n"
    (tmp_path / "acme_audit-1.0.dist-info/entry_points.txt").write_text(points)
    (tmp_path / "acme_audit.py").write_text(ACME)
    monkeypatch.syspath_prepend(str(tmp_path))
    forget_extensions()
    yield tmp_path
    forget_extensions()
    sys.modules.pop("acme_audit", None)


@pytest.mark.parametrize("words", [("acme",), ("diagnose", "a.log")], ids=["verb", "option"])
@pytest.mark.parametrize(
    ("whose", "said"),
    [
        ("own", "an error in the package `acme_audit` (RuntimeError: no ledger)"),
        ("library", "an error in the package `acme_audit` (JSONDecodeError: "),
        ("theirs", "an error in logrules (TypeError: "),
    ],
)
def test_who_has_made_an_error_is_named(acme, monkeypatch, capsys, words, whose, said):
    monkeypatch.chdir(acme)
    (acme / "a.log").write_text("step 1\n")
    assert main([*words, "--acme", whose]) == 2
    assert said in capsys.readouterr().err
    assert main([*words, "--acme", whose, "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_a_package_listens_to_a_watched_job(acme, capfd):
    log = acme / "a.log"
    log.write_text("".join(f"2025-01-01 00:00:0{second} step {second}\n" for second in range(5)))
    main(["watch", "--replay", "max", "--job-name", "nightly", str(log), "--acme", "own"])
    assert "logrules: nightly had 5 lines, None" in capfd.readouterr().err


def test_a_package_writes_a_report_in_a_form_of_its_own(acme, capsys):
    log = acme / "a.log"
    log.write_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
    assert main(["diagnose", str(log), "--format", "acme", "--lang", "zh", "--shell", "bash"]) == 1
    assert capsys.readouterr().out == "failed in zh for bash"
    assert main(["diagnose", str(log), "--format", "lost"]) == 2
    assert "`lost` of an installed package cannot be loaded" in capsys.readouterr().err
