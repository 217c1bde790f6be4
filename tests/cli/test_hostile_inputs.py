"""Further hostile inputs, one a row: each ends with a status from 0 to 2, and with a sentence where it is 2."""

import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.ruleset.cache_files import cache_folder

pytestmark = [pytest.mark.unmeasured, pytest.mark.skipif(os.name != "posix", reason="files and modes of POSIX")]

_OOM = b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
_RULE = """\
id: acme/one
cause: python-exception
title: One
why: One
signals: {said: ACME-217}
fixes: [{do: a}]
examples: {fires: ACME-217 now, silent: calm}
"""
# What a report or a complaint may not hold.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def _wide(count: int) -> bytes:
    return b"\x1b[38;2;255;0;0m" * count + b"ERROR boom\x1b[0m\n"


# Name of the row: the content of the log.
_LOGS = {
    "huge colours": _wide(20_000),
    "a sequence that never ends": b"\x1b]0;" + b"x" * 300_000 + b"\n" + _OOM,
    "cursor moves": b"\x1b[2J\x1b[1;1H\x1b[999999999999999B" * 1_000 + _OOM,
    "nothing but escapes": b"\x1b" * 100_000,
    "NUL bytes between letters": b"".join(bytes((one, 0)) for one in _OOM) + _OOM,
    "encodings by turns": "错误：内存不足\n".encode("gbk") * 50 + "错误：内存不足\n".encode() * 50 + _OOM,
    "UTF-8 that is cut": "训练".encode()[:-1] * 1_000 + b"\n" + _OOM,
    "overlong UTF-8": b"\xc0\x80\xe0\x80\xaf\xf0\x80\x80\xaf\xed\xa0\x80" * 1_000 + b"\n" + _OOM,
    "letters with a thousand accents": ("e" + "\u0301" * 1_000).encode() * 20 + b"\n" + _OOM,
    "text from right to left": "\u202eerror\u202c\u2066x\u2069 ".encode() * 1_000 + b"\n" + _OOM,
    "numbers of a million digits": b"step " + b"9" * 1_000_000 + b" loss 1e" + b"9" * 100_000 + b"\n" + _OOM,
    "ranks beyond any": b"[rank99999999999999999999]: Traceback (most recent call last):\n[rank-1]: ValueError: x\n",
    "a rank of a billion times out": b"[rank99999999]:[E101 10:00:00.0 ProcessGroupNCCL.cpp:616] [Rank 999999999] Watchdog "
    b"caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000)"
    b" ran for 600001 milliseconds before timing out.\n" * 3,
    "a world of a billion ranks": b"[rank3]: world_size=999999999 rank: 999999 (local_rank: 3)\n" * 3 + _OOM,
    "brackets": b"[" * 200_000 + b"\n" + _OOM,
    "JSON in JSON": b'{"log":' * 20_000 + b'"x"' + b"}" * 20_000 + b"\n" + _OOM,
    "a traceback without an end": b"Traceback (most recent call last):\n" + b'  File "a.py", line 1, in f\n' * 20_000,
    "causes of causes": (b"ValueError: x\n\nDuring handling of the above exception, another exception occurred:\n\n")
    * 3_000,
    "a bar that never ends its line": b"\r 1%|#   | 1/100 [00:01<00:99, 1it/s]" * 20_000,
    "times from the end of all days": b"9999-12-31 23:59:59,999 ERROR x\n0001-01-01 00:00:00 y\n" * 500 + _OOM,
    "times that go backwards": b"".join(b"2026-01-01 00:%02d:00 ERROR x\n" % (59 - n % 60) for n in range(5_000)),
    "words of markup": b"</script><img src=x onerror=alert(1)>]]><!--::error file=a::RuntimeError: %n%s{0}\n" * 200
    + _OOM,
    "hosts and ranks of everybody": b"".join(
        b"[host-%d:%d] [rank%d]: RuntimeError: x\n" % (n, n, n) for n in range(5_000)
    ),
    "one word a million times": b"a " * 1_000_000 + b"\n" + _OOM,
}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)


def _ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    said = capsys.readouterr()
    assert status in {0, 1, 2}
    assert "error in logrules" not in said.err
    assert "Traceback" not in said.err
    assert not _CONTROLS.search(said.out + said.err)
    if status == 2:
        assert said.err.strip(), words
    return status, said.out, said.err


@pytest.mark.one_in(8)
@pytest.mark.parametrize("log", _LOGS.values(), ids=_LOGS.keys())
def test_a_hostile_log_is_read_to_its_end(capsys, log):
    Path("a.log").write_bytes(log)
    for form in ("text", "json", "html"):
        _ran(capsys, "diagnose", "--format", form, "a.log")


