"""A stall of a run that failed and was started anew is past: the job is what its latest run is."""

import json
from pathlib import Path

import pytest

from logrules.cli.main import main

# The first run stands for an hour, then fails; the second one comes to its end.
_LOG = """\
2026-03-04 10:00:00 - INFO - datasets.builder - Generating train split
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    main()
ValueError: 2026-03-04 11:00:00 no such column: text
[2026-03-04 11:05:00,000] [INFO] [runner.py:571:main] cmd = /usr/bin/python3 -u -m deepspeed.launcher.launch train.py
2026-03-04 11:05:10 - INFO - __main__ - step 1 loss 2.5
2026-03-04 11:05:12 - INFO - __main__ - step 2 loss 2.4
2026-03-04 11:05:14 - INFO - __main__ - Training finished.
"""


@pytest.fixture
def log(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    lines = _LOG.splitlines(keepends=True)
    # Its last words come an hour after the first, with a time of their own.
    lines.insert(1, "2026-03-04 11:00:00 - ERROR - __main__ - the loader failed\n")
    Path("a.log").write_text("".join(lines))
    return "a.log"


def test_a_stall_of_an_earlier_run_is_no_stall_of_the_job(log, capsys):
    assert main(["diagnose", "--format", "json", log]) == 0
    saved = json.loads(capsys.readouterr().out)
    assert main(["watch", "--quiet", "--panel", "off", "--format", "json", "--replay", "max", log]) == 0
    said = capsys.readouterr()
    replayed = json.loads(said.out)
    assert saved["status"] == replayed["status"] == "completed"
    assert replayed["diagnoses"] == saved["diagnoses"]
    assert len(replayed["earlier_runs"]) == len(saved["earlier_runs"]) == 1


def test_that_it_is_over_is_told(log, capsys):
    main(["watch", "--panel", "off", "--format", "json", "--replay", "max", log])
    told = capsys.readouterr().err
    assert "quiet for" in told
    assert "no longer" in told
