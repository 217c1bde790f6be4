"""Metrics of a live job: their labels, the text file, and what stands in contrib/prometheus on top of them."""

import json
import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from logrules.model.change import Update
from logrules.model.errors import LogrulesError
from logrules.model.report import Report, Status
from logrules.model.timeline import WorkerNow

pytest.importorskip("prometheus_client")
from logrules.notify.notifications import job_name
from logrules.tools.metrics.prometheus import TEXTFILE_EVERY_S, JobMetrics, MetricsTextfile
from tests.conftest import until

HERE = Path(__file__).parents[2] / "contrib" / "prometheus"
RUNNING = Report(Status.RUNNING, "train_step")
WORKERS = (WorkerNow("rank 0", "train_step", "step 1", 2.0, 65.0, 120.0),)


def update(now: float, *, ended: bool = False) -> Update:
    return Update(now, (), 12, 345, 0, ended)


def textfile(path: Path, complaints: list[str], job: str = "42") -> MetricsTextfile:
    return MetricsTextfile(path, lambda: WORKERS, complaints.append, job)


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({}, ""),
        ({"SLURM_JOB_ID": "7"}, "7"),
        ({"SLURM_JOB_ID": "7", "LOGRULES_JOB": "llama"}, "llama"),
        ({"LOGRULES_JOB": "a\nb\x1b[31m"}, "a b\\x1b[31m"),
        ({"LOGRULES_JOB": "x" * 500}, "x" * 128),
    ],
)
def test_the_job_is_named_by_its_environment(environment, name):
    assert job_name(environment) == name


def test_every_figure_bears_the_name_of_the_job(tmp_path):
    path = tmp_path / "job.prom"
    textfile(path, []).on_update(update(1.0), lambda: RUNNING)
    until(path.exists)
    figures = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert {
        'logrules_lines_read{job_name="42"} 12.0',
        'logrules_quiet_seconds{job_name="42"} 65.0',
        'logrules_status{job_name="42",status="running"} 1.0',
        'logrules_ended{job_name="42"} 0.0',
    } <= set(figures)
    assert all('job_name="42"' in line for line in figures)


def test_without_a_name_there_is_no_label(tmp_path):
    path = tmp_path / "job.prom"
    textfile(path, [], job="").on_update(update(1.0), lambda: RUNNING)
    until(path.exists)
    assert "logrules_lines_read 12.0" in path.read_text().splitlines()


def test_the_file_is_written_now_and_then_and_at_the_end(tmp_path):
    path = tmp_path / "job.prom"
    metrics = textfile(path, [])
    metrics.on_update(update(1.0), lambda: RUNNING)
    until(path.exists)
    path.unlink()
    metrics.on_update(update(1.0 + TEXTFILE_EVERY_S - 1), lambda: RUNNING)
    assert not path.exists()
    metrics.on_update(update(1.0 + TEXTFILE_EVERY_S), lambda: RUNNING)
    until(path.exists)
    path.unlink()
    metrics.on_update(update(2.0 + TEXTFILE_EVERY_S, ended=True), lambda: RUNNING)
    metrics.close(10.0)
    assert 'logrules_ended{job_name="42"} 1.0' in path.read_text()


def test_a_folder_that_goes_away_is_told_once(tmp_path):
    folder = tmp_path / "metrics"
    folder.mkdir()
    complaints: list[str] = []
    metrics = textfile(folder / "job.prom", complaints)
    folder.rmdir()
    for now in (1.0, 100.0, 200.0):
        metrics.on_update(update(now), lambda: RUNNING)
    metrics.close(10.0)
    assert len(complaints) == 1
    assert "cannot be written" in complaints[0]


@pytest.mark.parametrize(("name", "says"), [("job.txt", "end in .prom"), ("none/job.prom", "there is no folder")])
def test_a_file_that_nobody_would_read_is_one_sentence(tmp_path, name, says):
    with pytest.raises(LogrulesError, match=says):
        textfile(tmp_path / name, [])


# What stands on them.


def test_the_dashboard_is_what_its_table_makes():
    made = runpy.run_path(str(HERE / "make_dashboard.py"))["dashboard"]()
    assert json.loads((HERE / "dashboard.json").read_text(encoding="utf-8")) == made


def test_alerts_and_dashboard_ask_for_figures_that_there_are():
    figures = {one.name for one in JobMetrics(tuple, "", "x").registry.collect()}
    asked = set(re.findall(r"\blogrules_\w+", (HERE / "dashboard.json").read_text(encoding="utf-8")))
    asked |= set(re.findall(r"\blogrules_\w+", (HERE / "alerts.yaml").read_text(encoding="utf-8")))
    assert asked <= figures
    assert figures - asked == set()


@pytest.mark.parametrize("words", [("check", "rules", "alerts.yaml"), ("test", "rules", "alerts_test.yaml")])
def test_promtool_takes_the_alerts(words):
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("no promtool")
    done = subprocess.run([promtool, *words], cwd=HERE, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
