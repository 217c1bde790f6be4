"""Two libraries find literals: what one finds the other finds, so that a platform changes no report."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules import diagnose
from logrules.engine import run
from logrules.model.errors import LogrulesError
from logrules.parsing.literal_matcher import AhoCorasickMatcher, HyperscanMatcher, Literal, LiteralMatcher, matcher_of
from logrules.parsing.scan import Detail, Scanner

pytest.importorskip("ahocorasick_rs")
CAPTURED = Path(__file__).parents[2] / "fixtures" / "captured"
LOGS = sorted(CAPTURED.rglob("*.txt"))
THINNED = Detail(None, frozenset(range(0, 4_000, 7)))


@pytest.fixture
def without_hyperscan(monkeypatch):
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    monkeypatch.setattr(run, "_latest", type(run._latest)(maxlen=3))


def both(literals: list[Literal]) -> tuple[LiteralMatcher, LiteralMatcher]:
    pytest.importorskip("hyperscan")
    return HyperscanMatcher(literals), AhoCorasickMatcher(literals)


words = st.text("ab\n ", min_size=1, max_size=4).map(str.encode)


@given(st.lists(st.tuples(words, st.booleans()), min_size=1, max_size=8), st.text("ab\n ", max_size=60))
def test_both_find_the_same_literals_overlapping_and_doubled_ones_too(asked, text):
    literals = [(data, number, once) for number, (data, once) in enumerate(asked)]
    one, other = both(literals)
    data = text.encode()
    assert sorted(one.find(data)) == sorted(other.find(data))
    assert [end for end, _ in other.find(data)] == sorted(end for end, _ in other.find(data))


def test_what_serves_another_thread_finds_the_same_at_the_same_time():
    text = b"step 1 CUDA out of memory\n" * 2_000
    for matcher in both([(b"out of", 0, False), (b"step", 1, True)]):
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda one: one.find(text), [matcher, matcher.for_another_thread()]))
        assert list(found[0]) == list(found[1])
        assert len(found[0]) == 2_001


@pytest.mark.parametrize("detail", [Detail(), THINNED, Detail(False, THINNED.common)], ids=["all", "thinned", "none"])
def test_both_find_the_same_in_the_captured_logs(shipped, detail, request):
    data = b"".join(path.read_bytes() for path in LOGS)
    found = [sorted(Scanner(shipped.signals, detail, trace=shipped.trace).scan(data))]
    request.getfixturevalue("without_hyperscan")
    found.append(sorted(Scanner(shipped.signals, detail, trace=shipped.trace).scan(data)))
    assert found[0] == found[1]
    assert found[0]


def told(log: Path) -> str:
    """The report in words: as data no NaN that a metric had is equal to another."""
    return repr(diagnose(str(log)))


def test_without_hyperscan_the_other_is_taken_and_the_report_is_the_same(request):
    logs = LOGS[::9]
    usual = [told(path) for path in logs]
    request.getfixturevalue("without_hyperscan")
    assert matcher_of([(b"x", 0, False)]).name == "ahocorasick_rs"
    assert [told(path) for path in logs] == usual


def test_without_either_the_command_says_what_to_install(monkeypatch, without_hyperscan):
    monkeypatch.setitem(sys.modules, "ahocorasick_rs", None)
    with pytest.raises(LogrulesError, match="neither hyperscan nor ahocorasick-rs is installed"):
        matcher_of([(b"step", 0, False)])
