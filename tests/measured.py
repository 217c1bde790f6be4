"""Coverage measured of the tests that are for it: measuring doubles what a test costs.

Tests of the marks `hypothesis` and `unmeasured` go, many times or in processes of their own, ways that other tests go.
All run in one session; where nothing measures (no `coverage run`), nothing here does anything.
"""

import os
from collections.abc import Generator
from importlib import import_module
from pathlib import Path

import pytest
from coverage import Coverage

UNMEASURED = frozenset({"hypothesis", "unmeasured"})
# What starts the measuring in processes of their own, which inherit it.
_TOLD = "COVERAGE_PROCESS_CONFIG"
_PATCHES = "run:patch"


class Measuring:
    """What measures this process, on or off."""

    def __init__(self, by: Coverage) -> None:
        """``by`` is what has measured since the process began."""
        self._by = by
        self._told = os.environ.get(_TOLD)
        self._on = True

    def turn(self, *, on: bool) -> None:
        """Measure from now on, or do not; so for processes that are started or forked."""
        if on is self._on:
            return
        self._on = on
        if not on:
            self._by.stop()
            os.environ.pop(_TOLD, None)
            return
        # What is patched stays so: twice over, a fork would be measured twice.
        patches = self._by.get_option(_PATCHES)
        self._by.set_option(_PATCHES, [])
        self._by.start()
        self._by.set_option(_PATCHES, patches)
        if self._told is not None:
            os.environ[_TOLD] = self._told

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Every module is loaded while that is measured: what is loaded later, by collecting or untold, is not."""
        package = Path(__file__).parent.parent / "logrules"
        for path in sorted(package.rglob("[!_]*.py")):
            import_module(".".join(path.relative_to(package.parent).with_suffix("").parts))
        self.turn(on=False)
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measured are the tests without a mark against it."""
        self.turn(on=not any(True for mark in item.iter_markers() if mark.name in UNMEASURED))
        return (yield)


def pytest_configure(config: pytest.Config) -> None:
    """Measure where tests are run: the process that hands them out to others runs none."""
    by = Coverage.current()
    if by is None:
        return
    measuring = Measuring(by)
    if config.pluginmanager.hasplugin("dsession"):
        # The others inherit what tells them to measure.
        by.stop()
    else:
        config.pluginmanager.register(measuring, "measuring")