_RULE_FILES: dict[str, bytes] = {
    "a NUL": _RULE.replace("One", "O\0ne").encode(),
    "another encoding": _RULE.replace("One", "错误").encode("utf-16"),
    "escapes in its texts": _RULE.replace("title: One", 'title: "\\e]0;x\\a One"').encode(),
    "a key of a megabyte": b"? " + b"k" * 400_000 + b"\n: 1\n",
    "a thousand signals": _RULE.replace("{said: ACME-217}", "{" + ", ".join(f"s{n}: ACME-{n}" for n in range(1_000)) + "}").encode(),
    "a condition nested deep": _RULE.replace("fixes:", f"when: {'(' * 2_000}said{')' * 2_000}\nfixes:").encode(),
    "a condition of not": _RULE.replace("fixes:", f"when: {'not ' * 3_000}said\nfixes:").encode(),
    "an example of a megabyte": _RULE.replace("ACME-217 now", "ACME-217 " + "now " * 60_000).encode(),
    "a merge key": _RULE.encode() + b"<<: {title: Two}\n",
    "a tag that runs": b"!!python/object/apply:os.system ['touch ran']\n",
    "a number for an id": _RULE.replace("acme/one", "1e400").encode(),
    "a date for a title": _RULE.replace("title: One", "title: 9999-99-99").encode(),
    "an id that leads out": _RULE.replace("acme/one", "../../etc/passwd").encode(),
}  # fmt: skip


@pytest.mark.one_in(13)
@pytest.mark.parametrize("content", _RULE_FILES.values(), ids=_RULE_FILES.keys())
@pytest.mark.parametrize("verb", ["check", "test", "fmt", "diagnose"])
def test_a_hostile_rule_file_is_refused_or_read(capsys, alone, verb, content):
    Path("a.log").write_bytes(_OOM)
    Path("rules").mkdir()
    Path("rules/one.yaml").write_bytes(content)
    _ran(capsys, *(("diagnose", "--rules", "rules", "a.log") if verb == "diagnose" else (verb, "rules")))
    assert not Path("ran").exists()


def _fifo() -> str:
    os.mkfifo("pipe.yaml")
    return "pipe.yaml"


def _loop() -> str:
    Path("a.yaml").symlink_to("b.yaml")
    Path("b.yaml").symlink_to("a.yaml")
    return "a.yaml"


def _device() -> str:
    Path("zero.yaml").symlink_to("/dev/zero")
    return "zero.yaml"


@pytest.mark.parametrize("make", [_fifo, _loop, _device])
@pytest.mark.parametrize("words", [("check",), ("test",), ("fmt",), ("diagnose", "a.log", "--rules"), ("diagnose",)])
def test_what_is_no_file_is_neither_waited_for_nor_read_without_end(
    capsys, monkeypatch, make: Callable[[], str], words
):
    # A log may come through a pipe.
    monkeypatch.setattr("logrules.sources.file.PIPE_PATIENCE_S", 0.05)
    Path("a.log").write_bytes(_OOM)
    assert _ran(capsys, *words, make())[0] == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["inspect", "--job", "loop.log"], "no Python process works there"),
        (["inspect", "--pid", "1", "--rules", "loop.log"], "loop.log"),
        (["watch", "--replay", "max", "loop.log"], "symbolic links"),
        (["watch", "--rules", "loop.log", "--", "true"], "loop.log"),
    ],
)
def test_links_in_a_loop_are_a_sentence(capsys, words, says):
    Path("loop.log").symlink_to("loop.log")
    status, _, err = _ran(capsys, *words)
    assert status == 2
    assert says in err


def test_a_pipe_is_read_once_a_writer_comes(capsys):
    os.mkfifo("a.log")
    writer = threading.Timer(0.1, Path("a.log").write_bytes, [_OOM])
    writer.start()
    assert _ran(capsys, "diagnose", "a.log")[0] == 1
    writer.join()


@pytest.mark.parametrize("verb", ["check", "test", "fmt", "diagnose"])
def test_names_of_rule_files_need_not_be_utf_8(capsys, alone, verb):
    Path("a.log").write_bytes(_OOM)
    Path("rules").mkdir()
    Path("rules/\udcff\n.yaml").write_text(_RULE)
    _, out, err = _ran(capsys, *(("diagnose", "--rules", "rules", "a.log") if verb == "diagnose" else (verb, "rules")))
    assert "\udcff" not in out + err


def test_a_name_of_two_lines_is_told_on_one(capsys):
    assert _ran(capsys, "diagnose", "no\nsuch.log")[2] == "logrules: no\\x0asuch.log: no such file or directory\n"
    Path("rules\n.yaml").write_text("when: [")
    assert _ran(capsys, "fmt", "rules\n.yaml")[2].startswith("logrules: rules\\x0a.yaml:2:1: ")


_SETTINGS = {
    "no TOML": "packs = [",
    "NUL": 'packs = ["a\\u0000b"]\n',
    "no such pack": 'packs = ["nowhere"]\n',
    "nested tables": "[a" + ".a" * 2_000 + "]\n",
    "an array in arrays": "packs = " + "[" * 3_000 + "]" * 3_000 + "\n",
    "unknown keys": '"\\u001b]0;x" = 1\n',
    "a number for a list": "disable = 7\n",
}


