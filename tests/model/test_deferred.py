"""A tuple that is made when it is first looked into: what a report holds for who asks."""

import copy

from logrules.model.deferred import Deferred
from tests.conftest import MemorySource


def test_it_is_made_when_asked_for_and_once():
    asked = []
    found = Deferred(lambda: (asked.append(1), "step")[1:])
    assert asked == []
    assert (found[0], len(found), found[:1], [*found]) == ("step", 1, ("step",), ["step"])
    assert asked == [1]


def test_it_equals_the_tuple_and_travels_as_it():
    found = Deferred(lambda: (1, 2))
    assert found == (1, 2)
    assert found == Deferred(lambda: (1, 2))
    assert found != (1,)
    assert found != [1, 2]
    assert (hash(found), repr(found)) == (hash((1, 2)), "(1, 2)")
    assert type(copy.copy(found)) is type(copy.deepcopy(found)) is tuple


def test_steps_of_a_live_report_are_made_for_who_asks(shipped, monkeypatch):
    from logrules.engine.run import replay
    from logrules.inference import diagnosis

    made = []
    of_card = diagnosis.steps_for
    monkeypatch.setattr(diagnosis, "steps_for", lambda *given: made.append(1) or of_card(*given))
    report = replay([MemorySource("a.log", "RuntimeError: CUDA error: out of memory\n")], shipped)
    first = report.diagnoses[0]
    assert not made
    assert first.fixes
    assert made == [1]
