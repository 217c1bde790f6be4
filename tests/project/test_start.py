"""What starting loads and opens: held by name, since a start that doubles is noticed by nobody for weeks.

A room may grow a module without a word here; what must stay out are the heavy libraries, the rooms that a verb does
not need, and the three hundred rule files.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.ruleset.cache_files import cache_folder
from tests.conftest import FEW_FRAMEWORKS

_STEPS = "".join(f"2025-06-01 10:00:{step % 60:02d},000 INFO step {step} loss 0.5\n" for step in range(99))
OOM = f"{_STEPS}torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
# Libraries that only one verb, one form or the check of rule files needs.
HEAVY = frozenset(
    {
        "annotated_types",
        "ast",
        "dataclasses",
        "inspect",
        "jinja2",
        "json",
        "mcp",
        "numpy",
        "pip",
        "pydantic",
        "pyparsing",
        "rich",
        "yaml",
        "asyncio",
    }
    | {
        "concurrent.futures",
        "hashlib",
        "logging",
        "multiprocessing",
        "sqlite3",
        "subprocess",
        "unittest",
        "urllib.request",
    }
    | {"bz2", "lzma", "shutil", "statistics"}
)
_PROBE = """
import sys
opened = []
def audit(event, args):
    if event == "open" and isinstance(args[0], str):
        opened.append(args[0])
sys.addaudithook(audit)
from logrules.cli.main import main
try:
    main({arguments!r})
except SystemExit:
    pass
