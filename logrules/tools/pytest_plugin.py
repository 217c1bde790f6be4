"""Pytest collects rule files and cases: each example, sample and case is a test.

Off until it is told where rules are, in the configuration (``logrules_rules = my-rules``) or on the command
line (``--logrules-rules my-rules``). Nothing else is imported before that.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from logrules.engine.run import Prepared
    from logrules.model.test_result import Result
    from logrules.ruletest.rule_tests import Test


# All tests of the configured folders by the file that carries them, and the pack that they run on, once a session.
_BENCH = pytest.StashKey["tuple[Prepared, Mapping[Path, Sequence[Test]]]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where rules are."""
    about = "folder of logrules rules and cases to test"
    parser.addini("logrules_rules", f"{about}; one a line", type="paths", default=[])
    parser.getgroup("logrules").addoption("--logrules-rules", action="append", default=[], metavar="DIR", help=about)


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a folder that is not there: its tests would be passed over, and all look well."""
    absent = next((root for root in _roots(config) if not root.exists()), None)
    if absent is not None:
        raise pytest.UsageError(f"{absent}: no such file or folder of rules")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Rule files and cases below the configured folders."""
    roots = _roots(parent.config)
    if file_path.suffix not in {".yaml", ".yml"} or not any(map(file_path.resolve().is_relative_to, roots)):
        return None
    found: pytest.Collector = PytestRuleFile.from_parent(parent, path=file_path)
    return found


def _roots(config: pytest.Config) -> list[Path]:
    """The configured folders; those of the command line are relative to where pytest was started."""
    given = [config.invocation_params.dir / name for name in config.getoption("--logrules-rules")]
    return [path.resolve() for path in (*config.getini("logrules_rules"), *given)]


class PytestRuleFile(pytest.File):
    """A rule file or a case."""

    def collect(self) -> Iterator[pytest.Item]:
        """Its tests; a faulty file of the pack is an error of collection."""
        from logrules.model.errors import LogrulesError

        try:
            on, by_file = _bench(self.config)
        except LogrulesError as fault:
            raise self.CollectError(str(fault)) from None
        for test in by_file.get(self.path.resolve(), []):
            yield RuleTest.from_parent(self, name=test.name, test=test, on=on)


def _bench(config: pytest.Config) -> "tuple[Prepared, Mapping[Path, Sequence[Test]]]":
    from logrules.engine.run import prepared
    from logrules.ruletest.collect import collect

    if _BENCH not in config.stash:
        found = collect(_roots(config))
        by_file: dict[Path, list[Test]] = {}
        for test in found.tests():
            by_file.setdefault(Path(test.place.path).resolve(), []).append(test)
        config.stash[_BENCH] = prepared(found.pack, cache=True), by_file
    return config.stash[_BENCH]


class RuleTestFailed(Exception):
    """Carries the result."""

    def __init__(self, result: "Result") -> None:
        super().__init__(result.name)
        self.result = result


class RuleTest(pytest.Item):
    """One example, sample or case."""

    def __init__(self, *, test: "Test", on: "Prepared", **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self._test, self._on = test, on

    def runtest(self) -> None:
        """Run it on the real engine."""
        from logrules.model.test_result import Outcome
        from logrules.ruletest.judging import run_test

        result = run_test(self._on, self._test)
        if result.outcome is Outcome.EXPECTED_MISS:
            pytest.xfail(result.reason or "")
        if result.outcome is Outcome.FAILED:
            raise RuleTestFailed(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:  # noqa: ARG002
        """What `logrules test` says of it."""
        if not isinstance(excinfo.value, RuleTestFailed):
            return str(super().repr_failure(excinfo))
        from logrules.output.ruletest_text import paragraphs

        return "\n".join(paragraphs(excinfo.value.result))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it stands."""
        return self.path, self._test.place.line - 1, self.name
