"""Small packs and events for the tests: everything a test needs is said in the test."""

import contextlib
import gc
import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from logrules.model.event import Event, Hit, Worker
from logrules.model.stream import Block
from logrules.ruleset import compile as compiling
from logrules.ruleset import load as loading
from logrules.ruleset import pattern
from logrules.ruleset.cache_files import cache_folder
from logrules.ruleset.compile import compile_pack
from logrules.ruleset.kept_values import kept_name
from logrules.ruleset.load import load_pack, shipped_rules, shipped_texts
from logrules.ruleset.pack import Pack
from logrules.ruleset.rule_file import RuleText
from logrules.sources.copied_text import as_written
from logrules.sources.source import SavedSource

# A busy machine must not fail a test: no deadlines, and few enough examples for two cores. `make fuzz` and `make ci`
# run many more, `make soak` the most. A change passes or fails by what it is, not by lot: new examples are for the soak.
_OFTEN = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
settings.register_profile("suite", _OFTEN, max_examples=20, derandomize=True)
settings.register_profile("fuzz", _OFTEN, max_examples=200, derandomize=True)
settings.register_profile("soak", _OFTEN, max_examples=2_000)
settings.load_profile(os.environ.get("LOGRULES_EXAMPLES", "suite"))
SOAK = os.environ.get("LOGRULES_EXAMPLES") == "soak"
# For an example that takes a tenth of a second.
COSTLY = settings(max_examples=settings.default.max_examples // 3)

# Hypothesis prints what a failing test was given, a pack's 60,000 lines too, and warns of it instead of the failure.
Pack._repr_pretty_ = lambda pack, printer, _cycle: printer.text(repr(pack))  # type: ignore[attr-defined]

# A rule pack is a hundred thousand objects that live on: going through them again and again is a tenth of a run.
gc.set_threshold(50_000, 20, 50)


class MemorySource(SavedSource):
    """A log of this name and text; no file has it."""

    def __init__(self, name: str, text: str) -> None:
        data = b"".join(as_written(iter([text.encode(errors="replace")])))
        super().__init__(name, iter([Block(name, 0, data)] if data else []))


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Starting a browser and drawing in it is a tenth of a run. Of rows that are one in so many the others are for `make ci`: a number that shares no factor with the counts of values that are multiplied."""
    rows: Counter[str] = Counter()
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.integration)
        if (one_in := item.get_closest_marker("one_in")) and not item.get_closest_marker("fuzz"):
            name = item.nodeid.partition("[")[0]
            if rows[name] % one_in.args[0]:
                item.add_marker(pytest.mark.fuzz)
            rows[name] += 1


@pytest.fixture(scope="session", autouse=True)
def _signals_as_at_a_terminal() -> None:
    """Who starts the tests in the background of a script has them ignore SIGINT, under `nohup` SIGHUP: ours must come."""
    for name in ("SIGINT", "SIGHUP", "SIGQUIT"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> object:
    """Folders of the tests' own for what is cached and what scans keep. `make test` has compiled the shipped rules before: they are there already."""
    own = tmp_path_factory.mktemp("tests") / "cache"
    with contextlib.suppress(OSError, RuntimeError, shutil.Error):
        shutil.copytree(cache_folder(), own)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOGRULES_CACHE_DIR", str(own))
        patch.setenv("LOGRULES_STATE_DIR", str(own.with_name("state")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _read_shipped_files_once() -> object:
    """Most packs of the tests are the shipped files and something beside them: reading these files is most of the work."""
    shipped = frozenset(text.raw for text in shipped_texts())
    read, known = compiling.read_source, {}

    def read_once(text):
        if text.raw not in shipped:
            return read(text)
        key = (text.raw, text.shown, text.origin, text.id)
        if key not in known:
            known[key] = read(text)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "read_source", read_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def _read_kept_packs_once() -> object:
    """A command that is called in this process finds what the last one read, and with it what was compiled for it."""
    read, known = loading.cached_pack, {}

    def read_once(digest):
        try:
            path = cache_folder() / kept_name("pack", digest)
            status = path.lstat()
        except (OSError, RuntimeError):
            return read(digest)
        key = (digest, path, status.st_ino, status.st_size, status.st_mode)
        if key not in known:
            known[key] = read(digest)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "cached_pack", read_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def _compile_literals_once() -> object:
    """Packs of which the same literals are looked for are read with one database: compiling it takes a fifth of a second."""
    if find_spec("hyperscan") is None:
        yield
        return
    from logrules.parsing import literal_matcher as matcher

    compiled, known = matcher._compiled, {}

    def compile_once(literals):
        asked = matcher._identity(literals)
        if asked not in known:
            import hyperscan

            known[asked] = hyperscan.dumpb(compiled(literals))
        return matcher._read_back(known[asked])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matcher, "_compiled", compile_once)
        yield


# What reads the captured case of `alone`, and one framework more.
FEW_FRAMEWORKS = ("generic", "launchers", "python-logging", "times", "torch", "torchrun", "traceback")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A few shipped words and one case instead of all: what a check finds in one file does not depend on the others."""
    rules = tmp_path / "shipped/rules"
    shutil.copytree(shipped_rules() / "fixes", rules / "fixes")
    (rules / "frameworks").mkdir()
    for name in ("pipeline", "causes", *(f"frameworks/{name}" for name in FEW_FRAMEWORKS)):
        shutil.copy(shipped_rules() / f"{name}.yaml", rules / f"{name}.yaml")
    shutil.copytree(
        shipped_rules().parent / "fixtures/captured/torch-rank1-sigkill-mid-step", rules.parent / "fixtures/one"
    )
    names = ("ruleset.load", "ruletest.collect", "tools.expectations.path_profile")
    # All are imported before the first is changed: one that came later would take the change for what was there.
    for module in [import_module(f"logrules.{name}") for name in names]:
        monkeypatch.setattr(module, "shipped_rules", lambda: rules)
    return tmp_path


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patterns may take a fiftieth of what they may elsewhere: enough for any sound one."""
    monkeypatch.setattr(pattern, "MAX_PATTERN_CPU_S", pattern.MAX_PATTERN_CPU_S / 50)


@pytest.fixture(scope="session")
def shipped(_own_cache: object) -> Pack:
    """The rules that logrules comes with."""
    return load_pack()


@pytest.fixture
def small_pack() -> Callable[..., Pack]:
    """Compile rule files given as text; a fault in them fails the test."""

    def compile_texts(*texts: str) -> Pack:
        return compile_pack([RuleText(f"t{n}/t.yaml", text.encode()) for n, text in enumerate(texts)], "test")

    return compile_texts


def until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Wait for what another thread or process does; the test fails where it does not come."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it never came"
        time.sleep(0.01)


def event(
    line: int,
    signals: Sequence[int] = (),
    *,
    at: float | None = None,
    worker: Worker | None = None,
    text: str = "",
    captures: dict[str, str] | None = None,
) -> Event:
    """An event of the given signals, live at ``at`` seconds or without a time."""
    hits = tuple(Hit(signal, captures or {}) for signal in signals)
    return Event(
        "log",
        line,
        line * 100,
        text or f"line {line}",
        text or f"line {line}",
        worker or Worker("log"),
        hits,
        arrived=at,
    )


def fixtures() -> Path:
    """The folder of captured logs."""
    return Path(__file__).parent.parent / "fixtures"
