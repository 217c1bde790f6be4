"""What a failure that nothing knows is titled by: its message and the innermost place of the user's own code."""

import pytest

from logrules import load_rules
from logrules.engine.run import replay
from logrules.parsing.exception_line import asserted
from tests.conftest import MemorySource

_RAY = """\
Traceback (most recent call last):
  File "/app/driver.py", line 20, in <module>
    ray.get(w.step.remote())
  File "/usr/lib/python3.11/site-packages/ray/_private/worker.py", line 2600, in get
    raise value.as_instanceof_cause()
ray.exceptions.RayTaskError(ValueError): ray::W.step() (pid=5, ip=10.0.0.1, actor_id=ab, repr=<rok.W object at 0x7f>)
  File "/app/rok.py", line 8, in step
    raise ValueError("bad reward (4, 2) vs (4,)")
ValueError: bad reward (4, 2) vs (4,)
"""
_PLAIN = """\
Traceback (most recent call last):
  File "/app/train.py", line 20, in <module>
    main()
  File "/app/lib.py", line 12, in main
    {source}
{raised}
"""


def _title(text: str) -> str:
    report = replay([MemorySource("train.log", text)], load_rules())
    return report.diagnoses[0].title.en


def test_a_remote_exception_is_titled_by_what_it_passes_on():
    assert _title(_RAY) == "ValueError: bad reward (4, 2) vs (4,) — rok.py:8 in step"


@pytest.mark.parametrize(
    ("source", "raised", "title"),
    [
        ("raise KeyError('speaker')", "KeyError: 'speaker'", "KeyError: 'speaker' — lib.py:12 in main"),
        ("raise Odd()", "pkg.mod.OddError", "OddError — lib.py:12 in main"),
        ("assert a == b", "AssertionError", "AssertionError: assert a == b — lib.py:12 in main"),
        ("raise ValueError(x)", "ValueError: a\u202eb\x07", "ValueError: a b — lib.py:12 in main"),
    ],
)
def test_title(source: str, raised: str, title: str):
    assert _title(_PLAIN.format(source=source, raised=raised)).split() == title.split()


def test_a_headline_is_short():
    assert len(_title(_PLAIN.format(source="raise ValueError(x)", raised="ValueError: " + "ab " * 500))) < 250


@pytest.mark.parametrize(
    ("kind", "above", "said"),
    [
        ("AssertionError", ["    assert a % b == 0", "           ^^^^^"], "assert a % b == 0"),
        ("AssertionError", ["(W pid=3)     assert(ready)"], "assert(ready)"),
        ("AssertionError", ["    self.assertEqual(a, b)"], ""),
        ("AssertionError", [], ""),
        ("ValueError", ["    assert a"], ""),
    ],
)
def test_what_an_assertion_was_about(kind: str, above: list[str], said: str):
    assert asserted(kind, above) == said
