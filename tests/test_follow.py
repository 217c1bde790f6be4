"""A live job gives the report that its saved log gives."""

import difflib

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from logrules.engine import replay
from logrules.follow import Following
from tests.conftest import fixtures
from tests.test_promises import Cut, document, lines

PROMISE = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
LOGS = sorted(path for path in fixtures().rglob("*") if path.suffix in {".log", ".txt"})
cuts = st.lists(st.integers(0, 1_000_000), max_size=12)


def followed(source, pack):
    following = Following(source, pack)
    for _ in following:
        pass
    return following.report()


def behind_lines(data, places):
    """Places behind line ends: live sources give whole lines."""
    return [data.rfind(b"\n", 0, place % (len(data) + 1)) + 1 for place in places]


def assert_same(live, saved):
    difference = "\n".join(difflib.unified_diff(document(saved).splitlines(), document(live).splitlines(), lineterm=""))
    assert not difference, difference[:5_000]


@PROMISE
@given(lines=lines, places=cuts, newline=st.booleans())
def test_any_cut_of_a_live_log_gives_the_saved_report(shipped, lines, places, newline):
    data = b"\n".join(lines) + (b"\n" if newline else b"")
    assume(data)  # a live source is known by its first byte
    assert_same(followed(Cut(data, behind_lines(data, places)), shipped), replay([Cut(data)], shipped, threads=1))


@PROMISE
@given(path=st.sampled_from(LOGS), places=cuts)
def test_any_cut_of_a_captured_log_gives_the_saved_report(shipped, path, places):
    data = path.read_bytes()
    assert_same(followed(Cut(data, behind_lines(data, places)), shipped), replay([Cut(data)], shipped, threads=1))
