"""A cluster's part in it: what lies on a node is read there, what is lost is said. `bench/fleet.py` asks a real one."""

import json
import sys
from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.model.errors import LogrulesError
from logrules.sources import discover as sources
from logrules.tools.cluster import ray_cluster
from logrules.tools.cluster.ray_cluster import Lost, RayWorkerPool, _Here, discovered_on_nodes, node_names
from logrules.tools.fleet import scan_jobs
from tests.tools.toy_ray import ToyRay, installed

OOM = "2025-06-15 10:00:50 [rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
STEP = "2025-06-15 10:00:00 INFO step 1 loss 0.5\n"


@pytest.fixture
def ray(monkeypatch) -> ToyRay:
    _Here.of = ("", "")
    toy = ToyRay([("aa" * 4, "node-1"), ("bb" * 4, "node-2")])
    return installed(toy, lambda name, module: monkeypatch.setitem(sys.modules, name, module))


@pytest.fixture
def disks(ray, tmp_path, monkeypatch) -> Path:
    """A folder that holds something else on each node, and nothing here."""
    scratch = tmp_path / "scratch"
    there = {id_: tmp_path / name for id_, name in ray.nodes_up}
    for name, text in (("node-1", STEP), ("node-2", OOM)):
        (tmp_path / name / "runs").mkdir(parents=True)
        (tmp_path / name / "runs" / f"{name[-1]}.log").write_text(text)
        (tmp_path / name / "job").mkdir()
        (tmp_path / name / "job" / f"rank{name[-1]}.log").write_text(STEP + text)

    def seen(path: Path) -> Path:
        below = Path(path).relative_to(scratch)
        return there[ray.at] / below if ray.at else Path(path)

    monkeypatch.setattr(scan_jobs, "jobs_of", _Below(seen, scan_jobs.jobs_of))
    find = sources.discover
    monkeypatch.setattr(ray_cluster, "discover", lambda paths, block: find([str(seen(path)) for path in paths], block))
    return scratch


class _Below:
    """Where a node finds its jobs; it travels by name, as a function would."""

    of: tuple = ()

    def __init__(self, seen, below) -> None:
        _Below.of = (seen, below)

    def __call__(self, roots, pattern):
        seen, below = _Below.of
        return below([seen(root) for root in roots], pattern)

    def __reduce__(self):
        return _again, ()


def _again() -> _Below:
    return _Below(*_Below.of)


def test_a_scan_on_a_cluster_lists_what_a_scan_here_lists(ray, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in (("1", STEP), ("2", OOM)):
        (tmp_path / "runs").mkdir(exist_ok=True)
        (tmp_path / "runs" / f"{name}.log").write_text(text)
    words = ["scan", "runs", "--no-history", "--format", "jsonl"]
    assert main(words) == 1
    here = capsys.readouterr().out
    assert main([*words, "--engine", "ray"]) == 1
    assert capsys.readouterr().out == here
    assert ray.ran == ["", ""]


def test_jobs_on_the_disks_of_nodes_are_read_there(ray, disks, tmp_path, capsys):
    words = ["scan", str(disks / "runs"), "--history", str(tmp_path / "h"), "--engine", "ray", "--on-node"]
    assert main([*words, "--format", "jsonl"]) == 1
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["job"], one["cause"]) for one in listed] == [("node-1/1.log", None), ("node-2/2.log", "cuda-oom")]
    assert set(ray.ran[2:]) == {"aa" * 4, "bb" * 4}
    before = len(ray.ran)
    assert main([*words, "--format", "jsonl"]) == 1
    assert len(ray.ran) == before + 2, "both are asked what there is, and nothing is read again"


def test_one_job_whose_logs_lie_on_several_nodes(ray, disks, capsys):
    words = ["diagnose", str(disks / "job"), "--engine", "ray", "--on-node", "--format", "json"]
    assert main(words) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["sources"] == ["node-1/rank1.log", "node-2/rank2.log"]
    assert report["diagnoses"][0]["cause"] == "cuda-oom"


def test_a_node_that_is_lost_leaves_its_logs_unread(ray, disks):
    found = discovered_on_nodes([str(disks / "job")], "auto")
    ray.gone.add("bb" * 4)
    assert [list(source.ends(100)) for source in found.sources] == [[(STEP + STEP).encode()[:82]], []]


def test_where_no_node_has_any_it_says_so(ray, disks, capsys):
    assert main(["diagnose", str(disks / "none"), "--engine", "ray", "--on-node"]) == 2
    assert "node-1: " in capsys.readouterr().err
    assert main(["scan", str(disks / "none"), "--engine", "ray", "--on-node", "--no-history"]) == 2
    assert "node-1: " in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["scan", "diagnose"])
def test_nodes_without_a_cluster_are_one_sentence(verb, tmp_path, capsys):
    assert main([verb, str(tmp_path), "--on-node"]) == 2
    assert capsys.readouterr().err == "logrules: --on-node is for a cluster: add --engine ray\n"


@pytest.mark.parametrize("path", ["-", "s3://bucket/runs"])
def test_what_lies_on_no_node_is_refused(ray, path):
    with pytest.raises(LogrulesError, match="leave it out"):
        discovered_on_nodes([path], "auto")


def _double(ready, item):
    return item * 2


def test_an_item_of_a_node_that_is_not_there_is_lost(ray, shipped):
    pool = RayWorkerPool("auto", _double, type)
    found = dict(pool.answers({1: 10, 2: 20}, shipped, lambda item: "node-1" if item == 10 else "node-9"))
    assert found == {1: 20, 2: Lost("its node node-9 is not in the cluster")}


def test_an_item_whose_readers_die_is_lost(ray, shipped):
    ray.gone.add("")
    assert dict(RayWorkerPool("auto", _double, type).answers({1: 10}, shipped)) == {
        1: Lost("its reader died 4 times (RayError)")
    }


def test_nodes_of_one_name_are_told_apart():
    assert list(node_names(ToyRay([("aaaaaa1", "10.0.0.1"), ("bbbbbb1", "10.0.0.1")]))) == [
        "10.0.0.1-aaaaaa",
        "10.0.0.1-bbbbbb",
    ]
