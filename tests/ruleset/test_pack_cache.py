"""The compiled pack on disk: believed only when everything about it is right."""

import marshal
import os
import zlib
from pathlib import Path

import pytest

from logrules.ruleset import cache_files, kept_values, pattern
from logrules.ruleset import load as loading
from logrules.ruleset.kept_values import cached_pack, from_plain, keep_pack, keep_patterns, kept_value, to_plain
from logrules.ruleset.load import load_pack
from logrules.ruleset.long_tables import RuleTable, SignalTable
from logrules.ruleset.pack import Pack


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("LOGRULES_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def small(shipped) -> Pack:
    """A pack of few signals: what is believed of a file does not depend on how much stands in it."""
    return Pack(digest="5" * 64, signals=SignalTable(shipped.signals[:9]), rules=RuleTable())


@pytest.fixture
def kept(folder, small) -> tuple[Path, Pack]:
    keep_pack(small)
    assert cached_pack(small.digest) == small
    return next(folder.glob("pack-*")), small


def test_what_was_kept_comes_back_equal(folder, shipped):
    keep_pack(shipped)
    assert cached_pack(shipped.digest) == shipped


def test_another_digest_is_another_pack(kept):
    assert cached_pack("0" * 64) is None


def _torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _flipped(path: Path) -> None:
    *before, last = path.read_bytes()
    path.write_bytes(bytes([*before, last ^ 1]))


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _of_others(path: Path) -> None:
    path.chmod(0o666)


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _a_pipe(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/null")


def test_a_file_larger_than_any_of_ours_is_not_read(kept):
    path, _ = kept
    os.truncate(path, 1 << 27)
    with pytest.raises(ValueError, match="no file of ours"):
        cache_files._read_own(path)


@pytest.mark.parametrize("spoil", [_torn, _flipped, _emptied, _of_others, _a_folder, _a_pipe])
def test_what_is_not_right_is_not_believed(kept, spoil):
    path, pack = kept
    spoil(path)
    assert cached_pack(pack.digest) is None


def test_a_stale_cache_of_the_same_name_is_not_believed(kept):
    path, pack = kept
    other = to_plain(Pack(digest="another", signals=SignalTable(), rules=RuleTable()))
    body = marshal.dumps(other)
    path.write_bytes(b"%08x" % zlib.crc32(body) + b"\n" + body)
    assert cached_pack(pack.digest) is None


def test_unknown_classes_are_not_built(kept):
    path, pack = kept
    body = marshal.dumps({"$": "notify.command_output:Popen", "row": ["true"]})
    path.write_bytes(b"%08x" % zlib.crc32(body) + b"\n" + body)
    assert cached_pack(pack.digest) is None


@pytest.mark.skipif(os.name == "nt", reason="modes mean nothing there")
def test_a_cache_that_cannot_be_written_is_no_fault(tmp_path, monkeypatch, small):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("LOGRULES_CACHE_DIR", str(blocked / "below"))
    assert not cache_files.can_keep()
    keep_pack(small)
    assert cached_pack(small.digest) is None


def test_a_cache_that_is_still_to_be_made_can_be_written(tmp_path, monkeypatch, small):
    monkeypatch.setenv("LOGRULES_CACHE_DIR", str(tmp_path / "not" / "yet"))
    assert cache_files.can_keep()
    keep_pack(small)
    assert cached_pack(small.digest) == small


def test_a_changed_rule_is_seen_at_the_next_start(folder, alone):
    rule = alone / "mine.yaml"
    text = (
        "id: mine/one\ncause: cuda-oom\nseverity: warning\ntitle: a\nwhy: a\nsignals: {s: needle}\nfixes: [{do: a}]\n"
        "examples: {fires: needle, silent: other}\n"
    )
    rule.write_text(text)
    before = load_pack([rule])
    rule.write_text(text.replace("warning", "info"))
    after = load_pack([rule])
    severities = [next(r.severity for r in pack.rules if r.id == "mine/one") for pack in (before, after)]
    assert severities == ["warning", "info"]


def test_old_packs_are_forgotten(folder, small):
    from dataclasses import replace

    for number in range(12):
        keep_pack(replace(small, digest=f"{number:032d}" + "0" * 32))
    assert len(list(folder.glob("pack-*"))) == 8


@pytest.fixture
def in_another_process(folder, monkeypatch):
    """What makes this process forget the patterns that it knows."""

    def forget() -> None:
        monkeypatch.setattr(pattern._Stored, "forms", {})
        monkeypatch.setattr(pattern, "_made", {})
        pattern.compiled.cache_clear()

    forget()
    yield forget
    forget()


def test_no_pack_compiles_patterns_that_another_one_has(in_another_process, monkeypatch):
    pattern.compiled(r"ACME (?P<stays>\d+)")
    keep_patterns()
    in_another_process()
    assert cached_pack("2" * 32) is None
    monkeypatch.setattr(pattern, "_checked", pytest.fail)
    found = pattern.compiled(r"ACME (?P<stays>\d+)")
    assert found.search("ACME 7")["stays"] == "7"


@pytest.mark.parametrize("form", [b"", b"N", marshal.dumps(("a", 0, [-1, 9], {}, {}, {}, (), {}, 0, {}, 0, 0, 0))])
def test_a_pattern_that_was_kept_and_is_none_is_compiled(monkeypatch, form):
    monkeypatch.setattr(pattern._Stored, "forms", {"gone [0-9]+ ways": form})
    assert pattern.compiled("gone [0-9]+ ways").search("has gone 12 ways")


def test_patterns_of_rules_that_are_edited_all_day_do_not_pile_up(in_another_process, monkeypatch):
    monkeypatch.setattr(kept_values, "MOST_PATTERNS", 2)
    for number in range(3):
        in_another_process()
        pattern.compiled(f"ACME {number}")
        keep_patterns()
    assert kept_value("patterns", pattern.VERSION, dict).keys() == {"ACME 2"}


def test_the_shipped_rules_are_found_in_a_checkout_and_in_a_wheel(tmp_path, monkeypatch):
    assert (loading.shipped_rules() / "causes.yaml").is_file()
    package = tmp_path / "logrules"
    (package / "pack").mkdir(parents=True)
    (package / "_rules").mkdir()
    monkeypatch.setattr(loading, "__file__", str(package / "pack" / "load.py"))
    assert loading.shipped_rules() == package / "_rules"


def test_the_plain_form_comes_back_from_marshal(shipped):
    assert from_plain(marshal.loads(marshal.dumps(to_plain(shipped)))) == shipped  # noqa: S302 (just written)
