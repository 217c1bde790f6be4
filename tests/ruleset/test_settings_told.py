"""A configuration that takes something from what can be diagnosed is named in the report, wherever it lies."""

import json
from pathlib import Path

import pytest

from logrules.cli.main import main


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('disable = ["*"]', "rules are not asked"),
        ('disable = ["cuda/out-of-memory"]', "1 rule is not asked"),
        ('severity = {"*" = "info"}', "rules are taken less seriously"),
        ('patience = {"checkpoint/save" = "9h"}', "1 wait is given more time"),
        ('severity = {"*" = "error"}', None),
        ("installed = false", None),
    ],
)
def test_what_a_configuration_above_changes_is_said(
    settings: str, said: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "logrules.toml").write_text(settings + "\n")
    below = tmp_path / "run"
    below.mkdir()
    monkeypatch.chdir(below)
    (below / "train.log").write_text("step 1\nRuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n")
    main(["diagnose", "train.log", "--format", "json"])
    notes = json.loads(capsys.readouterr().out)["notes"]
    if said is None:
        assert notes == []
    else:
        assert [note["source"] for note in notes] == [str(tmp_path / "logrules.toml")]
        assert said in notes[0]["note"]


def test_an_empty_log_is_still_called_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "logrules.toml").write_text('disable = ["*"]\n')
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.log").write_text("")
    assert main(["diagnose", "train.log"]) == 2
    assert capsys.readouterr().err == "logrules: train.log: is empty; nothing to diagnose\n"
