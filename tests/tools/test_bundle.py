"""The bundle: complete, without secrets, the same for the same input, and written as a whole or not at all."""

import io
import json
import os
import sys
import tarfile
from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.model.errors import LogrulesError
from logrules.sources.file import FileSource
from logrules.tools.bundle.bundle_files import CONTEXT_LINES, TAIL_LINES, BundlePart, excerpt, write_archive

SECRET = "hf" + "_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3f"


@pytest.fixture
def log(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_TOKEN", SECRET)
    path = tmp_path / "train.log"
    # No step follows the failure: a run that steps on has survived it.
    lines = [
        f"step {number} loss {3 - number / 1000:.3f}" if number < 600 else f"buffer {number} freed"
        for number in range(1000)
    ]
    lines[600] = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
    lines[700] = f"logged in with {SECRET}"
    path.write_text("\n".join(lines) + "\n")
    return path


def contents(path: Path) -> dict[str, str]:
    with tarfile.open(path) as archive:
        return {
            member.name.split("/", 1)[1]: archive.extractfile(member).read().decode() for member in archive.getmembers()
        }


def test_a_bundle_holds_what_a_bug_report_needs(log, tmp_path):
    (tmp_path / "ds.json").write_text('{"train_batch_size": 8, "api_key": "abcdefgh12345678"}')
    assert main(["bundle", str(log), "--config", "ds.json", "--python", sys.executable, "-o", "b.tar.gz"]) == 0
    held = contents(tmp_path / "b.tar.gz")
    assert {"MANIFEST.json", "report.json", "report.txt", "doctor.txt", "packages.txt", "environment.txt"} <= set(held)
    assert json.loads(held["report.json"])["diagnoses"][0]["cause"] == "cuda-oom"
    assert "hyperscan==" in held["packages.txt"]
    assert "train_batch_size" in held["config/001-ds.json"]
    tail = held["logs/001-train.log.tail.txt"].splitlines()
    assert len(tail) == TAIL_LINES
    assert tail[-1].split() == ["1000", "buffer", "999", "freed"]
    shown = held["logs/001-train.log.evidence.txt"].splitlines()
    assert len(shown) == 2 * CONTEXT_LINES + 1
    assert next(line for line in shown if line.startswith(">")).split()[1] == "601"


def test_no_secret_is_in_it_and_what_was_taken_out_is_counted(log, tmp_path):
    assert main(["bundle", str(log), "-o", "b.tar.gz"]) == 0
    held = contents(tmp_path / "b.tar.gz")
    assert all(SECRET not in text for text in held.values())
    assert "HF_TOKEN=[redacted: " in held["environment.txt"]
    assert (
        sum(
            one["count"] for one in json.loads(held["MANIFEST.json"])["redacted"] if one["kind"] == "Hugging Face token"
        )
        >= 2
    )


def test_a_form_of_ones_own_goes_too(log, tmp_path):
    assert main(["bundle", str(log), "--redact", r"buffer 99\d", "-o", "b.tar.gz"]) == 0
    tail = contents(tmp_path / "b.tar.gz")["logs/001-train.log.tail.txt"]
    assert "buffer 999" not in tail
    assert tail.count("[redacted: a pattern of yours]") == 10


def test_a_dry_run_shows_everything_and_writes_nothing(log, tmp_path, capsys):
    before = sorted(tmp_path.iterdir())
    assert main(["bundle", str(log), "--dry-run"]) == 0
    said = capsys.readouterr()
    assert "==> report.json" in said.out
    assert SECRET not in said.out
    assert "Hugging Face token" in said.err
    assert sorted(tmp_path.iterdir()) == before


def test_the_same_parts_make_the_same_archive(tmp_path):
    parts = [BundlePart("a.txt", "one\n"), BundlePart("logs/b.txt", "zwei ü\n")]
    for name in ("x.tar.gz", "y.tar.gz"):
        write_archive(parts, tmp_path / name, "z")
    assert (tmp_path / "x.tar.gz").read_bytes() == (tmp_path / "y.tar.gz").read_bytes()
    assert contents(tmp_path / "x.tar.gz") == {"a.txt": "one\n", "logs/b.txt": "zwei ü\n"}


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path):
    target = tmp_path / "taken.tar.gz"
    target.mkdir()
    with pytest.raises(LogrulesError, match="cannot be written"):
        write_archive([BundlePart("a", "b")], target, "z")
    assert sorted(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["no-such.log"], "no-such.log"),
        (["-"], "standard input cannot be read twice"),
        (["train.log", "--config", "no-such.json"], "no-such.json: cannot be read"),
        (["train.log", "--redact", "["], "not a regular expression"),
        (["train.log", "-o", "no/such/folder/b.tar.gz"], "cannot be written"),
        (["loop.log"], "symbolic links"),
        (["train.log", "--config", "pipe"], "pipe: is a named pipe"),
    ],
)
def test_a_mistake_of_the_user_is_one_sentence(log, capsys, monkeypatch, arguments, sentence):
    monkeypatch.setattr("logrules.sources.file.PIPE_PATIENCE_S", 0.05)
    Path("loop.log").symlink_to("loop.log")
    if "pipe" in arguments:
        os.mkfifo("pipe")
    assert main(["bundle", *arguments]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert len(said.strip().splitlines()) <= 2


@pytest.mark.parametrize(
    ("text", "lines", "first", "numbers"),
    [
        (b"", [], 1, []),
        (b"a", [1], 1, [1]),
        (b"a\nb\n", [2], 1, [1, 2]),
        (b"".join(b"%d\n" % n for n in range(600)), [1], 101, list(range(1, 22))),
    ],
)
def test_excerpts_number_their_lines_as_the_log_does(tmp_path, text, lines, first, numbers):
    path = tmp_path / "x.log"
    path.write_bytes(text)
    found = excerpt(FileSource(path), lines)
    assert found.tail_first == first
    assert [number for number, _ in found.shown] == numbers
    whole = text.decode().splitlines()
    assert list(found.tail) == whole[first - 1 :]
    assert [line for _, line in found.shown] == [whole[number - 1] for number in numbers]


def test_an_archive_is_a_tar_that_any_tool_reads(tmp_path):
    write_archive([BundlePart("a.txt", "x")], tmp_path / "a.tar.gz", "a")
    raw = (tmp_path / "a.tar.gz").read_bytes()
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        assert archive.getnames() == ["a/a.txt"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("column", [400, 2_000, 4_000])
def test_a_secret_at_the_column_where_lines_are_cut_does_not_leave_in_part(tmp_path, monkeypatch, column):
    monkeypatch.chdir(tmp_path)
    line = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
    line += "x" * (column - len(line) - len(SECRET)) + " " + SECRET
    Path("a.log").write_text(f"{line}\n")
    assert main(["bundle", "a.log", "-o", "b.tar.gz"]) == 0
    assert not [name for name, text in contents(Path("b.tar.gz")).items() if SECRET[:12] in text]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("secret", ["q7Xv2Lm9Rt4Zk8Wn", "vk-Meadow-4402-copper-b1"])
def test_a_secret_known_from_the_configuration_goes_from_what_was_gathered_before(log, tmp_path, secret):
    log.write_text(f"GET /v1/{secret}/models failed\n")
    (tmp_path / "ds.json").write_text(f'{{"api_key": "{secret}"}}')
    assert main(["bundle", str(log), "--config", "ds.json", "-o", "b.tar.gz"]) == 0
    held = contents(tmp_path / "b.tar.gz")
    assert all(secret not in text for text in held.values())
    places = {one["file"]: one["lines"] for one in json.loads(held["MANIFEST.json"])["redacted"]}
    assert {"logs/001-train.log.tail.txt", "config/001-ds.json"} <= set(places)


def test_nothing_in_a_bundle_or_a_dry_run_reaches_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a\x1b[31m.log").write_text("a\x1b]0;title\x07b \x9b31m \u202eevil\n")
    assert main(["bundle", "a\x1b[31m.log", "--dry-run"]) == 0
    said = capsys.readouterr()
    assert not set("\x1b\x07\x9b\u202e") & set(said.out + said.err)
    assert main(["bundle", "a\x1b[31m.log", "-o", "b.tar.gz"]) == 0
    assert not set("\x1b\x07\x9b\u202e") & set("".join(contents(Path("b.tar.gz")).values()))


def test_a_secret_in_the_name_of_a_log_goes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(f"{SECRET}.log").write_text("step 1\n")
    assert main(["bundle", f"{SECRET}.log", "-o", "b.tar.gz"]) == 0
    with tarfile.open("b.tar.gz") as archive:
        assert not [name for name in archive.getnames() if SECRET in name]


def test_what_may_stay_is_chosen(log, tmp_path, capsys):
    log.write_text("from 10.0.0.7 by me@corp.example\n")
    assert main(["bundle", str(log), "--keep", "addresses", "-o", "b.tar.gz"]) == 0
    tail = contents(tmp_path / "b.tar.gz")["logs/001-train.log.tail.txt"]
    assert "10.0.0.7" in tail
    assert "corp.example" not in tail
    with pytest.raises(SystemExit):
        main(["bundle", str(log), "--keep", "passwords"])
