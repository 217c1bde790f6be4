"""When a watch has its rules: while they are compiled for the first time, only a job may run."""

import errno
import os
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from logrules.cli import watch_rules
from logrules.model.errors import PackError
from logrules.ruleset.settings import Settings


@pytest.mark.parametrize(
    ("paths", "known"),
    [
        ([], False),
        (["-"], False),
        (["train.log"], True),
    ],
    ids=["a command of ours", "what writes into our pipe", "a file, which does not wait"],
)
def test_only_what_waits_for_us_begins_before_the_rules_are_compiled(monkeypatch, shipped, paths, known):
    loaded = []

    def chosen_pack(options, *, cache):
        loaded.append(options.paths)
        return shipped

    monkeypatch.setattr(watch_rules, "chosen_settings", lambda _: None)
    monkeypatch.setattr(watch_rules, "is_to_be_kept", lambda *_: True)
    monkeypatch.setattr(watch_rules, "is_shipped", lambda *_: True)
    monkeypatch.setattr(watch_rules, "chosen_pack", chosen_pack)
    monkeypatch.setattr(watch_rules, "_compiling", lambda _: lambda: None)
    rules = watch_rules.rules_of(Namespace(paths=paths, rules=[], lang="en", no_cache=False, patience=1.0))
    assert bool(loaded) is known
    assert rules() is rules()
    assert loaded == [paths]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="nothing is forked")
@pytest.mark.usefixtures("alone")
def test_refused_rules_are_compiled_once(monkeypatch, tmp_path):
    (tmp_path / "rule.yaml").write_text("id: acme/lost\n")
    monkeypatch.setattr(watch_rules, "chosen_settings", lambda _: Settings())
    monkeypatch.setattr(watch_rules, "is_to_be_kept", lambda *_: True)
    compiled = watch_rules._compiling(options := Namespace(rules=[str(tmp_path)], settings="none", lang="en"))
    assert compiled is not None
    monkeypatch.setattr(watch_rules, "_compiling", lambda _: compiled)
    monkeypatch.setattr(watch_rules, "chosen_pack", lambda *_, **__: pytest.fail("compiled again"))
    with pytest.raises(PackError, match="is missing"):
        watch_rules.rules_of(Namespace(**vars(options), paths=[], no_cache=False, patience=1.0))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="nothing is forked")
@pytest.mark.parametrize("denied", ["pipe", "fork"])
def test_where_no_process_can_be_had_the_rules_are_compiled_here(monkeypatch, denied):
    def refuse():
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr(os, denied, refuse)
    open_before = set(Path("/proc/self/fd").iterdir())
    assert watch_rules._compiling(Namespace()) is None
    assert set(Path("/proc/self/fd").iterdir()) == open_before
