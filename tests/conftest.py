"""Small packs and events for the tests: everything a test needs is said in the test."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import settings

from logrules.model.event import Event, Hit, Worker
from logrules.ruleset.compile import compile_pack
from logrules.ruleset.load import load_pack
from logrules.ruleset.pack import Pack
from logrules.ruleset.rule_file import RuleText

# A busy machine must not fail a test: no deadlines, and few enough examples for two cores.
settings.register_profile("logrules", deadline=None, max_examples=50)
settings.load_profile("logrules")


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOGRULES_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def shipped(_own_cache: object) -> Pack:
    """The rules that logrules comes with."""
    return load_pack()


@pytest.fixture
def small_pack() -> Callable[..., Pack]:
    """Compile rule files given as text; a fault in them fails the test."""

    def compile_texts(*texts: str) -> Pack:
        pack, problems = compile_pack([RuleText(f"t{n}/t.yaml", text.encode()) for n, text in enumerate(texts)], "test")
        assert pack is not None, "\n".join(map(str, problems))
        return pack

    return compile_texts


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
