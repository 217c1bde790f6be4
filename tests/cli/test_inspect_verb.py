"""`logrules inspect` on a real process, with a py-spy that answers as told."""

import argparse
import json
import os
import stat
import subprocess
import sys

import pytest

from logrules.cli.shared_options import name_format
from logrules.model.errors import LogrulesError
from logrules.tools.inspection import inspect_verb

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the fake is a shell script")
FRAMES = [
    {"name": "_MultiProcessingDataLoaderIter._try_get_data", "filename": "/e/site-packages/torch/utils/data/dataloader.py",
     "short_filename": "torch/utils/data/dataloader.py", "line": 1251},
    {"name": "main", "filename": "/w/train.py", "short_filename": "train.py", "line": 9},
]  # fmt: skip


def options(pid: int, *more: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    inspect_verb.add_options(parser)
    parsed = parser.parse_args(["--pid", str(pid), "--lang", "en", *more])
    name_format(parsed)
    return parsed


@pytest.mark.parametrize(
    ("form", "told"),
    [("json", '"rank 3 is in x.py:1 f"'), ("html", '<pre class="tree"'), ("text", "[rank 3] x.py:1 f")],
)
def test_where_processes_stand_is_in_every_form(tmp_path, monkeypatch, form, told):
    pytest.importorskip("psutil")
    if form == "html":
        pytest.importorskip("jinja2")
    frames = [{"name": "f", "filename": "/w/x.py", "line": 1}]
    fake = tmp_path / "py-spy"
    fake.write_text(f"#!/bin/sh\necho '{json.dumps([{'thread_name': 'MainThread', 'frames': frames}])}'\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("RANK", "3")
    kept = tmp_path / "report"
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as job:
        inspect_verb.run(options(job.pid, "--format", form, "-o", str(kept)))
        job.communicate(b"\n")
    assert told in kept.read_text(encoding="utf-8")


def test_a_hung_process_is_explained_by_its_stack(tmp_path, monkeypatch, capsys):
    pytest.importorskip("psutil")
    dump = json.dumps([{"thread_name": "MainThread", "frames": FRAMES}])
    fake = tmp_path / "py-spy"
    fake.write_text(f"#!/bin/sh\necho '{dump}'\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("RANK", "3")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as job:
        status = inspect_verb.run(options(job.pid))
        job.communicate(b"\n")
    said = capsys.readouterr().out
    assert status == 1
    assert "dataloader-stall" in said
    assert "rank 3 is in train.py:9 main → _MultiProcessingDataLoaderIter._try_get_data" in said
    assert " 1970-01-01 " not in said


def test_a_process_that_is_gone_or_is_no_python_is_one_sentence():
    pytest.importorskip("psutil")
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
        with pytest.raises(LogrulesError, match="no Python process at or below it"):
            inspect_verb.run(options(other.pid))
        other.communicate()
    with pytest.raises(LogrulesError, match="there is no such process"):
        inspect_verb.run(options(other.pid))