@pytest.mark.parametrize("text", _SETTINGS.values(), ids=_SETTINGS.keys())
def test_hostile_settings_are_a_sentence(capsys, text):
    Path("a.log").write_bytes(_OOM)
    Path("logrules.toml").write_text(text, encoding="utf-8")
    assert _ran(capsys, "diagnose", "a.log")[0] == 2


@pytest.mark.one_in(2)
@pytest.mark.parametrize("columns", ["0", "1", "-5", "100000", "x", "9" * 400])
def test_any_width_of_the_terminal_will_do(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    Path("a.log").write_bytes(_OOM)
    assert _ran(capsys, "diagnose", "a.log")[0] == 1
    _ran(capsys, "scan", ".")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "variables",
    [
        {"LANG": "C", "LC_ALL": "C"},
        {"LANG": "xx_YY.nonsense", "LC_ALL": "zz"},
        {"LANG": "zh_CN.GB18030"},
        {"LC_ALL": "\x1b[31m"},
        {"TZ": "Nowhere/Never"},
        {"TZ": "/etc/passwd"},
        {"LOGRULES_CACHE_DIR": "/dev/null"},
        {"LOGRULES_CACHE_DIR": "/proc/self"},
        {"LOGRULES_CACHE_DIR": "x" * 5_000},
        {"XDG_CACHE_HOME": "relative", "LOGRULES_CACHE_DIR": ""},
        {"NO_COLOR": "", "FORCE_COLOR": "\x1b"},
        {"PAGER": "'", "VISUAL": "'", "TERM": "\x1b"},
        {"LOGRULES_JOB": "\x1b]0;x\x07\n" * 1_000},
    ],
    ids=lambda one: ",".join(f"{name}={value[:16]!a}" for name, value in one.items()),
)
def test_no_environment_changes_what_is_diagnosed(capsys, monkeypatch, variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    Path("a.log").write_bytes(_OOM)
    status, out, _ = _ran(capsys, "diagnose", "--format", "json", "a.log")
    assert status == 1
    assert json.loads(out)["diagnoses"]


_DIAGNOSE = ("diagnose", "--format", "json", "--rules", "r", "a.log")


def _caches() -> Iterator[Path]:
    return (path for path in Path("cache").rglob("*") if path.is_file())


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _open_to_all(path: Path) -> None:
    path.chmod(0o666)


def _unreadable(path: Path) -> None:
    path.chmod(0)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _looped(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def _piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    """A folder with a log, a rule, the cache that a diagnosis of them leaves, and its report."""
    here = tmp_path_factory.mktemp("kept")
    (here / "a.log").write_bytes(_OOM)
    shutil.copytree(cache_folder(), here / "cache")
    (here / "r").mkdir()
    (here / "r/one.yaml").write_text(_RULE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        patch.setenv("LOGRULES_CACHE_DIR", str(here / "cache"))
        assert main([*_DIAGNOSE, "-o", "report.json"]) == 1
    return here


@pytest.mark.one_in(8)
@pytest.mark.parametrize("spoil", [_cut, _emptied, _open_to_all, _unreadable, _folder, _looped, _piped])
def test_a_spoilt_cache_changes_nothing(capsys, monkeypatch, kept, spoil: Callable[[Path], None]):
    shutil.copytree(kept, ".", dirs_exist_ok=True)
    monkeypatch.setenv("LOGRULES_CACHE_DIR", str(Path("cache").resolve()))
    spoilt = list(_caches())
    assert len(spoilt) > 1
    for path in spoilt:
        spoil(path)
    assert _ran(capsys, *_DIAGNOSE) == (1, (kept / "report.json").read_text(encoding="utf-8"), "")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "name",
    ["a\nb.log", "a\tb.log", "-x.log", "--help.log", "a b'\".log", "日志.log", "\udcff.log", "%s{}.log"],
)
def test_any_name_of_a_log_is_shown_on_one_line(capsys, name):
    path = Path.cwd() / name
    path.write_bytes(_OOM)
    for form in ("text", "json", "html", "junit", "sarif", "github"):
        assert _ran(capsys, "diagnose", "--format", form, str(path))[0] == 1


def test_a_folder_of_many_names_is_listed(capsys):
    Path("many").mkdir()
    for number in range(3_000):
        os.mknod(f"many/{number}.bin")
    Path("many/a.log").write_bytes(_OOM)
    assert _ran(capsys, "diagnose", "many")[0] == 1


def test_a_read_only_folder_takes_no_report(capsys, monkeypatch):
    Path("a.log").write_bytes(_OOM)

    def refused(*_words: object, **_more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refused)
    monkeypatch.setattr("os.open", refused)
    assert main(["diagnose", "a.log", "-o", "report.txt"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