modules = sorted(sys.modules)
import json
sys.stderr.write("\\n" + json.dumps([modules, opened]))
"""


def started(cache: Path, *arguments: str) -> tuple[set[str], list[str]]:
    """The modules that a second start loads, and the files that it opens.

    No other test writes to its cache or to its folder: what is installed is looked up anew where a folder of the path
    has changed.
    """
    program = [sys.executable, "-c", _PROBE.format(arguments=list(arguments))]
    # What measures coverage loads modules of its own.
    alone = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    alone["LOGRULES_CACHE_DIR"] = str(cache)
    shutil.copytree(cache_folder(), cache, dirs_exist_ok=True)
    folder = cache / "empty"
    folder.mkdir()
    for _ in range(2):
        done = subprocess.run(program, cwd=folder, env=alone, capture_output=True, text=True, check=True)
    modules, opened = json.loads(done.stderr.rpartition("\n")[2])
    return set(modules), opened


@pytest.fixture(scope="module")
def diagnosed(tmp_path_factory: pytest.TempPathFactory) -> tuple[set[str], list[str]]:
    log = tmp_path_factory.mktemp("start") / "train.log"
    log.write_text(OOM, encoding="utf-8")
    return started(tmp_path_factory.mktemp("cache"), "diagnose", str(log))


@pytest.fixture(scope="module")
def helped(tmp_path_factory: pytest.TempPathFactory) -> tuple[set[str], list[str]]:
    return started(tmp_path_factory.mktemp("cache"), "--help")


def rooms(modules: set[str]) -> set[str]:
    return {name.split(".")[1] for name in modules if name.startswith("logrules.")}


def test_help_loads_the_command_line_and_the_names_of_tools(helped):
    modules, opened = helped
    assert not HEAVY & modules
    assert not {"regex", "hyperscan"} & modules
    assert rooms(modules) <= {"cli", "model", "output", "ruleset", "tools"}
    assert not [path for path in opened if path.endswith((".yaml", ".yml"))]


def test_a_diagnosis_loads_the_way_of_a_line_and_nothing_beside(diagnosed):
    modules, _ = diagnosed
    assert not HEAVY & modules
    assert not {"notify", "ruletest"} & rooms(modules)
    tools = {name for name in modules if name.startswith("logrules.tools.")}
    assert all(name.endswith("_option") or name.count(".") == 2 for name in tools)
    loaded_late = {
        "logrules.engine.clock_sync",
        "logrules.engine.distributed",
        "logrules.engine.follow",
        "logrules.ruleset.compile",
        "logrules.ruleset.models",
        "logrules.sources.flight_dump",
    }
    assert not loaded_late & modules


def test_a_diagnosis_opens_its_log_and_what_is_cached(diagnosed):
    _, opened = diagnosed
    data = [Path(path) for path in opened if not path.endswith((".py", ".pyc", ".so", ".pth"))]
    assert not [path for path in data if path.suffix in {".yaml", ".yml"}]
    kinds = {path.name.split("-")[0] for path in data}
    assert kinds <= {"train.log", "installed", "state", "pack", "patterns", "scan", "pyproject.toml", "null"}


def test_a_second_diagnosis_in_a_process_compiles_nothing(tmp_path, monkeypatch):
    from logrules import diagnose
    from logrules.engine import extraction

    log = tmp_path / "train.log"
    log.write_text(OOM, encoding="utf-8")
    first = diagnose(str(log))
    monkeypatch.setattr(extraction, "Scanner", None)
    assert diagnose(str(log)) == first


def test_a_log_may_be_named_by_its_path(tmp_path):
    from logrules import diagnose

    log = tmp_path / "train.log"
    log.write_text(OOM, encoding="utf-8")
    assert diagnose(log) == diagnose(str(log))


@pytest.mark.parametrize(
    ("threads", "loaded", "ended"),
    [(1, [], [1]), (2, [], []), (1, ["multiprocessing"], [])],
    ids=["nothing else runs", "a thread runs", "there may be processes"],
)
def test_the_command_ends_its_process_at_once_where_nothing_has_to_be_waited_for(monkeypatch, threads, loaded, ended):
    from logrules import __main__

    seen: list[int] = []
    monkeypatch.setattr(__main__, "main", lambda: 1)
    monkeypatch.setattr(__main__, "_unwind_where_ended", lambda: None)
    monkeypatch.setattr(__main__.threading, "active_count", lambda: threads)
    monkeypatch.delitem(sys.modules, "multiprocessing", raising=False)
    for name in loaded:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(__main__.os, "_exit", seen.append)
    assert __main__.command() == 1
    assert seen == ended


def test_what_is_kept_is_read_once_and_not_written_anew_where_nothing_was_learned(tmp_path, monkeypatch):
    from logrules import diagnose
    from logrules.ruleset import kept_values

    log = tmp_path / "train.log"
    log.write_text(OOM, encoding="utf-8")
    diagnose(str(log))
    monkeypatch.setattr(kept_values, "kept_value", None)
    monkeypatch.setattr(kept_values, "keep_value", None)
    diagnose(str(log))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted otherwise elsewhere")
def test_the_first_start_compiles_all_rules_within_150_megabytes_and_waits_for_no_pipe(tmp_path):
    log = tmp_path / "train.log"
    log.write_text(OOM, encoding="utf-8")
    assert main(["diagnose", str(log)]) == 1
    (tmp_path / "cache").mkdir()
    kept = [path.name for path in cache_folder().iterdir()]
    assert kept
    for name in kept:
        os.mkfifo(tmp_path / "cache" / name)
    # `ru_maxrss` would be that of the tests' own process, if that has taken more.
    program = (
        "from logrules.cli.main import main\ntry:\n    main(['diagnose', 'train.log'])\n"
        "finally:\n    print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
    )
    cache = {"LOGRULES_CACHE_DIR": str(tmp_path / "cache")}
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, cwd=tmp_path, env=plain | cache
    )
    assert "CUDA" in done.stdout, done.stderr
    assert int(done.stdout.split()[-1]) << 10 < 150_000_000


def test_what_was_read_of_rule_files_is_let_go_of_once_they_are_kept(tmp_path):
    # In a process of its own: the tests' own keeps what it reads for the next test.
    program = (
        "import gc\n"
        "gc.set_threshold(200_000)\n"
        "from pathlib import PurePath\n"
        "from logrules.ruleset.load import shipped_texts\n"
        "from logrules.ruleset.rule_file import RuleSource\n"
        "from logrules.ruletest.collect import known_collection\n"
        f"few = {('pipeline', 'causes', *FEW_FRAMEWORKS)}\n"
        "paths = [(PurePath(text.shown), text) for text in shipped_texts()]\n"
        "texts = [text for path, text in paths if path.parts[1] in ('fixes', 'torch') or path.stem in few]\n"
        "known_collection(texts, None)\n"
        "print(sum(isinstance(one, RuleSource) for one in gc.get_objects()))\n"
    )
    cache = {"LOGRULES_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, env=os.environ | cache
    )
    assert int(done.stdout) == 0
