"""The lines of a log that a page holds: whose they are, which are kept of many, pipes as well as files."""

import io
import json
import os
import re
from dataclasses import replace

import pytest

from logrules import load_rules
from logrules.cli.main import main
from logrules.engine.run import replay
from logrules.model.event import Level
from logrules.model.report import Report, Status
from logrules.model.stream import MAX_LINE_BYTES, End
from logrules.tools.page.log_data import page_data
from logrules.tools.page.log_text import log_text
from logrules.tools.page.plots import Scale
from logrules.tools.recorded_source import RecordedSource
from tests.conftest import MemorySource

RANKED = """2026-01-02 10:00:00 [rank0] INFO step 1 loss 0.5
[rank1]: Traceback (most recent call last):
  File "/app/train.py", line 3, in <module>
    x
ValueError: bad shape
plain words
2026-01-02 10:00:09 ERROR it ends
"""


def lines_of(text: str, most: int = 100, total: int | None = None):
    report = Report(Status.FAILED, "launch", lines=total or text.count("\n"))
    return log_text([MemorySource("train.log", text)], load_rules(), report, most).lines


def test_a_line_knows_its_writer_time_and_loudness():
    lines = lines_of(RANKED)
    assert [line.worker for line in lines] == ["rank 0", *["rank 1"] * 4, "train.log", "train.log"]
    assert lines[0].time == lines[5].time == lines[6].time - 9
    assert lines[6].level is Level.ERROR


def test_of_a_redrawn_line_the_last_is_shown():
    assert [line.text for line in lines_of("a\r 50%|#  |\r 99%|## |\n")] == [" 99%|## |"]


def test_of_a_long_log_the_beginning_the_end_and_what_lies_round_evidence_are_kept():
    text = "".join(f"line {n}\n" for n in range(1, 5001)).replace(
        "line 2500\n", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    )
    pack = load_rules()
    report = replay([MemorySource("train.log", text)], pack)
    kept = log_text([MemorySource("train.log", text)], pack, report, 1000)
    numbers = [line.line for line in kept.lines]
    assert numbers == sorted(set(numbers))
    assert {1, 200, 2490, 2500, 2510, 4300, 5000} <= set(numbers)
    assert len(numbers) <= 1100
    assert kept.total == 5000


def test_a_line_of_a_megabyte_is_cut():
    assert len(lines_of("x" * 1_000_000 + "\n")[0].text) <= 2_001


@pytest.mark.parametrize("text", ["", "a", "a\nb\n", "a\nb", "\n" * 5, "x" * 3_000_000 + "\ny\n"])
def test_what_can_be_read_once_is_read_again(text):
    first = RecordedSource(MemorySource("<stdin>", text))
    while not isinstance(first.read(None), End):
        pass
    again, data = first.again(), b""
    while not isinstance(item := again.read(None), End):
        assert item.offset == len(data)
        data += item.data
    assert data == text.encode()


def test_data_cannot_close_its_element():
    evil = "</script><script>alert(1)</script><!-- \u2028 & ]]>\n"
    report = Report(Status.FAILED, "launch", lines=1)
    given = replace(report, log=log_text([MemorySource("</script>", evil)], load_rules(), report, 10))
    written = page_data(given, Scale(timed=False, start=0.0), {})
    assert not set("<>&\u2028\n") & set(written)
    assert json.loads(written)["text"][0].startswith("</script><script>alert(1)</script>")


def embedded(path) -> dict:
    return json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)[1])


def test_a_file_and_the_option_that_leaves_it_out(tmp_path):
    log, page = tmp_path / "train.log", tmp_path / "r.html"
    log.write_text(RANKED)
    asked = ["diagnose", str(log), "--format", "html", "-o", str(page)]
    main(asked)
    assert embedded(page)["line"] == [1, 2, 3, 4, 5, 6, 7]
    main([*asked, "--page-lines", "0"])
    assert embedded(page)["line"] == []
    assert 'id="log"' not in page.read_text(encoding="utf-8")


def test_a_pipe(tmp_path, monkeypatch):
    read, write = os.pipe()
    os.write(write, RANKED.encode())
    os.close(write)
    kept = os.dup(0)
    try:
        os.dup2(read, 0)
        monkeypatch.setattr("sys.stdin", io.StringIO())
        main(["diagnose", "-", "--format", "html", "-o", str(tmp_path / "r.html")])
    finally:
        os.dup2(kept, 0)
        os.close(kept)
        os.close(read)
    assert embedded(tmp_path / "r.html")["source"] == [0] * 7


def test_a_line_without_end_is_read_again_in_bounded_parts():
    recorded = RecordedSource(MemorySource("job", "x" * (2 * MAX_LINE_BYTES + 7)))
    while not isinstance(recorded.read(None), End):
        pass
    again = recorded.again()
    parts = list(iter(lambda: again.read(None), End()))
    assert [len(part.data) for part in parts] == [MAX_LINE_BYTES, MAX_LINE_BYTES, 7]
    assert [part.offset for part in parts] == [0, MAX_LINE_BYTES, 2 * MAX_LINE_BYTES]
